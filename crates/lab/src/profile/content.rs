//! A profile as bytes, for the store: compressed with Zstandard, all numbers little-endian.
//!
//! | bytes       | what                                                                        |
//! |-------------|-----------------------------------------------------------------------------|
//! | 8           | blocks of the stream for each kept one                                      |
//! | 4           | N, the number of kept blocks, at most 32,768                                |
//! | N           | the type of each block's buffer: its place in `ElementType::ALL`, 255 for none |
//! | 128 N       | the blocks                                                                  |

use std::io;

use shrinkwarp_sim::BLOCK_BYTES;
use shrinkwarp_workloads::workload::ElementType;

use super::Profile;
use shrinkwarp_machine::traffic::MOST_BLOCKS;

const HEAD_BYTES: usize = 12;
const NO_ELEMENT: u8 = u8::MAX;
/// Fast; the store is not where time should go.
const LEVEL: i32 = 1;

impl Profile {
    /// The profile as bytes.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut plain = Vec::with_capacity(HEAD_BYTES + self.elements.len() * (1 + BLOCK_BYTES));
        plain.extend_from_slice(&self.stride.to_le_bytes());
        plain.extend_from_slice(&(self.elements.len() as u32).to_le_bytes());
        let code = |element: &Option<ElementType>| {
            let place = ElementType::ALL.iter().position(|known| Some(*known) == *element);
            place.map_or(NO_ELEMENT, |place| place as u8)
        };
        plain.extend(self.elements.iter().map(code));
        plain.extend_from_slice(&self.bytes);
        zstd::bulk::compress(&plain, LEVEL)
    }

    /// The profile that these bytes are; none if they are not one.
    pub fn from_bytes(content: &[u8]) -> Option<Self> {
        let plain = zstd::bulk::decompress(content, HEAD_BYTES + MOST_BLOCKS * (1 + BLOCK_BYTES)).ok()?;
        let (stride, rest) = plain.split_first_chunk::<8>()?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        if count > MOST_BLOCKS || rest.len() != count * (1 + BLOCK_BYTES) {
            return None;
        }
        let (codes, bytes) = rest.split_at(count);
        let element = |code: &u8| match code {
            &NO_ELEMENT => Some(None),
            code => ElementType::ALL.get(usize::from(*code)).copied().map(Some),
        };
        let elements = codes.iter().map(element).collect::<Option<Vec<_>>>()?;
        Some(Self { stride: u64::from_le_bytes(*stride), elements, bytes: bytes.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_comes_back_as_it_went_and_damage_gives_none() {
        let elements = vec![Some(ElementType::F32), None];
        let bytes = (0..2 * BLOCK_BYTES).map(|index| index as u8).collect();
        let profile = Profile { stride: 4, elements, bytes };
        let content = profile.to_bytes().unwrap();
        assert_eq!(Profile::from_bytes(&content).as_ref(), Some(&profile));
        for length in 0..content.len() {
            assert_eq!(Profile::from_bytes(&content[..length]), None);
        }
        let wrong = zstd::bulk::compress(&[9; 40], LEVEL).unwrap();
        assert_eq!(Profile::from_bytes(&wrong), None);
    }
}
