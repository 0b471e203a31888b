//! Is what a program computed right, or how wrong is it? The user's own command tells (`--check`), or a metric over a file
//! that the program writes (`--error-metric`), against the same file of the exact program.

use std::path::{Path, PathBuf};
use std::process::Command;

use shrinkwarp_formats::{Dtype, files};
use shrinkwarp_launchfile::HostBuffer;
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_workloads::Metric;

use super::process::{Ending, Limits, run};
use crate::LabError;

/// The largest file of results that is compared.
const MOST_BYTES: u64 = 1 << 30;

/// A metric over an output file.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputMetric {
    /// The metric.
    pub metric: Metric,
    /// The file, in the program's working folder.
    pub file: PathBuf,
    /// Its elements; without, an `.npy` file says them and any other file is text.
    pub dtype: Option<Dtype>,
}

impl OutputMetric {
    /// Reads `METRIC:FILE` or `METRIC:FILE:TYPE`.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        let wrong = |what: String| LabError::Usage(format!("--error-metric {text}: {what}"));
        let Some((name, rest)) = text.split_once(':') else {
            return Err(wrong("expected METRIC:FILE or METRIC:FILE:TYPE, as in nrmse:out.npy".to_owned()));
        };
        let known = Metric::ALL.map(Metric::name);
        let metric = Metric::from_name(name)
            .ok_or_else(|| wrong(format!("unknown metric {name:?}; {}", suggestion(name, &known))))?;
        let (file, dtype) = match rest.rsplit_once(':') {
            Some((file, name)) => {
                let dtype = name.parse().ok().filter(|_| HostBuffer::TYPES.contains(&name));
                let unknown = || {
                    wrong(format!("unknown element type {name:?}; {}", suggestion(name, HostBuffer::TYPES)))
                };
                (file, Some(dtype.ok_or_else(unknown)?))
            }
            None => (rest, None),
        };
        let file = PathBuf::from(file);
        if file.is_absolute() || file.as_os_str().is_empty() {
            return Err(wrong("the file must be relative: every run has a folder of its own".to_owned()));
        }
        Ok(Self { metric, file, dtype })
    }

    /// How the error is called among the numbers of a result.
    pub fn counter(&self) -> String {
        let prefix = shrinkwarp_machine::result::ERROR_PREFIX;
        format!("{prefix}{}.{}", self.file.display(), self.metric.name())
    }

    /// The numbers that a run left in its folder.
    pub fn values(&self, folder: &Path) -> Result<Vec<f64>, LabError> {
        let path = folder.join(&self.file);
        let failed = |error: &dyn std::fmt::Display| {
            LabError::Work(format!("--error-metric: {}: {error}", self.file.display()))
        };
        let is_npy = path.extension().is_some_and(|extension| extension == "npy");
        if is_npy {
            let message = |error: String| failed(&error.replace(&format!("{}: ", path.display()), ""));
            return HostBuffer::from_npy(&path, self.dtype, MOST_BYTES)
                .and_then(|read| read.values())
                .map_err(message);
        }
        let bytes = files::read_bounded(&path, MOST_BYTES).map_err(|error| failed(&error))?;
        match self.dtype {
            Some(dtype) => {
                let shape = vec![bytes.len() as u64 / dtype.bytes()];
                HostBuffer { dtype, shape, bytes }.values().map_err(|error| failed(&error))
            }
            None => text_numbers(&bytes).ok_or_else(|| {
                failed(&"has no numbers; is it binary? Give its element type, as in nrmse:out.bin:f32")
            }),
        }
    }
}

/// Every word of a text that is a number; commas and semicolons divide words, too. `None` where there is none.
fn text_numbers(bytes: &[u8]) -> Option<Vec<f64>> {
    let text = String::from_utf8_lossy(bytes);
    let words = text.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';'));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    (!numbers.is_empty()).then_some(numbers)
}

