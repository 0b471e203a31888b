//! Tables of trained codecs, made by a profiling run.

mod maker;

pub use maker::TableMaker;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_machine::tables;
use shrinkwarp_sim::scheme::Tables;

use crate::LabError;
use crate::profile::Profile;
use crate::run::Run;

/// The tables of some codecs, trained on what a profiling run moved.
pub fn train(profile: &Profile, codecs: &[String]) -> Result<Tables, LabError> {
    let train_one = |codec: &String| {
        let spec = CodecSpec::parse(codec, BlockBytes::B128)
            .map_err(|error| LabError::Usage(format!("codec {codec:?}: {error}")))?;
        Ok((spec.table_name(), spec.build(profile.bytes()).tables()))
    };
    codecs.iter().map(train_one).collect()
}

/// The text of a file with the tables that a run's profile gave.
pub fn file_text(run: &Run, tables: &Tables) -> Result<String, LabError> {
    let made_from = format!("{}, on {}", run.subject.description(), run.gpu.name);
    Ok(tables::file_text(made_from, tables)?)
}

#[cfg(test)]
mod tests {
    use shrinkwarp_workloads::Scale;

    use super::*;
    use crate::run::RunSpec;

    #[test]
    fn a_file_says_what_was_profiled() {
        let run = RunSpec::new("histogram", Scale::Tiny).resolve().unwrap();
        let tables = train(&Profile::of(&run).unwrap(), &["sc".to_owned()]).unwrap();
        let text = file_text(&run, &tables).unwrap();
        assert!(text.contains("histogram at tiny scale, data set "), "{text}");
        assert!(text.contains(", seed 1, on gtx480"), "{text}");
    }
}
