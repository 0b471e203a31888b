//! The files of `configs/` that are part of the program. The build script lists them: a new file needs no line here.

use super::Preset;

include!(concat!(env!("OUT_DIR"), "/presets.rs"));
