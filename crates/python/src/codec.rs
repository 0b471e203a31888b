//! The block codecs: sizes, encodings, training.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use serde_json::{Value, json};
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES, Make};
use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes, BlockCodec, Encodings};

use crate::arrays::SharedBytes;
use crate::failure::{usage, work};
use crate::watch::Watch;

/// What one task handles: a multiple of every block size, small enough to spread and to be interrupted.
const PIECE_BYTES: usize = 1 << 20;

/// A codec with its parameters and block size; a trained one has learnt or is yet to learn.
#[pyclass(frozen, module = "shrinkwarp._native")]
pub struct Codec {
    spec: CodecSpec,
    codec: Option<Arc<dyn BlockCodec>>,
}

#[pymethods]
impl Codec {
    /// Reads `name[:key=value]…`.
    #[new]
    fn new(spec: &str, block_bytes: usize) -> PyResult<Self> {
        let block = BlockBytes::from_bytes(block_bytes)
            .ok_or_else(|| usage(format!("blocks have 32, 64 or 128 bytes, not {block_bytes}")))?;
        let spec = CodecSpec::parse(spec, block).map_err(usage)?;
        let codec = (!spec.is_trained()).then(|| Arc::from(spec.build(&[])));
        Ok(Self { spec, codec })
    }

    /// The codec's name.
    #[getter]
    fn name(&self) -> &str {
        self.spec.entry.name
    }

    /// The name with the parameters that are not the default.
    #[getter]
    fn spec(&self) -> String {
        self.spec.text()
    }

    #[getter]
    fn summary(&self) -> &str {
        self.spec.entry.summary
    }

    #[getter]
    fn block_bytes(&self) -> usize {
        self.spec.params.block.bytes()
    }

    /// Whether the codec is of the kind that learns.
    #[getter]
    fn is_trained(&self) -> bool {
        self.spec.is_trained()
    }

    /// Whether it can be used.
    #[getter]
    fn is_ready(&self) -> bool {
        self.codec.is_some()
    }

    /// Parameters and their values.
    #[getter]
    fn parameters(&self) -> Vec<(&str, u32)> {
        let keys = self.spec.entry.params.iter().map(|param| param.key);
        keys.zip(self.spec.params.values.iter().copied()).collect()
    }

    /// The bits of each whole block.
    fn sizes<'py>(
        &self,
        py: Python<'py>,
        blocks: &Bound<'py, PyArray1<u8>>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (codec, bytes) = (self.ready()?, SharedBytes::of(blocks)?);
        let bytes = whole_blocks(bytes.as_ref(), self.block_bytes());
        let sizes = PyArray1::<u32>::zeros(py, bytes.len() / self.block_bytes(), false);
        {
            let mut writable = sizes.readwrite();
            let sizes = writable.as_slice_mut().map_err(work)?;
            if bytes.len() <= PIECE_BYTES {
                codec.sizes_bits(bytes, sizes);
            } else {
                let watch = Watch::default();
                watch.supervise(py, None, || sizes_of_pieces(&*codec, bytes, sizes, &watch))?;
            }
        }
        Ok(sizes)
    }

    /// The encodings of the whole blocks, one after the other, and the bits of each.
    fn compress<'py>(
        &self,
        py: Python<'py>,
        blocks: &Bound<'py, PyArray1<u8>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyArray1<u32>>)> {
        let (codec, bytes) = (self.ready()?, SharedBytes::of(blocks)?);
        let block_bytes = self.block_bytes();
        let bytes = whole_blocks(bytes.as_ref(), block_bytes);
        let watch = Watch::default();
        let (encoded, sizes) = watch.supervise(py, None, || {
            let mut sizes = vec![0; bytes.len() / block_bytes];
            let mut out = BitWriter::with_capacity(bytes.len());
            for (piece, sizes) in bytes.chunks(PIECE_BYTES).zip(sizes.chunks_mut(PIECE_BYTES / block_bytes)) {
                if watch.is_interrupted() {
                    break;
                }
                codec.compress_each(piece, &mut out, sizes);
            }
            (out.pad_to_bytes().to_vec(), sizes)
        })?;
        Ok((PyBytes::new(py, &encoded), PyArray1::from_vec(py, sizes)))
    }

    /// The blocks that these encodings hold.
    fn decompress<'py>(
        &self,
        py: Python<'py>,
        encoded: &[u8],
        sizes: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let codec = self.ready()?;
        let sizes = sizes.as_slice().map_err(usage)?;
        let encodings = Encodings::whole(encoded, sizes).map_err(usage)?;
        let block_bytes = self.block_bytes();
        let watch = Watch::default();
        let blocks = watch.supervise(py, None, || {
            let mut blocks = vec![0; sizes.len() * block_bytes];
            decompress_pieces(&*codec, encodings, sizes, &mut blocks, &watch).map(|()| blocks)
        })?;
        blocks.map(|blocks| PyArray1::from_vec(py, blocks)).map_err(work)
    }

    /// The codec after it has seen the whole blocks of these arrays.
    fn train(&self, py: Python<'_>, samples: Vec<Bound<'_, PyArray1<u8>>>) -> PyResult<Self> {
        let samples = samples.iter().map(SharedBytes::of).collect::<PyResult<Vec<_>>>()?;
        let watch = Watch::default();
        let codec = watch.supervise(py, None, || {
            let mut trainer = self.spec.trainer();
            for piece in samples.iter().flat_map(|bytes| bytes.as_ref().chunks(PIECE_BYTES)) {
                if watch.is_interrupted() {
                    break;
                }
                trainer.observe(whole_blocks(piece, self.block_bytes()));
            }
            trainer.finish()
        })?;
        Ok(Self { spec: self.spec.clone(), codec: Some(Arc::from(codec)) })
    }

    /// What the codec has learnt; empty for one that does not learn.
    fn tables(&self) -> PyResult<Vec<u8>> {
        Ok(self.ready()?.tables())
    }

    /// The codec with tables of an earlier training.
    fn load(&self, tables: &[u8]) -> PyResult<Self> {
        let codec = self.spec.load(tables).map_err(usage)?;
        Ok(Self { spec: self.spec.clone(), codec: Some(Arc::from(codec)) })
    }
}

