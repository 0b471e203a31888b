//! Which codecs look at a tensor.

use shrinkwarp_codec::registry::{ENTRIES, Entry, Spec};
use shrinkwarp_codec::{BlockBytes, SpecError};

use crate::input::Dtype;

/// The key of the parameter that is a codec's element width.
const ELEMENT: &str = "element";

/// The codecs the user asked for.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Every codec of the registry that has the block size and an element width for the type.
    Fitting,
    /// These specs, as they are.
    Named(Vec<String>),
}

impl Choice {
    /// The specs for tensors of one type. Codecs with an element width take the type's.
    pub fn specs(&self, dtype: Dtype, block: BlockBytes) -> Result<Vec<Spec>, SpecError> {
        match self {
            Self::Named(texts) => texts.iter().map(|text| Spec::parse(text, block)).collect(),
            Self::Fitting => {
                ENTRIES.iter().filter_map(|entry| fitting(entry, dtype, block)).map(Ok).collect()
            }
        }
    }
}

fn fitting(entry: &'static Entry, dtype: Dtype, block: BlockBytes) -> Option<Spec> {
    let mut spec = Spec::parse(entry.name, block).ok()?;
    if let Some(index) = entry.params.iter().position(|param| param.key == ELEMENT) {
        let width = dtype.bytes() as u32;
        if !entry.params[index].allowed.contains(&width) {
            return None;
        }
        spec.params.values[index] = width;
    }
    Some(spec)
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
    fn every_type_and_block_size_has_codecs() {
        for block in BlockBytes::ALL {
            assert!(!Choice::Fitting.specs(Dtype::U8, block).unwrap().is_empty());
        }
    }
}
