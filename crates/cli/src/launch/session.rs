//! Runs a launch file on a device: module, buffers, launches, results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::fault::FaultKind;
use shrinkwarp_emu::kernel::Module;
use shrinkwarp_emu::launch::{Dim3, Launch};
use toml::Spanned;

use super::arguments;
use super::initial::HostBuffer;
use super::mistake::Mistake;
use super::results::{Finding, ResultError, conclude};
use super::source::SourceFile;
use super::spec::{BufferSpec, LaunchFile, LaunchSpec};
use crate::failure::Failure;
use crate::files::parent_of;
use shrinkwarp_lab::suggestion::suggestion;

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
        let buffers = self.make_buffers(device)?;
        self.check_results()?;
        // Every launch is checked before the first one runs.
        let mut prepared = Vec::new();
        for spec in &self.file.launches {
            prepared.push((spec, self.launch(spec, &module, &buffers)?));
        }
        let mut outcome = Outcome::default();
        for _ in 0..self.file.repeat {
            for (spec, (kernel, launch)) in &prepared {
                for _ in 0..spec.repeat {
                    let report =
                        device.launch(kernel, launch).map_err(|error| self.failed(spec, &error, &buffers))?;
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

    /// Finds what is wrong with the results before anything runs.
    fn check_results(&self) -> Result<(), Failure> {
        let known: Vec<&str> =
            self.file.buffers.iter().map(|buffer| buffer.name.get_ref().as_str()).collect();
        for spec in &self.file.results {
            let name = spec.buffer.get_ref();
            if !known.contains(&name.as_str()) {
                let mistake = Mistake::new(spec.buffer.span(), format!("there is no buffer {name:?}"));
                return Err(self.wrong(mistake.with_help(suggestion(name, &known))));
            }
            let expected = spec.expect.as_ref().filter(|path| !self.folder.join(path.get_ref()).is_file());
            if let Some(path) = expected {
                let message = format!("{}: there is no such file", path.get_ref().display());
                return Err(self.wrong(Mistake::new(path.span(), message)));
            }
            let Some(written) = &spec.write else { continue };
            let folder = self.folder.join(written.get_ref());
            if !parent_of(&folder).is_dir() {
                let message = format!("there is no folder {}", parent_of(&folder).display());
                return Err(self.wrong(Mistake::new(written.span(), message)));
            }
        }
        Ok(())
    }

    fn make_buffers(&self, device: &mut dyn Device) -> Result<Vec<(HostBuffer, u64)>, Failure> {
        if let Some(entries) = self.file.region_entries {
            device.set_region_entries(entries);
        }
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
            let address = self.allocate(device, spec, &host)?;
            device.copy_in(address, &host.bytes).map_err(describe)?;
            buffers.push((host, address));
        }
        Ok(buffers)
    }

    fn allocate(
        &self,
        device: &mut dyn Device,
        spec: &BufferSpec,
        host: &HostBuffer,
    ) -> Result<u64, Failure> {
        let bytes = host.bytes.len() as u64;
        let name = spec.name.get_ref();
        let (span, result) = match &spec.approximate_bits {
            None => (spec.name.span(), device.alloc(bytes)),
            Some(bits) => {
                let Some(format) = host.dtype.float_format() else {
                    let message =
                        format!("buffer {name:?} holds {}; only floats are approximated", host.dtype);
                    let mistake = Mistake::new(bits.span(), message);
                    return Err(self.wrong(mistake.with_help("leave approximate_bits out")));
                };
                (bits.span(), device.alloc_approximable(bytes, format, *bits.get_ref()))
            }
        };
        result.map_err(|error| self.wrong(Mistake::new(span, format!("buffer {name:?}: {error}"))))
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
                .with_help(suggestion(name, &known));
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

fn extents(given: &Spanned<Vec<u32>>) -> Result<Dim3, Mistake> {
    match given.get_ref().as_slice() {
        [x] => Ok([*x, 1, 1]),
        [x, y] => Ok([*x, *y, 1]),
        [x, y, z] => Ok([*x, *y, *z]),
        other => Err(Mistake::new(given.span(), format!("one to three extents, not {}", other.len()))),
    }
}
