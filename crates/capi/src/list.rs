//! Which codecs there are.

use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr;
use std::sync::OnceLock;

use shrinkwarp_codec::registry::{Entry, Make, ENTRIES};

/// The texts of an entry, ready for C.
struct Texts {
    name: CString,
    summary: CString,
    parameters: CString,
}

impl Texts {
    fn of(entry: &Entry) -> Self {
        let parameter = |param: &shrinkwarp_codec::registry::Param| {
            let allowed: Vec<String> = param.allowed.iter().map(u32::to_string).collect();
            format!("{}={}: {}", param.key, allowed.join("|"), param.meaning)
        };
        let parameters: Vec<String> = entry.params.iter().map(parameter).collect();
        // No text has a NUL inside; if one had, it would be shown as empty.
        let text = |text: &str| CString::new(text).unwrap_or_default();
        Self {
            name: text(entry.name),
            summary: text(entry.summary),
            parameters: text(&parameters.join("\n")),
        }
    }
}

fn texts(index: usize) -> Option<&'static Texts> {
    static TEXTS: OnceLock<Vec<Texts>> = OnceLock::new();
    TEXTS.get_or_init(|| ENTRIES.iter().map(Texts::of).collect()).get(index)
}

fn pointer(text: Option<&'static CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// How many codecs there are.
#[no_mangle]
pub extern "C" fn shrinkwarp_codec_count() -> usize {
    ENTRIES.len()
}

/// The name of codec `index`, null past the last one. The text lives as long as the program.
#[no_mangle]
pub extern "C" fn shrinkwarp_codec_name(index: usize) -> *const c_char {
    pointer(texts(index).map(|texts| &texts.name))
}

/// What codec `index` does, in one line; null past the last one. The text lives as long as the program.
#[no_mangle]
pub extern "C" fn shrinkwarp_codec_summary(index: usize) -> *const c_char {
    pointer(texts(index).map(|texts| &texts.summary))
}

/// The parameters of codec `index`, a line each: `key=default|other|…: meaning`. Null past the last codec. The text lives
/// as long as the program.
#[no_mangle]
pub extern "C" fn shrinkwarp_codec_parameters(index: usize) -> *const c_char {
    pointer(texts(index).map(|texts| &texts.parameters))
}

/// Whether codec `index` learns from a sample; false past the last one.
#[no_mangle]
pub extern "C" fn shrinkwarp_codec_is_trained(index: usize) -> bool {
    ENTRIES.get(index).is_some_and(|entry| matches!(entry.make, Make::Trained { .. }))
}
