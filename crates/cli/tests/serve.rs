//! Does the local site stand up to clients that are many, slow or hostile?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use common::shrinkwarp;
use tempfile::TempDir;

/// What the process may hold at its peak, in KiB: many times what it needs, far less than what was once asked of it.
const PEAK_KIB: u64 = 400 * 1024;

/// A site over a store with one run; it ends with the value.
struct Site {
    process: Child,
    address: String,
    _folder: TempDir,
}

impl Site {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let run = ["run", "transpose", "--scale", "tiny", "--store", "runs.sqlite"];
        assert!(shrinkwarp(folder.path()).args(run).output().unwrap().status.success());
        let mut process = Command::new(cargo_bin("shrinkwarp"))
            .current_dir(folder.path())
            .args(["serve", "--port", "0", "--store", "runs.sqlite"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        Self { process, address, _folder: folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    }

    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const GET: &str = "GET / HTTP/1.1\r\nHost: LOCALHOST\r\n\r\n";

#[test]
fn many_clients_are_served_beside_slow_ones() {
    let site = Site::start();
    let slow: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = site.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
            stream
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let answer = site.ask(GET);
                    assert!(
                        answer.starts_with("HTTP/1.1 200 OK") && answer.contains("transpose"),
                        "{answer}"
                    );
                }
            });
        }
    });
    drop(slow);
    assert!(site.peak_kib() < PEAK_KIB, "{} KiB", site.peak_kib());
}

#[test]
fn a_body_is_refused_unread_whatever_its_length() {
    let site = Site::start();
    let huge = site.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n");
    assert!(huge.starts_with("HTTP/1.1 405"), "{huge}");
    let waiting: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = site.connect();
            stream
                .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
                .unwrap();
            stream
        })
        .collect();
    assert!(site.ask(GET).starts_with("HTTP/1.1 200"));
    drop(waiting);
    assert!(site.peak_kib() < PEAK_KIB);
}

#[test]
fn strange_requests_get_an_answer_or_a_closed_connection() {
    let site = Site::start();
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(200_000));
    let fields = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(5000));
    for request in [long.as_str(), fields.as_str(), "\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        let mut stream = site.connect();
        // The server may have closed before all of it is written.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{answer:?}");
    }
    let head = site.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    let elsewhere = site.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(elsewhere.starts_with("HTTP/1.1 403"), "{elsewhere}");
    assert!(site.ask(GET).starts_with("HTTP/1.1 200"));
}