impl Codec {
    fn ready(&self) -> PyResult<Arc<dyn BlockCodec>> {
        self.codec.clone().ok_or_else(|| {
            let name = self.spec.text();
            usage(format!("codec {name} must be trained first; call .train(array) or give tables"))
        })
    }
}

/// Every codec, as `shrinkwarp list codecs --json` has them.
#[pyfunction]
pub fn codec_list() -> String {
    let entry = |entry: &shrinkwarp_codec::registry::Entry| {
        let parameters: Vec<Value> = entry
            .params
            .iter()
            .map(|param| json!({"key": param.key, "allowed": param.allowed, "meaning": param.meaning}))
            .collect();
        json!({
            "name": entry.name,
            "summary": entry.summary,
            "block_bytes": entry.blocks.iter().map(|block| block.bytes()).collect::<Vec<_>>(),
            "trained": matches!(entry.make, Make::Trained { .. }),
            "parameters": parameters,
        })
    };
    Value::Array(ENTRIES.iter().map(entry).collect()).to_string()
}

fn sizes_of_pieces(codec: &dyn BlockCodec, bytes: &[u8], sizes: &mut [u32], watch: &Watch) {
    let blocks = PIECE_BYTES / codec.block_bytes().bytes();
    bytes.par_chunks(PIECE_BYTES).zip(sizes.par_chunks_mut(blocks)).for_each(|(piece, sizes)| {
        if !watch.is_interrupted() {
            codec.sizes_bits(piece, sizes);
        }
    });
}

fn decompress_pieces(
    codec: &dyn BlockCodec,
    mut encodings: Encodings<'_>,
    sizes: &[u32],
    blocks: &mut [u8],
    watch: &Watch,
) -> Result<(), String> {
    let block_bytes = codec.block_bytes().bytes();
    let piece_blocks = PIECE_BYTES / block_bytes;
    let mut first = 0;
    for (sizes, blocks) in sizes.chunks(piece_blocks).zip(blocks.chunks_mut(PIECE_BYTES)) {
        if watch.is_interrupted() {
            return Ok(());
        }
        let encodings: Vec<BitReader<'_>> = encodings.cut(sizes).collect();
        codec
            .decompress_each(&encodings, blocks)
            .map_err(|(index, error)| format!("block {}: {error}", first + index))?;
        first += sizes.len();
    }
    Ok(())
}

fn whole_blocks(bytes: &[u8], block_bytes: usize) -> &[u8] {
    &bytes[..bytes.len() / block_bytes * block_bytes]
}
