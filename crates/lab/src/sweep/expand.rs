//! Every combination of a sweep's values, without those that its filters leave out.

use toml::Table;

use super::file::{SweepFile, texts};
use crate::LabError;
use crate::run::{Run, RunSpec, Subject, SubjectSpec, parse_scale};
use crate::suite;
use shrinkwarp_report::suggestion::suggestion;

/// Axes that are not configuration keys.
const PLAIN_AXES: [&str; 6] = ["workload", "scale", "data", "seed", "gpu", "scheme"];

/// The most combinations of a sweep, before its filters.
const MOST_COMBINATIONS: u64 = if cfg!(shrinkwarp_fuzzing) { 10_000 } else { 10_000_000 };
/// The most runs of a sweep: each is checked before the first begins, and holds a whole configuration.
const MOST_RUNS: usize = if cfg!(shrinkwarp_fuzzing) { 20 } else { 100_000 };

/// An axis and its values.
type Axis = (String, Vec<String>);

/// Values of one combination, by axis.
type Combination = Vec<(String, String)>;

/// The runs of a sweep. Runs of one program are neighbours, so that they share a profile; every mistake is found here,
/// before anything runs.
pub fn expand(sweep: &SweepFile) -> Result<Vec<Run>, LabError> {
    let axes = axes(sweep)?;
    check_filters(sweep, &axes)?;
    let count = count(&axes)?;
    let wanted = || (0..count).map(|index| combination(&axes, index)).filter(|one| is_wanted(sweep, one));
    let left = wanted().count();
    if left > MOST_RUNS {
        let message = format!(
            "{left} runs; a sweep has at most {MOST_RUNS}: divide it, or leave some out with [[keep]]"
        );
        return Err(LabError::Usage(message));
    }
    let mut runs = Vec::new();
    let mut before: Option<(SubjectSpec, Subject)> = None;
    for combination in wanted() {
        let spec = spec(sweep, &combination)?;
        // Neighbours are of one program mostly: it is read once.
        let run = match &before {
            Some((asked, read)) if *asked == spec.subject && read.workload().is_none() => {
                spec.resolve_for(read.clone())
            }
            _ => spec.resolve(),
        };
        let run = run.map_err(|error| describe(&combination, error))?;
        before = Some((spec.subject, run.subject.clone()));
        runs.push(run);
    }
    if runs.is_empty() {
        let message = format!("[[keep]] and [[skip]] leave none of the combinations ({count}) to run");
        return Err(LabError::Usage(message));
    }
    Ok(runs)
}

/// The axes, the program's first and the scheme's keys last.
fn axes(sweep: &SweepFile) -> Result<Vec<Axis>, LabError> {
    let mut axes: Vec<Axis> = Vec::new();
    for (name, values) in &sweep.axes {
        if values.is_table() {
            let message = format!(
                "[axes]: {name} is a section; write its keys in quotes, as in \"l1.size_kib\" = [16, 48]"
            );
            return Err(LabError::Usage(message));
        }
        let mut values = texts(values);
        if name == "workload" {
            let subjects = suite::subjects(&values, &sweep.program)?;
            values = subjects.iter().map(|subject| subject.name().to_owned()).collect();
        }
        if values.is_empty() {
            return Err(LabError::Usage(format!("[axes]: {name} has no values")));
        }
        if !PLAIN_AXES.contains(&name.as_str()) && !name.contains('.') {
            let advice = suggestion(name, &PLAIN_AXES);
            let message = format!(
                "[axes]: unknown axis {name:?}; {advice}, or a configuration key such as \"l1.size_kib\""
            );
            return Err(LabError::Usage(message));
        }
        axes.push((name.clone(), values));
    }
    axes.sort_by_key(|(name, _)| rank(name));
    Ok(axes)
}

fn rank(name: &str) -> (usize, String) {
    let plain = ["workload", "scale", "data", "seed", "gpu"].iter().position(|known| known == &name);
    let rank = match plain {
        Some(index) => index,
        None if name == "scheme" => 6,
        None if name.starts_with("scheme.") => 7,
        None => 5,
    };
    (rank, name.to_owned())
}

