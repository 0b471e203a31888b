//! Runs a launch file on a device: module, buffers, launches, results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::fault::FaultKind;
use shrinkwarp_emu::kernel::Module;
use shrinkwarp_emu::launch::Launch;

use super::initial::HostBuffer;
use super::mistake::{self, Mistake};
use super::prepare::{Prepared, prepare};
use super::results::{Finding, ResultError, conclude};
use super::source::SourceFile;
use super::spec::{LaunchFile, LaunchSpec};
use crate::failure::Failure;

/// A launch file that was read and is ready to run.
pub struct Session {
    file: LaunchFile,
    path: PathBuf,
    source: String,
    ptx: SourceFile,
    folder: PathBuf,
    max_instructions: Option<u64>,
}

/// What a session did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Kernel and report of every launch.
    pub launches: Vec<(String, Launch, LaunchReport)>,
    /// What was found out about the results.
    pub findings: Vec<Finding>,
}

impl Session {
    /// Reads a launch file and its PTX. `max_instructions` overrides the file's.
    pub fn open(path: &Path, max_instructions: Option<u64>) -> Result<Self, Failure> {
        let (file, source) = LaunchFile::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let ptx = SourceFile::read(&folder.join(file.module.get_ref()), "a PTX file").map_err(|failure| {
            Mistake::new(file.module.span(), failure.to_string()).into_failure(path, &source)
        })?;
        let max_instructions = max_instructions.or(file.max_instructions);
        Ok(Self { file, path: path.to_owned(), source, ptx, folder, max_instructions })
    }

    /// Does everything the file says, on the given device. `printed` gets the output of device-side `printf`.
    pub fn run(
        &self,
        device: &mut dyn Device,
        printed: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let module = self.load(device)?;
        let Prepared { buffers, launches } =
            prepare(&self.file, &self.folder, self.max_instructions, &module, device)
                .map_err(|mistakes| mistake::failure(mistakes, &self.path, &self.source))?;
        let mut outcome = Outcome::default();
        for _ in 0..self.file.repeat {
            for (spec, kernel, launch) in &launches {
                for _ in 0..spec.repeat {
                    let report = match device.launch(kernel, launch) {
                        Ok(report) => report,
                        Err(error) => {
                            if let DeviceError::Fault(fault) = &error {
                                printed(&fault.printed)?;
                            }
                            return Err(self.failed(spec, &error, &buffers));
                        }
                    };
                    printed(&report.output)?;
                    outcome.launches.push((kernel.name.clone(), launch.clone(), report));
                }
            }
        }
        self.conclude(device, &buffers, &mut outcome)?;
        Ok(outcome)
    }

    fn load(&self, device: &mut dyn Device) -> Result<Arc<Module>, Failure> {
        if let Err(found) = shrinkwarp_ptx::parse(&self.ptx.text) {
            return Err(self.ptx.refuse(&found, "the PTX has mistakes"));
        }
        device.load_module(&self.ptx.text).map_err(|error| match error {
            DeviceError::Load(errors) => {
                let found: Vec<_> = errors
                    .iter()
                    .map(|error| self.ptx.mistake_on_line(error.line, error.to_string()))
                    .collect();
                self.ptx.refuse(&found, "the PTX cannot be executed")
            }
            other => Failure::file(&self.ptx.path, other),
        })
    }

    fn conclude(
        &self,
        device: &mut dyn Device,
        buffers: &[(HostBuffer, u64)],
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        for spec in &self.file.results {
            let name = spec.buffer.get_ref();
            let position = self.file.buffers.iter().position(|buffer| buffer.name.get_ref() == name);
            let Some((host, address)) = position.and_then(|position| buffers.get(position)) else {
                return Err(
                    self.wrong(Mistake::new(spec.buffer.span(), format!("there is no buffer {name:?}")))
                );
            };
            let mut bytes = vec![0; host.bytes.len()];
            let copied = device.copy_out(*address, &mut bytes);
            copied.map_err(|error| Failure::Work(format!("buffer {name:?}: {error}")))?;
            let now = HostBuffer { dtype: host.dtype, shape: host.shape.clone(), bytes };
            let finding = conclude(spec, &now, &self.folder).map_err(|error| match error {
                ResultError::Mistake(mistake) => self.wrong(mistake),
                ResultError::Failure(failure) => failure,
            })?;
            outcome.findings.push(finding);
        }
        Ok(())
    }

    fn wrong(&self, mistake: Mistake) -> Failure {
        mistake.into_failure(&self.path, &self.source)
    }

    /// A launch that does not fit is the file's mistake; a fault is the kernel's.
    fn failed(&self, spec: &LaunchSpec, error: &DeviceError, buffers: &[(HostBuffer, u64)]) -> Failure {
        match error {
            DeviceError::Launch(message) => self.wrong(Mistake::new(spec.kernel.span(), message)),
            DeviceError::Fault(fault) if fault.line > 0 => {
                let mut mistake = self.ptx.mistake_on_line(fault.line, fault.to_string());
                mistake.hint = match fault.kind {
                    FaultKind::Memory(_) => Some(self.places(buffers)),
                    FaultKind::TooManyInstructions { .. } => {
                        Some("--max-instructions N sets the limit".to_owned())
                    }
                    _ => None,
                };
                self.ptx.refuse(&[mistake], &format!("kernel {} was stopped", fault.kernel))
            }
            other => Failure::file(&self.ptx.path, other),
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
