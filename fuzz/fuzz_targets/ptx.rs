//! Any text as PTX: mistakes inside the text, or a module whose control flow and liveness can be computed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_ptx::{Summary, parse};

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    match parse(source) {
        Ok(module) => {
            for function in &module.functions {
                let summary = Summary::of(function);
                assert!(u64::from(summary.needed_register_words) <= summary.declared_register_words);
            }
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty());
            for mistake in mistakes {
                let span = mistake.span;
                assert!(
                    source.get(span.start as usize..span.end as usize).is_some(),
                    "a span cuts a character"
                );
            }
        }
    }
});
