//! Runs a launch file on a device: module, buffers, launches, results.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::fault::FaultKind;
use shrinkwarp_emu::kernel::Module;
use shrinkwarp_emu::launch::Launch;

use super::error::{LaunchError, ptx_mistakes};
use super::initial::HostBuffer;
use super::prepare::{Prepared, prepare_with};
use super::results::{Finding, ResultError, conclude};
use super::spec::{LaunchFile, LaunchSpec};
use shrinkwarp_formats::{Dtype, files};
use shrinkwarp_report::excerpt::Mistake;

/// Thread instructions after which a launch is stopped that names no limit: some minutes.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 20_000_000_000;

/// A launch file that was read and is ready to run.
#[derive(Debug)]
pub struct Session {
    file: LaunchFile,
    path: PathBuf,
    source: String,
    ptx_path: PathBuf,
    ptx: String,
    folder: PathBuf,
    max_instructions: u64,
}

/// What a session did.
#[derive(Debug, Default)]
pub struct SessionReport {
    /// Kernel and report of every launch.
    pub launches: Vec<(String, Launch, LaunchReport)>,
    /// What was found out about the results.
    pub findings: Vec<Finding>,
    /// The numbers of each result, where they were wanted.
    pub values: Vec<Vec<f64>>,
    /// Start, bytes and element type of each buffer on the device.
    pub buffers: Vec<(u64, u64, Dtype)>,
}

/// How a launch file is run.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// Whether results are written to their files.
    pub writes_files: bool,
    /// Approximated bits of the buffers that the file approximates, in place of the file's; 0 is exact.
    pub approximate_bits: Option<u32>,
    /// Whether the report has the numbers of the results.
    pub keeps_values: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self { writes_files: true, approximate_bits: None, keeps_values: false }
    }
}

impl Session {
    /// Reads a launch file and its PTX. `max_instructions` overrides the file's.
    pub fn open(path: &Path, max_instructions: Option<u64>) -> Result<Self, LaunchError> {
        let (file, source) = LaunchFile::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let ptx_path = folder.join(file.module.get_ref());
        let ptx = read_ptx(&ptx_path).map_err(|message| {
            LaunchError::in_launch_file(vec![Mistake::new(file.module.span(), message)], path, &source)
        })?;
        let max_instructions = max_instructions.or(file.max_instructions).unwrap_or(DEFAULT_MAX_INSTRUCTIONS);
        Ok(Self { file, path: path.to_owned(), source, ptx_path, ptx, folder, max_instructions })
    }

    /// The text of the launch file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text of its PTX.
    pub fn ptx(&self) -> &str {
        &self.ptx
    }

    /// The files that buffers begin with or are compared with.
    pub fn data_files(&self) -> Vec<PathBuf> {
        let buffers = self.file.buffers.iter().filter_map(|buffer| buffer.file.as_ref());
        let expected = self.file.results.iter().filter_map(|result| result.expect.as_ref());
        buffers.chain(expected).map(|path| self.folder.join(path.get_ref())).collect()
    }

    /// Whether some of its buffers are approximated.
    pub fn is_approximated(&self) -> bool {
        let bits = self.file.buffers.iter().filter_map(|buffer| buffer.approximate_bits.as_ref());
        { bits }.any(|bits| *bits.get_ref() > 0)
    }

