//! What a program's processes left behind.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use shrinkwarp_formats::files;

use crate::LabError;

/// What is wrong where a program left no result.
pub const NO_RUNTIME: &str = "the program did not load this CUDA runtime: link it with -cudart shared (ldd must show \
                              libcudart.so.11.0, .12 or .13)";
/// What there is to say where a program loaded the runtime and left no result.
pub const NO_CALLS: &str = "the program called no function of the CUDA runtime: nothing was simulated";
/// The largest result of a process.
const MOST_BYTES: u64 = 256 << 20;

/// The result of one process.
pub struct ProgramResult {
    /// Everything, as `run --json` has it.
    pub value: Value,
}

impl ProgramResult {
    /// The program and its arguments.
    pub fn program(&self) -> String {
        let words = self.value["program"].as_array().map(Vec::as_slice).unwrap_or_default();
        words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
    }

    /// What a person wants to know of it; what went wrong comes last.
    pub fn text(&self) -> String {
        self.summary() + &self.problems()
    }

    /// Launches that were refused or that a fault ended.
    pub fn failed_launches(&self) -> usize {
        self.reasons("refused_launches").len() + self.reasons("faulted_launches").len()
    }

    fn reasons(&self, key: &str) -> Vec<&str> {
        let reasons = self.value[key].as_array().map(Vec::as_slice).unwrap_or_default();
        reasons.iter().filter_map(Value::as_str).collect()
    }

    /// Which launches were refused or ended by a fault, and why.
    pub fn problems(&self) -> String {
        let mut text = String::new();
        for (key, what) in [("refused_launches", "refused"), ("faulted_launches", "ended by a fault")] {
            let reasons = self.reasons(key);
            let mut different: Vec<&str> = Vec::new();
            for reason in &reasons {
                if !different.contains(reason) {
                    different.push(reason);
                }
            }
            if !reasons.is_empty() {
                let _ = writeln!(text, "{} launches were {what}:", reasons.len());
            }
            for reason in different {
                let count = reasons.iter().filter(|known| *known == &reason).count();
                let _ = writeln!(text, "  {count} x {reason}");
            }
        }
        let count = |key: &str| self.value[key].as_u64().unwrap_or(0);
        if count("spilled_launches") > 0 {
            let launches = count("spilled_launches");
            let _ = writeln!(
                text,
                "{launches} launches have fewer registers per thread than they need: the rest would be in local memory"
            );
        }
        if count("stray_reads") > 0 {
            let _ = writeln!(
                text,
                "{} reads reached no memory and gave zeros; --stray-reads fault shows where",
                count("stray_reads")
            );
        }
        if count("stray_writes") > 0 {
            let _ = writeln!(
                text,
                "{} writes reached no memory and were dropped; --stray-writes fault shows where",
                count("stray_writes")
            );
        }
        text += self.stray_hint();
        text
    }

    /// How to go on where a kernel left its buffers.
    fn stray_hint(&self) -> &'static str {
        let faults = self.reasons("faulted_launches");
        let has = |access: &str| faults.iter().any(|fault| fault.contains(access));
        match (has(": read of "), has(": write of ")) {
            (true, _) => "exec --stray-reads zero goes on with zeros\n",
            (_, true) => "exec --stray-writes drop goes on without such writes\n",
            _ => "",
        }
    }

    fn summary(&self) -> String {
        if let Some(summary) = self.value["summary"].as_str() {
            return summary.to_owned();
        }
        let mut kernels: Vec<(&str, u64, u64)> = Vec::new();
        for launch in self.launches() {
            let name = launch["kernel"].as_str().unwrap_or_default();
            let instructions = launch["thread_instructions"].as_u64().unwrap_or(0);
            match kernels.iter_mut().find(|(known, ..)| *known == name) {
                Some((_, launches, total)) => {
                    *launches += 1;
                    *total += instructions;
                }
                None => kernels.push((name, 1, instructions)),
            }
        }
        let line = |(name, launches, instructions): (&str, u64, u64)| {
            let launches = if launches == 1 { String::new() } else { format!("{launches} launches, ") };
            format!("{name}: {launches}{instructions} thread instructions\n")
        };
        kernels.into_iter().map(line).collect()
    }

    /// Its launches.
    pub fn launches(&self) -> &[Value] {
        self.value["launches"].as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

/// Reads every result in a folder, in the order of the processes' numbers.
pub fn read_results(folder: &Path) -> Result<Vec<ProgramResult>, LabError> {
    let describe = |error: &dyn std::fmt::Display| LabError::file(folder, error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| describe(&error))? {
        let path = entry.map_err(|error| describe(&error))?.path();
        // A process that was killed while writing leaves a temporary file of another name.
        let Some(process) = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u32>().ok()) else {
            continue;
        };
        let text = files::read_text(&path, MOST_BYTES).map_err(|error| LabError::file(&path, error))?;
        let value = serde_json::from_str(&text).map_err(|error| LabError::file(&path, error))?;
        found.push((process, ProgramResult { value }));
    }
    found.sort_by_key(|(process, _)| *process);
    Ok(found.into_iter().map(|(_, result)| result).collect())
}
