//! Runs a launch file on a device: module, buffers, launches, results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::kernel::Module;
use shrinkwarp_emu::launch::{Dim3, Launch};
use toml::Spanned;

use super::arguments;
use super::initial::HostBuffer;
use super::mistake::Mistake;
use super::results::{Finding, ResultError, conclude};
use super::spec::{LaunchFile, LaunchSpec};
use crate::failure::Failure;
use crate::ptx::diagnostics;

/// A launch file that was read and is ready to run.
pub struct Session {
    file: LaunchFile,
    path: PathBuf,
    source: String,
    ptx: String,
    ptx_path: PathBuf,
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
        let ptx_path = folder.join(file.module.get_ref());
        let ptx = std::fs::read_to_string(&ptx_path).map_err(|error| {
            let message = format!("{}: {error}", ptx_path.display());
            Mistake::new(file.module.span(), message).into_failure(path, &source)
        })?;
        let max_instructions = max_instructions.or(file.max_instructions);
        Ok(Self { file, path: path.to_owned(), source, ptx, ptx_path, folder, max_instructions })
    }

    /// Does everything the file says, on the given device. `printed` gets the output of device-side `printf`.
    pub fn run(
        &self,
        device: &mut dyn Device,
        printed: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let module = self.load(device)?;
        let buffers = self.make_buffers(device)?;
        let mut outcome = Outcome::default();
        for spec in &self.file.launches {
            let (kernel, launch) = self.launch(spec, &module, &buffers)?;
            for _ in 0..spec.repeat {
                let report = device.launch(&kernel, &launch).map_err(|error| self.failed(spec, &error))?;
                printed(&report.output)?;
                outcome.launches.push((kernel.name.clone(), launch.clone(), report));
            }
        }
        self.conclude(device, &buffers, &mut outcome)?;
        Ok(outcome)
    }

    fn load(&self, device: &mut dyn Device) -> Result<Arc<Module>, Failure> {
        if let Err(found) = shrinkwarp_ptx::parse(&self.ptx) {
            diagnostics::print(&self.ptx_path, &self.ptx, &found);
            return Err(Failure::Work(format!("{}: the PTX has mistakes", self.ptx_path.display())));
        }
        device.load_module(&self.ptx).map_err(|error| {
            Failure::Work(format!("{}: the PTX cannot be executed\n{error}", self.ptx_path.display()))
        })
    }

    fn make_buffers(&self, device: &mut dyn Device) -> Result<Vec<(HostBuffer, u64)>, Failure> {
        let mut buffers = Vec::new();
        let mut names = Vec::new();
        for spec in &self.file.buffers {
            let name = spec.name.get_ref();
            if names.contains(&name) {
                return Err(
                    self.wrong(Mistake::new(spec.name.span(), format!("buffer {name:?} exists already")))
                );
            }
            names.push(name);
            let host = HostBuffer::new(spec, &self.folder).map_err(|mistake| self.wrong(mistake))?;
            let describe = |error: DeviceError| {
                self.wrong(Mistake::new(spec.name.span(), format!("buffer {name:?}: {error}")))
            };
            let address = device.alloc(host.bytes.len() as u64).map_err(describe)?;
            device.copy_in(address, &host.bytes).map_err(describe)?;
            buffers.push((host, address));
        }
        Ok(buffers)
    }

    fn launch(
        &self,
        spec: &LaunchSpec,
        module: &Module,
        buffers: &[(HostBuffer, u64)],
    ) -> Result<(Arc<shrinkwarp_emu::kernel::Kernel>, Launch), Failure> {
        let name = spec.kernel.get_ref();
        let Some(kernel) = module.kernels.get(name) else {
            let known: Vec<_> = module.kernels.keys().map(String::as_str).collect();
            let mistake = Mistake::new(spec.kernel.span(), format!("there is no kernel {name:?}"))
                .with_help(format!("the module has: {}", known.join(", ")));
            return Err(self.wrong(mistake));
        };
        let addresses: BTreeMap<&str, u64> = self
            .file
            .buffers
            .iter()
            .zip(buffers)
            .map(|(spec, &(_, address))| (spec.name.get_ref().as_str(), address))
            .collect();
        let parameters = arguments::pack(kernel, &spec.arguments, spec.kernel.span(), &addresses)
            .map_err(|mistake| self.wrong(mistake))?;
        let launch = Launch {
            grid: extents(&spec.grid).map_err(|mistake| self.wrong(mistake))?,
            block: extents(&spec.block).map_err(|mistake| self.wrong(mistake))?,
            dynamic_shared_bytes: spec.shared_bytes,
            parameters,
            max_thread_instructions: self.max_instructions,
        };
        Ok((Arc::clone(kernel), launch))
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
    fn failed(&self, spec: &LaunchSpec, error: &DeviceError) -> Failure {
        match error {
            DeviceError::Launch(message) => self.wrong(Mistake::new(spec.kernel.span(), message)),
            other => Failure::Work(format!("{}: {other}", self.ptx_path.display())),
        }
    }
}

fn extents(given: &Spanned<Vec<u32>>) -> Result<Dim3, Mistake> {
    match given.get_ref().as_slice() {
        [x] => Ok([*x, 1, 1]),
        [x, y] => Ok([*x, *y, 1]),
        [x, y, z] => Ok([*x, *y, *z]),
        other => Err(Mistake::new(given.span(), format!("one to three extents, not {}", other.len()))),
    }
}
