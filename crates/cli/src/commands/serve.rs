//! `shrinkwarp serve`: the pages of `lab::serve` on a port of this machine.

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use clap::Args;
use shrinkwarp_lab::serve::{Response, respond};
use shrinkwarp_lab::store::Store;
use tiny_http::{Header, Method, Request, Server};

use crate::failure::Failure;
use crate::files;
use crate::keeping::StoreArgs;

/// Every page is whole: nothing is loaded from elsewhere, and nothing is kept.
const HEADERS: [(&str, &str); 4] = [
    ("Content-Type", "text/html; charset=utf-8"),
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; form-action 'self'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
];

/// Look at the runs of a store in a browser
///
/// A local site: filter runs, choose two to compare, see charts and the timeline of a run. It reads the store while
/// sweeps write it. Only this machine can reach it unless --host says otherwise; Ctrl-C ends it.
#[derive(Args, Debug)]
pub struct Serve {
    #[command(flatten)]
    store: StoreArgs,

    /// Port; 0 takes a free one
    #[arg(long, default_value_t = 8321)]
    port: u16,

    /// Address to listen on; 0.0.0.0 lets every machine of the network read the store
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
}

impl Serve {
    pub fn run(&self) -> Result<(), Failure> {
        let store = self.store.open_to_read()?;
        let server = Server::http((self.host, self.port)).map_err(|error| {
            Failure::Work(format!("--port {}: {error}; give another --port, or 0 for a free one", self.port))
        })?;
        files::print(&format!("http://{}/ shows {}; Ctrl-C ends\n", server.server_addr(), store.place()))?;
        for request in server.incoming_requests() {
            let response = self.answer(&store, &request);
            // A browser that has gone away is no failure of ours.
            let _ = request.respond(packed(response));
        }
        Ok(())
    }

    fn answer(&self, store: &Store, request: &Request) -> Response {
        if !is_ours(header(request, "Host"), self.host) {
            return plain(403, "This address is not served here.");
        }
        if *request.method() != Method::Get {
            return plain(405, "Pages can only be read.");
        }
        respond(store, request.url())
    }
}

/// Whether a request names this site. A page of another site whose name was made to lead here names that other site,
/// and must not read the store.
fn is_ours(host: Option<&str>, listening: IpAddr) -> bool {
    if !listening.is_loopback() {
        return true;
    }
    let Some(host) = host else { return false };
    let name =
        host.rsplit_once(':').map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
    let is_loopback = |address: IpAddr| address.is_loopback();
    name == "localhost" || name.trim_matches(['[', ']']).parse().is_ok_and(is_loopback)
}

fn header<'a>(request: &'a Request, name: &'static str) -> Option<&'a str> {
    request.headers().iter().find(|header| header.field.equiv(name)).map(|header| header.value.as_str())
}

fn plain(status: u16, message: &str) -> Response {
    Response { status, body: format!("<!doctype html><title>{message}</title><p>{message}</p>\n") }
}

fn packed(response: Response) -> tiny_http::Response<io::Cursor<Vec<u8>>> {
    let mut packed = tiny_http::Response::from_string(response.body).with_status_code(response.status);
    for (name, value) in HEADERS {
        if let Ok(header) = Header::from_bytes(name, value) {
            packed.add_header(header);
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_served_on_its_loopback() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for name in ["127.0.0.1:8321", "localhost:8321", "localhost", "[::1]:8321", "[::1]"] {
            assert!(is_ours(Some(name), here), "{name}");
        }
        for name in ["evil.example:8321", "evil.example", "10.0.0.1:8321", ""] {
            assert!(!is_ours(Some(name), here), "{name}");
        }
        assert!(!is_ours(None, here));
        assert!(is_ours(Some("lab.example"), IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
    }
}
