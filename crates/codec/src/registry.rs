//! Every codec by name: the one list that commands, the simulator and the reports read.
//!
//! A codec is named by a *spec*: its name and, after colons, parameters: `bpc`, `dsm:element=8`,
//! `e2mc16:ways=4:mfv=2048`. A new codec is one file and one line of [`ENTRIES`].

use shrinkwarp_suggestion::suggestion;

use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
pub use crate::codecs::ENTRIES;
use crate::error::{SpecError, TableError};

/// The key of the parameter for parallel decoding ways.
const WAYS: &str = "ways";

/// One parameter that a codec accepts: its key, the values allowed (the first is the default) and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The word before `=`.
    pub key: &'static str,
    /// The values allowed; the first is the default.
    pub allowed: &'static [u32],
    /// What it sets, in a few words.
    pub meaning: &'static str,
}

/// The values of a codec's parameters, in the order of its [`Entry::params`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// The block size.
    pub block: BlockBytes,
    /// One value for each parameter.
    pub values: Vec<u32>,
}

/// How a codec is made.
#[derive(Clone, Copy)]
pub enum Make {
    /// From its parameters alone.
    Plain(fn(&Params) -> Box<dyn BlockCodec>),
    /// From a sample, or from tables kept from an earlier training.
    Trained {
        /// Starts training.
        trainer: fn(&Params) -> Box<dyn Trainer>,
        /// Loads tables that [`BlockCodec::tables`] gave.
        load: fn(&Params, &[u8]) -> Loaded,
    },
}

/// A codec from its tables, or what is wrong with them.
pub type Loaded = Result<Box<dyn BlockCodec>, TableError>;

/// A codec of the library.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name in every command and report.
    pub name: &'static str,
    /// What it does, in one line, with its source.
    pub summary: &'static str,
    /// The block sizes its format allows.
    pub blocks: &'static [BlockBytes],
    /// The parameters it accepts.
    pub params: &'static [Param],
    /// How it is made.
    pub make: Make,
}

/// For codecs whose format has every block size.
pub const ANY_BLOCK: &[BlockBytes] = &BlockBytes::ALL;

/// A codec chosen by name with its parameters settled: ready to build or train.
#[derive(Clone)]
pub struct CodecSpec {
    /// The codec.
    pub entry: &'static Entry,
    /// Its parameters.
    pub params: Params,
}

impl CodecSpec {
    /// Reads `name[:key=value]…` for a block size.
    pub fn parse(text: &str, block: BlockBytes) -> Result<Self, SpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().trim();
        let entry = find(name)?;
        if !entry.blocks.contains(&block) {
            let allowed = join(entry.blocks.iter().map(|size| size.bytes()));
            return Err(SpecError(format!("codec {name} has no blocks of {block} (allowed: {allowed})")));
        }
        let mut values: Vec<u32> = entry.params.iter().map(|param| param.allowed[0]).collect();
        for part in parts {
            let (index, value) = parse_param(entry, part)?;
            values[index] = value;
        }
        Ok(Self { entry, params: Params { block, values } })
    }

    /// The spec as text, defaults left out. Parsing it gives the same spec.
    pub fn text(&self) -> String {
        let mut text = self.entry.name.to_owned();
        for (param, value) in self.entry.params.iter().zip(&self.params.values) {
            if *value != param.allowed[0] {
                text += &format!(":{}={value}", param.key);
            }
        }
        text
    }

    /// What the codec's tables are kept under: its code. The number of decoding ways only says how the bits of one code
    /// are dealt to streams, so all of them share tables.
    pub fn table_name(&self) -> String {
        let mut code = self.clone();
        for (param, value) in self.entry.params.iter().zip(&mut code.params.values) {
            if param.key == WAYS {
                *value = param.allowed[0];
            }
        }
        code.text()
    }

    /// Whether the codec must see a sample first.
    pub fn is_trained(&self) -> bool {
        matches!(self.entry.make, Make::Trained { .. })
    }

    /// The codec, trained on whole blocks of `sample` if it is a trained one.
    pub fn build(&self, sample: &[u8]) -> Box<dyn BlockCodec> {
        let mut trainer = self.trainer();
        trainer.observe(sample);
        trainer.finish()
    }

    /// The codec from tables kept earlier.
    pub fn load(&self, tables: &[u8]) -> Result<Box<dyn BlockCodec>, SpecError> {
        match self.entry.make {
            Make::Plain(make) if tables.is_empty() => Ok(make(&self.params)),
            Make::Plain(_) => Err(SpecError(format!("codec {} takes no tables", self.entry.name))),
            Make::Trained { load, .. } => Ok(load(&self.params, tables)?),
        }
    }

    /// A trainer; for a codec without training, one that ignores its sample.
    pub fn trainer(&self) -> Box<dyn Trainer> {
        match self.entry.make {
            Make::Plain(make) => Box::new(Untrained(make(&self.params))),
            Make::Trained { trainer, .. } => trainer(&self.params),
        }
    }
}

/// Parses a spec and builds the codec in one go.
pub fn build(spec: &str, block: BlockBytes, sample: &[u8]) -> Result<Box<dyn BlockCodec>, SpecError> {
    Ok(CodecSpec::parse(spec, block)?.build(sample))
}

/// The entry with this name; the error suggests the nearest one.
pub fn find(name: &str) -> Result<&'static Entry, SpecError> {
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) {
        return Ok(entry);
    }
    let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    Err(SpecError(format!("unknown codec {name:?}; {}", suggestion(name, &known))))
}

struct Untrained(Box<dyn BlockCodec>);

impl Trainer for Untrained {
    fn observe(&mut self, _blocks: &[u8]) {}

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        self.0
    }
}

fn parse_param(entry: &Entry, part: &str) -> Result<(usize, u32), SpecError> {
    let name = entry.name;
    let (key, value) = part.split_once('=').unwrap_or((part, ""));
    let Some(index) = entry.params.iter().position(|param| param.key == key) else {
        let known = join(entry.params.iter().map(|param| param.key));
        let known = if known.is_empty() { "none".to_owned() } else { known };
        return Err(SpecError(format!("codec {name} has no parameter {key:?} (known: {known})")));
    };
    let param = &entry.params[index];
    match value.parse() {
        Ok(number) if param.allowed.contains(&number) => Ok((index, number)),
        _ => {
            let allowed = join(param.allowed);
            Err(SpecError(format!("codec {name}: {key}={value} is not allowed (allowed: {allowed})")))
        }
    }
}

fn join<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let error = find("zeor").err().unwrap().to_string();
        assert!(error.contains("did you mean \"zero\"?"), "{error}");
    }

    #[test]
    fn the_decoding_ways_of_a_code_share_its_tables() {
        let spec = |text: &str| CodecSpec::parse(text, BlockBytes::B128).unwrap();
        assert_eq!(spec("e2mc16:ways=4:mfv=2048").table_name(), spec("e2mc16:mfv=2048").text());
        let sample = [1, 2, 3, 4].repeat(256);
        let tables = spec("e2mc16").build(&sample).tables();
        for ways in ["", ":ways=2", ":ways=4"] {
            let ours = spec(&format!("e2mc16{ways}"));
            assert_eq!(
                (ours.table_name(), ours.build(&sample).tables()),
                ("e2mc16".to_owned(), tables.clone())
            );
            assert!(ours.load(&tables).is_ok());
        }
    }

    #[test]
    fn every_spec_text_parses_back() {
        for entry in ENTRIES {
            for &block in entry.blocks {
                let spec = CodecSpec::parse(entry.name, block).unwrap();
                assert_eq!(spec.text(), entry.name);
            }
        }
    }
}