/// How many combinations there are, if not too many.
fn count(axes: &[Axis]) -> Result<u64, LabError> {
    let count = axes.iter().try_fold(1u64, |count, (_, values)| count.checked_mul(values.len() as u64));
    count.filter(|count| *count <= MOST_COMBINATIONS).ok_or_else(|| {
        let sizes: Vec<String> =
            axes.iter().map(|(name, values)| format!("{name} {}", values.len())).collect();
        let message = format!(
            "[axes]: {} combinations; a sweep has at most {MOST_COMBINATIONS} ({})",
            count.map_or("more than 2^64".to_owned(), |count| count.to_string()),
            sizes.join(" x ")
        );
        LabError::Usage(message)
    })
}

/// The combination with this number; the last axis varies first.
fn combination(axes: &[Axis], index: u64) -> Combination {
    let mut rest = index;
    let mut values: Combination = axes
        .iter()
        .rev()
        .map(|(name, values)| {
            let value = &values[(rest % values.len() as u64) as usize];
            rest /= values.len() as u64;
            (name.clone(), value.clone())
        })
        .collect();
    values.reverse();
    values
}

fn check_filters(sweep: &SweepFile, axes: &[Axis]) -> Result<(), LabError> {
    let known: Vec<&str> = axes.iter().map(|(name, _)| name.as_str()).collect();
    for (section, filters) in [("keep", &sweep.keep), ("skip", &sweep.skip)] {
        for name in filters.iter().flat_map(|filter| filter.keys()) {
            if !known.contains(&name.as_str()) {
                let message = format!(
                    "[[{section}]]: {name} is not an axis of this sweep; {}",
                    suggestion(name, &known)
                );
                return Err(LabError::Usage(message));
            }
        }
    }
    Ok(())
}

fn is_wanted(sweep: &SweepFile, combination: &Combination) -> bool {
    let matches = |filter: &Table| {
        filter.iter().all(|(name, allowed)| {
            let value = combination.iter().find(|(axis, _)| axis == name).map(|(_, value)| value);
            value.is_some_and(|value| texts(allowed).contains(value))
        })
    };
    (sweep.keep.is_empty() || sweep.keep.iter().any(matches)) && !sweep.skip.iter().any(matches)
}

fn spec(sweep: &SweepFile, combination: &Combination) -> Result<RunSpec, LabError> {
    let shared = &sweep.run;
    let mut spec = RunSpec::new("", parse_scale(shared.scale.as_deref().unwrap_or("small"))?);
    let texts = [
        (&mut spec.gpu, &shared.gpu),
        (&mut spec.scheme, &shared.scheme),
        (&mut spec.energy, &shared.energy),
    ];
    for (field, text) in texts {
        if let Some(text) = text {
            field.clone_from(text);
        }
    }
    spec.seed = shared.seed.unwrap_or(spec.seed);
    spec.data.clone_from(&shared.data);
    spec.sample_cycles = shared.sample_cycles;
    spec.overrides.clone_from(&shared.set);
    for (axis, value) in combination {
        match axis.as_str() {
            "workload" => {
                // One name is one subject: groups are expanded already.
                let found = suite::subjects(&[value], &sweep.program)?.into_iter().next();
                spec.subject = found.unwrap_or_else(|| value.as_str().into());
            }
            "scheme" => spec.scheme.clone_from(value),
            "gpu" => spec.gpu.clone_from(value),
            "data" => spec.data = Some(value.clone()),
            "scale" => spec.scale = parse_scale(value)?,
            "seed" => spec.seed = parse_seed(value)?,
            key => spec.overrides.push(format!("{key}={value}")),
        }
    }
    Ok(spec)
}

fn parse_seed(text: &str) -> Result<u64, LabError> {
    text.parse().map_err(|_| LabError::Usage(format!("[axes]: seed {text} is not an integer from 0")))
}

/// Says which combination a mistake belongs to.
fn describe(combination: &Combination, error: LabError) -> LabError {
    let values: Vec<String> = combination.iter().map(|(axis, value)| format!("{axis} = {value}")).collect();
    match error {
        // A mistake in a file shows its own place.
        LabError::Config(error) if error.span.is_some() => LabError::Config(error),
        LabError::Work(message) => LabError::Work(message),
        error => LabError::Usage(format!("{error}\n  in the combination {}", values.join(", "))),
    }
}
