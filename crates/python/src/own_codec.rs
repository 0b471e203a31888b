//! A class of Python as a codec in a simulation: how many bits a block takes is asked of Python, block by block.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes, BlockCodec, DecodeError};
use shrinkwarp_sim::own_codec::{OwnCodec, OwnCodecs};
use shrinkwarp_sim::{CodecCosts, Cycles};

use crate::failure::usage;
use crate::watch::Watch;

/// The codecs that a scheme names `own:NAME`, for a run that `watch` ends when one of them raises.
pub fn own_codecs(
    given: &BTreeMap<String, Bound<'_, PyAny>>,
    watch: &Arc<Watch>,
    verifies: bool,
) -> PyResult<OwnCodecs> {
    if verifies && !given.is_empty() {
        let names: Vec<&str> = given.keys().map(String::as_str).collect();
        return Err(usage(format!(
            "verify: a codec of your own only gives sizes, so there is nothing to decompress (own codecs: {})",
            names.join(", ")
        )));
    }
    given.iter().map(|(name, object)| Ok((name.clone(), own_codec(object, watch)?))).collect()
}

fn own_codec(object: &Bound<'_, PyAny>, watch: &Arc<Watch>) -> PyResult<OwnCodec> {
    let cost = |name: &str| -> PyResult<u32> {
        match object.getattr_opt(name)? {
            Some(value) => value
                .extract()
                .map_err(|_| usage(format!("{name} of {object} must be a whole number from 0"))),
            None => Ok(0),
        }
    };
    let costs = CodecCosts {
        cycles: Cycles { compress: cost("compress_cycles")?, decompress: cost("decompress_cycles")? },
        compress_pj: cost("compress_pj")?,
        decompress_pj: cost("decompress_pj")?,
    };
    let size_bits = object.getattr("size_bits")?.unbind();
    Ok(OwnCodec { codec: Arc::new(PythonCodec { size_bits, watch: Arc::clone(watch) }), costs })
}

struct PythonCodec {
    size_bits: Py<PyAny>,
    watch: Arc<Watch>,
}

impl PythonCodec {
    fn ask(&self, block: &[u8]) -> PyResult<u32> {
        Python::attach(|py| {
            let size = self.size_bits.bind(py).call1((PyBytes::new(py, block),))?;
            size.extract().map_err(|_| {
                let shown = size.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
                usage(format!("size_bits returned {shown}; it must be a whole number of bits from 0"))
            })
        })
    }
}

impl BlockCodec for PythonCodec {
    fn block_bytes(&self) -> BlockBytes {
        BlockBytes::B128
    }

    fn size_bits(&self, block: &[u8]) -> u32 {
        let raw_bits = BlockBytes::B128.bits();
        // After an exception the simulation is about to end; its numbers are thrown away.
        if self.watch.is_interrupted() {
            return raw_bits;
        }
        self.ask(block).unwrap_or_else(|error| {
            self.watch.fail(error);
            raw_bits
        })
    }

    /// As many bits as the encoding would have. Only verification reads them, and that is refused.
    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        for _ in 0..self.size_bits(block) {
            out.put(0, 1);
        }
    }

    fn decompress(&self, _bits: &mut BitReader<'_>, _block: &mut [u8]) -> Result<(), DecodeError> {
        Err(DecodeError::Invalid { at_bit: 0, what: "a codec that only gives sizes" })
    }
}
