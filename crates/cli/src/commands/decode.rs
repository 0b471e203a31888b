//! `shrinkwarp decode`: a container back into the file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use shrinkwarp_formats::container::{ContainerError, Reader};

use super::encode::EXTENSION;
use crate::failure::Failure;
use crate::files::{Output, STANDARD};
use crate::progress::Progress;

/// Decode a container that `encode` wrote
#[derive(Args, Debug)]
pub struct Decode {
    /// The container, or - for standard input
    input: PathBuf,
    /// Fail unless the container has this codec
    #[arg(long, value_name = "CODEC")]
    codec: Option<String>,
    /// File to write, or - for standard output [default: INPUT without .swz]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing output file
    #[arg(long)]
    force: bool,
}

impl Decode {
    pub fn run(&self) -> Result<(), Failure> {
        let path = self.output_path()?;
        let reader = Reader::open(BufReader::new(self.open()?)).map_err(|error| self.failure(&error))?;
        self.check_codec(&reader.spec().text())?;
        let mut out = Output::create(&path, self.force)?;
        let progress = Progress::unknown_length("decoding");
        let mut buffered = BufWriter::new(&mut out);
        let decoded = reader
            .decode(&mut buffered, &|bytes| progress.advance(bytes))
            .and_then(|_| Ok(buffered.flush()?));
        drop(buffered);
        match decoded {
            Ok(()) => out.finish(),
            Err(ContainerError::Io(error)) => Err(out.failure(&error)),
            Err(error) => Err(self.failure(&error)),
        }
    }

    fn open(&self) -> Result<Box<dyn Read>, Failure> {
        if self.input == Path::new(STANDARD) {
            return Ok(Box::new(io::stdin()));
        }
        let file = File::open(&self.input).map_err(|error| Failure::file(&self.input, error))?;
        Ok(Box::new(file))
    }

    fn output_path(&self) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.output {
            return Ok(path.clone());
        }
        if self.input == Path::new(STANDARD) {
            return Ok(PathBuf::from(STANDARD));
        }
        if self.input.extension().is_some_and(|extension| extension == EXTENSION) {
            return Ok(self.input.with_extension(""));
        }
        let name = self.input.display();
        Err(Failure::Usage(format!(
            "{name}: does not end in .{EXTENSION}; name the output with --output FILE"
        )))
    }

    fn check_codec(&self, found: &str) -> Result<(), Failure> {
        match &self.codec {
            Some(wanted) if wanted != found => Err(Failure::Work(format!(
                "{}: the container's codec is {found}, not {wanted}; leave --codec out to decode it anyway",
                self.input.display()
            ))),
            _ => Ok(()),
        }
    }

    fn failure(&self, error: &ContainerError) -> Failure {
        Failure::file(&self.input, error)
    }
}
