//! `shrinkwarp encode`: a file into a container.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use shrinkwarp_analyze::TrainingShare;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BlockBytes, BlockCodec};
use shrinkwarp_formats::container::Writer;

use crate::arguments::{parse_block, parse_codec};
use crate::failure::Failure;
use crate::files::{self, Output, STANDARD};
use crate::progress::Progress;

/// The extension of containers.
pub const EXTENSION: &str = "swz";

const TRAINING_CHUNK_BYTES: usize = 4 << 20;

/// Encode a file with a codec into a container that `decode` reads back
#[derive(Args, Debug)]
pub struct Encode {
    /// The file to encode, or - for standard input
    input: PathBuf,
    /// The codec, with its parameters if any (see `shrinkwarp list codecs`)
    #[arg(long, value_name = "CODEC")]
    codec: String,
    /// Block size in bytes: 32, 64 or 128
    #[arg(long, default_value = "128", value_parser = parse_block)]
    block: BlockBytes,
    /// Part of the input on which a trained codec is trained: `all`, or a share from its start such as 10%
    #[arg(long, default_value = "all", value_name = "all|N%")]
    train: TrainingShare,
    /// File to write, or - for standard output [default: INPUT.swz]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing output file
    #[arg(long)]
    force: bool,
}

impl Encode {
    pub fn run(&self) -> Result<(), Failure> {
        let spec = parse_codec(&self.codec, self.block)?;
        let mut out = Output::create(&self.output_path(), self.force)?;
        let read_failure = |error: std::io::Error| Failure::file(&self.input, error);
        let mut input = files::open_rereadable(&self.input).map_err(read_failure)?;
        let len = input.metadata().map_err(read_failure)?.len();
        let codec =
            train(&spec, &mut input, self.train.bytes_of(len, self.block.bytes())).map_err(read_failure)?;
        let progress = Progress::bytes(len, "encoding");
        let mut buffered = BufWriter::new(&mut out);
        let encoded = Writer { spec: &spec, codec: &*codec }
            .encode(&mut input, &mut buffered, &|bytes| progress.advance(bytes))
            .and_then(|_| buffered.flush());
        drop(buffered);
        encoded.map_err(|error| out.failure(&error))?;
        out.finish()
    }

    fn output_path(&self) -> PathBuf {
        match &self.output {
            Some(path) => path.clone(),
            None if self.input == Path::new(STANDARD) => PathBuf::from(STANDARD),
            None => {
                let mut name = self.input.clone().into_os_string();
                name.push(".");
                name.push(EXTENSION);
                PathBuf::from(name)
            }
        }
    }
}

/// Builds the codec, from the first `sample_bytes` of the input if it is a trained one; then rewinds.
fn train(spec: &CodecSpec, input: &mut File, sample_bytes: u64) -> std::io::Result<Box<dyn BlockCodec>> {
    let mut trainer = spec.trainer();
    if spec.is_trained() {
        let mut sample = (&mut *input).take(sample_bytes);
        let mut chunk = Vec::with_capacity(TRAINING_CHUNK_BYTES);
        loop {
            chunk.clear();
            (&mut sample).take(TRAINING_CHUNK_BYTES as u64).read_to_end(&mut chunk)?;
            if chunk.is_empty() {
                break;
            }
            trainer.observe(&chunk);
        }
        input.rewind()?;
    }
    Ok(trainer.finish())
}
