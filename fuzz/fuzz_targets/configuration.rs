//! Any text as a GPU and as changes of one: a mistake that can be shown, or a machine that can be built in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_report::toml_words::plain_sentence;
use shrinkwarp_sim::config::{ConfigError, load, load_text};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::Scheme;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    let show = |error: ConfigError| {
        assert!(error.span.as_ref().is_none_or(|span| source.get(span.clone()).is_some()), "a span cuts a character");
        assert!(!plain_sentence(&error.to_string()).is_empty());
    };
    let changes: Vec<String> = source.lines().take(16).map(str::to_owned).collect();
    for made in [load("gtx480", &changes), load_text("mine.toml", source, &[])] {
        match made {
            // A machine takes a thousand times as long as its text: one length in sixteen is enough.
            Ok(spec) if data.len().is_multiple_of(16) => drop(Gpu::with_scheme(spec, Scheme::none())),
            Ok(_) => {}
            Err(error) => show(error),
        }
    }
});