    /// Does everything the file says, on the given device. `printed` gets the output of device-side `printf`.
    pub fn run(
        &self,
        device: &mut dyn Device,
        printed: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<SessionReport, LaunchError> {
        self.run_with(device, Choices::default(), printed)
    }

    /// The same in another way.
    pub fn run_with(
        &self,
        device: &mut dyn Device,
        choices: Choices,
        printed: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<SessionReport, LaunchError> {
        let module = self.load(device)?;
        let most = Some(self.max_instructions);
        let Prepared { buffers, launches } =
            prepare_with(&self.file, &self.folder, most, &module, device, choices.approximate_bits)
                .map_err(|mistakes| LaunchError::in_launch_file(mistakes, &self.path, &self.source))?;
        let mut outcome = SessionReport::default();
        for _ in 0..*self.file.repeat.get_ref() {
            for (spec, kernel, launch) in &launches {
                for _ in 0..*spec.repeat.get_ref() {
                    let report = match device.launch(kernel, launch) {
                        Ok(report) => report,
                        Err(error) => {
                            if let DeviceError::Fault(fault) = &error {
                                printed(&fault.printed).map_err(LaunchError::Output)?;
                            }
                            return Err(self.failed(spec, &error, &buffers));
                        }
                    };
                    printed(&report.output).map_err(LaunchError::Output)?;
                    outcome.launches.push((kernel.name.clone(), launch.clone(), report));
                }
            }
        }
        let place = |(host, address): &(HostBuffer, u64)| (*address, host.bytes.len() as u64, host.dtype);
        outcome.buffers = buffers.iter().map(place).collect();
        self.conclude(device, choices, &buffers, &mut outcome)?;
        Ok(outcome)
    }

    fn load(&self, device: &mut dyn Device) -> Result<Arc<Module>, LaunchError> {
        if let Err(found) = shrinkwarp_ptx::parse(&self.ptx) {
            return Err(self.in_ptx("the PTX has mistakes", ptx_mistakes(&found)));
        }
        device.load_module(&self.ptx).map_err(|error| match error {
            DeviceError::Load(errors) => {
                let found: Vec<_> = errors
                    .iter()
                    .map(|error| Mistake::on_line(&self.ptx, error.line, error.to_string()))
                    .collect();
                self.in_ptx("the PTX cannot be executed", found)
            }
            other => LaunchError::file(&self.ptx_path, other),
        })
    }

    fn conclude(
        &self,
        device: &mut dyn Device,
        choices: Choices,
        buffers: &[(HostBuffer, u64)],
        outcome: &mut SessionReport,
    ) -> Result<(), LaunchError> {
        for spec in &self.file.results {
            let name = spec.buffer.get_ref();
            let position = self.file.buffers.iter().position(|buffer| buffer.name.get_ref() == name);
            let Some((host, address)) = position.and_then(|position| buffers.get(position)) else {
                return Err(self.wrong(Mistake::new(spec.buffer.span(), format!("unknown buffer {name:?}"))));
            };
            let mut bytes = vec![0; host.bytes.len()];
            let copied = device.copy_out(*address, &mut bytes);
            copied.map_err(|error| LaunchError::Work(format!("buffer {name:?}: {error}")))?;
            let now = HostBuffer { dtype: host.dtype, shape: host.shape.clone(), bytes };
            if choices.keeps_values {
                outcome.values.push(now.values().map_err(LaunchError::Work)?);
            }
            let finding =
                conclude(spec, &now, &self.folder, choices.writes_files).map_err(|error| match error {
                    ResultError::Mistake(mistake) => self.wrong(mistake),
                    ResultError::Write(error) => LaunchError::Work(error.to_string()),
                })?;
            outcome.findings.push(finding);
        }
        Ok(())
    }

    fn wrong(&self, mistake: Mistake) -> LaunchError {
        LaunchError::in_launch_file(vec![mistake], &self.path, &self.source)
    }

    fn in_ptx(&self, what: &str, found: Vec<Mistake>) -> LaunchError {
        let path = self.ptx_path.clone();
        let headline = format!("{}: {what}", path.display());
        LaunchError::Mistakes { headline, path, source: self.ptx.clone(), found }
    }

    /// A launch that does not fit is the file's mistake; a fault is the kernel's.
    fn failed(&self, spec: &LaunchSpec, error: &DeviceError, buffers: &[(HostBuffer, u64)]) -> LaunchError {
        match error {
            DeviceError::Launch(message) => self.wrong(Mistake::new(spec.kernel.span(), message)),
            DeviceError::Fault(fault) if fault.line > 0 => {
                let mut mistake = Mistake::on_line(&self.ptx, fault.line, fault.to_string());
                mistake.help = match fault.kind {
                    FaultKind::Memory(_) => Some(self.places(buffers)),
                    FaultKind::TooManyInstructions { .. } => {
                        Some("--max-instructions N sets the limit".to_owned())
                    }
                    _ => None,
                };
                self.in_ptx(&format!("kernel {} was stopped", fault.kernel), vec![mistake])
            }
            other => LaunchError::file(&self.ptx_path, other),
        }
    }

    /// Where the buffers lie.
    fn places(&self, buffers: &[(HostBuffer, u64)]) -> String {
        let ranges: Vec<String> = self
            .file
            .buffers
            .iter()
            .zip(buffers)
            .map(|(spec, (host, address))| {
                format!("{} [{address:#x}, {:#x})", spec.name.get_ref(), address + host.bytes.len() as u64)
            })
            .collect();
        format!("buffers: {}", ranges.join(", "))
    }
}

/// A PTX file, which must be text.
pub fn read_ptx(path: &Path) -> Result<String, String> {
    let bytes = files::read_bounded(path, files::MOST_TEXT_BYTES)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at_byte = error.utf8_error().valid_up_to();
        format!("{}: byte {at_byte} is not UTF-8 text; is this a PTX file?", path.display())
    })?;
    if text.trim().is_empty() {
        return Err(format!("{}: is empty; a PTX file begins with .version", path.display()));
    }
    Ok(text)
}
