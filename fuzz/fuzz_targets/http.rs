//! Any bytes as what a client sends: an answer of HTTP or a closed connection.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use shrinkwarp_cli::http::answer_one;
use shrinkwarp_lab::serve::respond;
use shrinkwarp_lab::store::{Store, StoreLocation};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

thread_local! {
    static RUNTIME: RefCell<tokio::runtime::Runtime> =
        RefCell::new(tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap());
}

fuzz_target!(|data: &[u8]| {
    RUNTIME.with_borrow(|runtime| {
        let (mut client, server) = duplex(1 << 20);
        let make_page =
            Arc::new(|address: &str| respond(&Store::open(&StoreLocation::Memory).unwrap(), address));
        let answer = runtime.block_on(async {
            client.write_all(data).await.unwrap();
            client.shutdown().await.unwrap();
            // A request that breaks off is an error of the connection, not of the site.
            let _ = answer_one(server, make_page).await;
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).await.unwrap();
            answer
        });
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."));
    });
});
