//! The keys of `[l2]` in a scheme.

use serde::{Deserialize, Serialize};

use crate::base::BLOCK_BYTES;
use crate::base::setting::{Impossible, Latency};

/// Compression in the L2 slices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Scheme {
    /// Codec, or `none`.
    pub codec: String,
    /// Core cycles until a line is compressed.
    pub compress_cycles: Latency,
    /// Core cycles until a hit is decompressed.
    pub decompress_cycles: Latency,
    /// Decompressors of a slice; 0 for a pipeline that takes a block in every cycle.
    pub decompressors: usize,
    /// Tags for each line's worth of data.
    pub tag_factor: usize,
    /// Data is given out in these.
    pub sub_block_bytes: usize,
}

impl L2Scheme {
    /// Finds the first impossible value.
    pub(crate) fn check(&self) -> Result<(), Impossible> {
        let is_share = self.sub_block_bytes > 0 && BLOCK_BYTES.is_multiple_of(self.sub_block_bytes);
        let rules = [
            ("tag_factor", self.tag_factor, (1..=16).contains(&self.tag_factor), "1 to 16"),
            ("sub_block_bytes", self.sub_block_bytes, is_share, "a divisor of 128"),
        ];
        match rules.into_iter().find(|(_, _, holds, _)| !holds) {
            None => Ok(()),
            Some((key, value, _, help)) => Err(Impossible {
                key: format!("l2.{key}"),
                message: format!("is {value}"),
                help: help.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::load_scheme;

    #[test]
    fn impossible_values_are_refused_with_the_way_out() {
        for (change, help) in [
            ("l2.codec=bdj", "did you mean \"bdi\"?"),
            ("l2.tag_factor=0", "1 to 16"),
            ("l2.sub_block_bytes=48", "a divisor of 128"),
        ] {
            let error = load_scheme("bdi-l2", &[change.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(help), "{change}: {error}");
        }
    }
}