/// Asks the user's command, which is run by the shell in the program's folder: exit code 0 is right. A last line that is a
/// number is the error that it measured.
pub fn check(command: &str, folder: &Path, limits: Limits<'_>) -> Result<Option<f64>, LabError> {
    let (ending, output) = run(Command::new("/bin/sh").args(["-c", command]).current_dir(folder), limits)
        .map_err(|error| LabError::Work(format!("--check: {error}")))?;
    let said = excerpt(&output);
    match ending {
        Ending::Exited(status) if status.success() => {
            Ok(output.lines().next_back().and_then(|line| line.trim().parse().ok()))
        }
        Ending::Exited(status) => {
            Err(LabError::Work(format!("the check {command:?} says no ({status}){said}")))
        }
        Ending::TimedOut => Err(LabError::Work(format!("the check {command:?} did not end in time{said}"))),
        Ending::Interrupted => Err(LabError::Work("interrupted".to_owned())),
    }
}

/// The last lines of an output, for a message.
pub fn excerpt(output: &str) -> String {
    const LINES: usize = 6;
    const LETTERS: usize = 200;
    let lines: Vec<&str> = output.trim_end().lines().collect();
    if lines.is_empty() {
        return String::new();
    }
    let shown = lines.iter().skip(lines.len().saturating_sub(LINES));
    let shown: String =
        shown.map(|line| format!("\n  {}", line.chars().take(LETTERS).collect::<String>())).collect();
    format!("; its output ends with{shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_names_its_file_and_type() {
        let metric = OutputMetric::parse("nrmse:results/out.bin:f32").unwrap();
        assert_eq!((metric.file.to_str(), metric.dtype), (Some("results/out.bin"), Some(Dtype::F32)));
        assert_eq!(metric.counter(), "error.results/out.bin.nrmse");
        for (text, part) in [
            ("nrms:out.txt", "did you mean \"nrmse\"?"),
            ("nrmse", "expected METRIC:FILE"),
            ("nrmse:out.bin:f33", "unknown element type \"f33\""),
            ("nrmse:/tmp/out.txt", "must be relative"),
        ] {
            let message = OutputMetric::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn numbers_are_read_from_text_and_from_raw_bytes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("out.txt"), "sum: 1.5, 2e3;\n-4 done\n").unwrap();
        let bytes: Vec<u8> = [1.0f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(folder.path().join("out.bin"), bytes).unwrap();
        std::fs::write(folder.path().join("words.txt"), "nothing here\n").unwrap();
        let values = |text: &str| OutputMetric::parse(text).unwrap().values(folder.path());
        assert_eq!(values("nrmse:out.txt").unwrap(), [1.5, 2e3, -4.0]);
        assert_eq!(values("nrmse:out.bin:f32").unwrap(), [1.0, -2.0]);
        assert!(values("nrmse:words.txt").unwrap_err().to_string().contains("has no numbers"));
        assert!(values("nrmse:missing.txt").unwrap_err().to_string().contains("--error-metric: missing.txt"));
    }

    /// A NumPy file of one dimension.
    fn npy(element: &str, count: usize, data: &[u8]) -> Vec<u8> {
        let mut header = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({count},), }}");
        header += &" ".repeat(63 - (10 + header.len()) % 64);
        header.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn a_numpy_file_says_its_own_type() {
        let folder = tempfile::tempdir().unwrap();
        let doubles: Vec<u8> = [1.5f64, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let integers: Vec<u8> = [7i16, -8, 9].iter().flat_map(|value| value.to_le_bytes()).collect();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        write("doubles.npy", &npy("<f8", 2, &doubles));
        write("integers.npy", &npy("<i2", 3, &integers));
        write("short.npy", &npy("<f8", 3, &doubles));
        let values = |text: &str| OutputMetric::parse(text).unwrap().values(folder.path());
        assert_eq!(values("nrmse:doubles.npy").unwrap(), [1.5, -2.0]);
        assert_eq!(values("mean-relative:integers.npy").unwrap(), [7.0, -8.0, 9.0]);
        let message = values("nrmse:short.npy").unwrap_err().to_string();
        assert!(message.starts_with("--error-metric: short.npy: "), "{message}");
    }

    #[test]
    fn a_check_says_no_with_its_output_and_may_tell_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("out.txt"), "1\n").unwrap();
        let check = |command: &str| check(command, folder.path(), Limits::default());
        assert_eq!(check("grep -q 1 out.txt").unwrap(), None);
        assert_eq!(check("echo error; echo 0.25").unwrap(), Some(0.25));
        let message = check("echo 2 | diff out.txt -").unwrap_err().to_string();
        assert!(message.contains("says no") && message.contains("> 2"), "{message}");
    }
}
