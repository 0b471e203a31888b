//! What only Rust can test: that a panic stops at the border. The C program in `tests/` covers the rest.

use crate::failure::{guarded, shrinkwarp_last_error, ShrinkwarpStatus};

#[test]
fn a_panic_becomes_a_status_and_a_text() {
    assert_eq!(guarded(|| panic!("on purpose")), ShrinkwarpStatus::Internal);
    let mut text = [1; 64];
    // SAFETY: the buffer is as long as it says.
    let length = unsafe { shrinkwarp_last_error(text.as_mut_ptr().cast(), text.len()) };
    let expected = b"the library panicked";
    assert_eq!(&text[..expected.len()], expected);
    assert_eq!(text[length], 0);
}

#[test]
fn the_header_names_every_function_and_status() {
    let header = include_str!("../include/shrinkwarp_codec.h");
    let sources = [
        include_str!("codec.rs"),
        include_str!("failure.rs"),
        include_str!("list.rs"),
        include_str!("trainer.rs"),
    ];
    let mut functions = 0;
    for line in sources.iter().flat_map(|source| source.lines()) {
        let Some((_, rest)) = line.split_once("extern \"C\" fn ") else { continue };
        let name = rest.split('(').next().unwrap_or_default();
        assert!(header.contains(&format!("{name}(")), "{name} is not in the header; see README.md");
        functions += 1;
    }
    assert!(functions >= 18, "{functions}");
}
