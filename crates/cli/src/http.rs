//! HTTP for one local site: pages that are only read, under limits that a hostile client cannot pass.
//!
//! | limit               | value                                                              |
//! |---------------------|--------------------------------------------------------------------|
//! | connections at once | 512; more wait in the queue of the listener                        |
//! | header              | 32 KiB and 64 fields, within 10 seconds                            |
//! | body                | none is read: a request that has one is answered and disconnected  |
//! | connection          | one request, 60 seconds                                            |
//! | pages made at once  | 4                                                                  |

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use shrinkwarp_lab::serve::Response;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

const CONNECTIONS: usize = 512;
const HEADER_BYTES: usize = 32 * 1024;
const HEADER_FIELDS: usize = 64;
const HEADER_TIME: Duration = Duration::from_secs(10);
const CONNECTION_TIME: Duration = Duration::from_mins(1);
const PAGES_AT_ONCE: usize = 4;
/// Pause after a connection could not be accepted: the process is out of descriptors, and others must end first.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// Every page is whole: nothing is loaded from elsewhere, and nothing is kept.
const HEADERS: [(header::HeaderName, &str); 4] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; form-action 'self'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Makes the page at an address.
pub type MakePage = Arc<dyn Fn(&str) -> Response + Send + Sync>;

/// Answers requests until the process ends.
pub fn serve(listener: TcpListener, make_page: MakePage) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(PAGES_AT_ONCE)
        .build()?;
    runtime.block_on(accept(listener, make_page))
}

async fn accept(listener: TcpListener, make_page: MakePage) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
        let Ok((stream, _)) = listener.accept().await else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let make_page = Arc::clone(&make_page);
        tokio::spawn(async move {
            // A browser that has gone away, or is too slow, is no failure of ours.
            let _ = timeout(CONNECTION_TIME, answer_one(stream, make_page)).await;
            drop(place);
        });
    }
}

/// Answers one request on a connection, and closes it.
pub async fn answer_one(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    make_page: MakePage,
) -> Result<(), hyper::Error> {
    let answer = service_fn(|request: Request<Incoming>| {
        let make_page = Arc::clone(&make_page);
        async move { Ok::<_, Infallible>(packed(answer(&request, make_page).await)) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .max_headers(HEADER_FIELDS)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

async fn answer(request: &Request<Incoming>, make_page: MakePage) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if !is_ours(host) {
        return plain(403, "This address is not served here.");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return plain(405, "Pages can only be read.");
    }
    let address = request.uri().path_and_query().map_or("/", |address| address.as_str()).to_owned();
    let page = tokio::task::spawn_blocking(move || make_page(&address)).await;
    page.unwrap_or_else(|_| plain(500, "The page could not be made."))
}

/// Whether a request names this site. A page of another site whose name was made to lead here names that other site,
/// and must not read the store.
fn is_ours(host: Option<&str>) -> bool {
    let Some(host) = host else { return false };
    let name =
        host.rsplit_once(':').map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
    let is_loopback = |address: IpAddr| address.is_loopback();
    name.eq_ignore_ascii_case("localhost") || name.trim_matches(['[', ']']).parse().is_ok_and(is_loopback)
}

/// A page of one sentence.
pub fn plain(status: u16, message: &str) -> Response {
    let message = shrinkwarp_report::markup::escaped(message);
    Response { status, body: format!("<!doctype html><title>{message}</title><p>{message}</p>\n") }
}

fn packed(response: Response) -> hyper::Response<Full<Bytes>> {
    let mut packed = hyper::Response::new(Full::new(Bytes::from(response.body)));
    *packed.status_mut() = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in HEADERS {
        packed.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_served() {
        for name in ["127.0.0.1:8321", "localhost:8321", "LocalHost", "[::1]:8321", "[::1]"] {
            assert!(is_ours(Some(name)), "{name}");
        }
        for name in ["evil.example:8321", "evil.example", "10.0.0.1:8321", ""] {
            assert!(!is_ours(Some(name)), "{name}");
        }
        assert!(!is_ours(None));
    }
}
