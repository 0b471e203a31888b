//! Which codecs look at a tensor.

use shrinkwarp_codec::registry::{CodecSpec, ENTRIES, Entry};
use shrinkwarp_codec::{BlockBytes, SpecError};

use shrinkwarp_formats::Dtype;

/// The key of the parameter that is a codec's element width.
const ELEMENT: &str = "element";

/// The codecs the user requested.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Every codec of the registry that has the block size and an element width for the type.
    Fitting,
    /// These specs. Where one leaves the element width open, the type's is taken if the codec has it.
    Named(Vec<String>),
}

impl Choice {
    /// The specs for tensors of one type.
    pub fn specs(&self, dtype: Dtype, block: BlockBytes) -> Result<Vec<CodecSpec>, SpecError> {
        match self {
            Self::Named(texts) => texts.iter().map(|text| named(text, dtype, block)).collect(),
            Self::Fitting => {
                ENTRIES.iter().filter_map(|entry| fitting(entry, dtype, block)).map(Ok).collect()
            }
        }
    }
}

fn named(text: &str, dtype: Dtype, block: BlockBytes) -> Result<CodecSpec, SpecError> {
    let mut spec = CodecSpec::parse(text, block)?;
    let leaves_width_open = !text.contains(&format!(":{ELEMENT}="));
    if leaves_width_open {
        // A codec without the type's width keeps its own default: the user asked for it.
        set_element_width(&mut spec, dtype);
    }
    Ok(spec)
}

fn fitting(entry: &'static Entry, dtype: Dtype, block: BlockBytes) -> Option<CodecSpec> {
    let mut spec = CodecSpec::parse(entry.name, block).ok()?;
    set_element_width(&mut spec, dtype).then_some(spec)
}

/// Gives the type's width to a codec that has element widths. Whether the codec fits the type then.
fn set_element_width(spec: &mut CodecSpec, dtype: Dtype) -> bool {
    let Some(index) = spec.entry.params.iter().position(|param| param.key == ELEMENT) else { return true };
    // Packed elements are narrower than a byte, whatever their unit.
    let width = if dtype.packed_elements() > 1 { 1 } else { dtype.bytes() as u32 };
    let is_allowed = spec.entry.params[index].allowed.contains(&width);
    if is_allowed {
        spec.params.values[index] = width;
    }
    is_allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_widths_follow_the_type() {
        for entry in ENTRIES {
            let Some(index) = entry.params.iter().position(|param| param.key == ELEMENT) else { continue };
            for dtype in [Dtype::Bf16, Dtype::F32, Dtype::F64] {
                if let Some(spec) = fitting(entry, dtype, BlockBytes::B128) {
                    assert_eq!(u64::from(spec.params.values[index]), dtype.bytes(), "{}", entry.name);
                }
            }
        }
    }

    #[test]
    fn floats_of_every_width_are_offered_the_codec_of_floats() {
        for (dtype, spec) in
            [(Dtype::F64, "fp-h"), (Dtype::F32, "fp-h:element=4"), (Dtype::Bf16, "fp-h:element=2")]
        {
            let specs = Choice::Fitting.specs(dtype, BlockBytes::B128).unwrap();
            let texts: Vec<String> = specs.iter().map(CodecSpec::text).collect();
            assert!(texts.iter().any(|text| text == spec), "{spec}: {texts:?}");
        }
    }

    #[test]
    fn every_type_and_block_size_has_codecs() {
        for block in BlockBytes::ALL {
            assert!(!Choice::Fitting.specs(Dtype::U8, block).unwrap().is_empty());
        }
    }
}
