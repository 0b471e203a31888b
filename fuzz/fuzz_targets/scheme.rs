//! Any text as a scheme and as changes of one: a mistake that can be shown, or codecs that can be made.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shrinkwarp_sim::config::scheme::{load_scheme, load_scheme_text};
use shrinkwarp_sim::scheme::{Scheme, Tables};

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    let changes: Vec<String> = source.lines().take(16).map(str::to_owned).collect();
    for made in [load_scheme("none", &changes), load_scheme_text("mine.toml", source, &[])] {
        match made {
            Ok(spec) => {
                let needs_tables = !spec.profiled_codecs().is_empty();
                assert!(Scheme::build(spec, &Tables::new(), true).is_ok() || needs_tables);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
