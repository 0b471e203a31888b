//! `shrinkwarp serve`: the pages of `lab::serve` on a port of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use shrinkwarp_lab::serve::{Response, respond};
use shrinkwarp_lab::store::{Store, StoreLocation};

use crate::failure::Failure;
use crate::files;
use crate::http;
use crate::keeping::StoreArgs;

/// Look at the runs of a store in a browser
///
/// A local site: filter runs, choose two to compare, see charts and the timeline of a run. It reads the store while
/// sweeps write it. Only this machine can reach it; Ctrl-C ends it.
#[derive(Args, Debug)]
pub struct Serve {
    /// Store of results: a file [default: shrinkwarp/runs.sqlite in your data directory]
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// Port; 0 takes a free one
    #[arg(long, default_value_t = 8321)]
    port: u16,
}

impl Serve {
    pub fn run(&self) -> Result<(), Failure> {
        let store = StoreArgs { store: self.store.clone() }.open_to_read()?;
        let place = store.place().clone();
        let in_use = |error: std::io::Error| {
            Failure::Work(format!("--port {}: {error}; give another --port, or 0 for a free one", self.port))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(in_use)?;
        let address = listener.local_addr().map_err(in_use)?;
        files::print(&format!("http://{address}/ shows {place}; Ctrl-C ends\n"))?;
        let stores = Stores { place, idle: Mutex::new(vec![store]) };
        http::serve(listener, Arc::new(move |address: &str| stores.page(address)))
            .map_err(|error| Failure::Work(format!("the server has stopped: {error}")))
    }
}

/// Connections to the store; a page has one to itself while it is made.
struct Stores {
    place: StoreLocation,
    idle: Mutex<Vec<Store>>,
}

impl Stores {
    fn page(&self, address: &str) -> Response {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let store = idle.map_or_else(|| Store::open_to_read(&self.place), Ok);
        match store {
            Ok(store) => {
                let response = respond(&store, address);
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(store);
                response
            }
            Err(error) => http::plain(500, &error.to_string()),
        }
    }
}
