//! How much of the data a trained codec sees first.

use std::str::FromStr;

/// The share of the data that trains a codec, from the beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingShare {
    percent: f64,
}

impl TrainingShare {
    /// The bytes to train on, of `len` bytes: whole blocks, at least one where there is one.
    pub fn bytes_of(self, len: u64, block_bytes: usize) -> u64 {
        let block_bytes = block_bytes as u64;
        let blocks = len / block_bytes;
        let wanted = (blocks as f64 * self.percent / 100.0).ceil() as u64;
        wanted.min(blocks) * block_bytes
    }
}

impl FromStr for TrainingShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self { percent: 100.0 });
        }
        let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>();
        match number {
            Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(Self { percent }),
            _ => Err("expected `all` or a percentage above 0 and up to 100, such as 10%".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_whole_blocks_and_never_none_of_some() {
        let tenth: TrainingShare = "10%".parse().unwrap();
        assert_eq!(tenth.bytes_of(100 * 128, 128), 10 * 128);
        assert_eq!(tenth.bytes_of(300, 128), 128);
        assert_eq!(tenth.bytes_of(100, 128), 0);
        assert_eq!("all".parse::<TrainingShare>().unwrap().bytes_of(1000, 128), 7 * 128);
    }

    #[test]
    fn nothing_more_than_everything_and_words_are_refused() {
        for text in ["0", "101%", "-5%", "some", "NaN"] {
            assert!(text.parse::<TrainingShare>().is_err(), "{text}");
        }
    }
}
