//! The state behind the functions.
//!
//! | file          | question it answers                                                       |
//! |---------------|---------------------------------------------------------------------------|
//! | `registry`    | what did the program's start-up code register?                            |
//! | `array`       | what is a CUDA array?                                                     |
//! | `context`     | what does the program use of the device?                                  |
//! | `machine`     | which device is it, with time or without?                                 |
//! | `modules`     | which kernels and variables are loaded?                                   |
//! | `objects`     | how was a texture or surface object described?                            |
//! | `graph`       | what does a graph do when it is launched?                                 |
//! | `copy`        | how do bytes move between host and device?                                |
//! | `host_memory` | which memory do host and device share?                                    |
//! | `launch`      | how does a kernel run?                                                    |
//! | `children`    | how does what kernels launch run?                                         |
//! | `handles`     | how are streams and events named?                                         |
//!
//! The device is made at the first call that needs it, so that a program that only asks for its name starts at once.
//! Work is done at the call: a stream is always empty. What a kernel printed, and what went wrong in it, is
//! told at the next call that waits for the device, as on a real one.

mod array;
mod children;
mod context;
mod copy;
mod graph;
mod handles;
mod host_memory;
mod launch;
mod machine;
mod modules;
mod objects;
mod registry;

pub use array::{Array, ChannelDescriptor};
pub use context::Context;
pub use copy::{CopyKind, Span};
pub use graph::{Capture, Graph, HostFunction, Node, Work};
pub use host_memory::HostKind;
pub use launch::{Arguments, LaunchRequest, PreparedLaunch};
pub use machine::Machine;
pub use modules::LoadedKernel;
pub use objects::{DescribedObject, Resource, TextureDescriptor};
pub use registry::{ManagedSymbol, Registry, Symbol, TextureSymbol, VariableSymbol};

use crate::error::CudaError;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::version::RuntimeVersion;

/// Everything a process has of the runtime.
#[derive(Default)]
pub struct Runtime {
    /// What the program's start-up code registered.
    pub registry: Registry,
    device: DeviceState,
}

#[derive(Default)]
enum DeviceState {
    #[default]
    NotYet,
    Ready(Box<Context>),
    /// The settings are wrong; told once.
    Impossible,
}

impl Runtime {
    /// The device with every registered module, made when it is first needed. After a kernel has failed, every call
    /// fails like it.
    pub fn context(&mut self) -> Result<&mut Context, Failure> {
        let context = self.context_after_fault()?;
        match context.fault {
            Some(code) => Err(code.into()),
            None => Ok(context),
        }
    }

    /// The device, whatever has happened on it.
    pub fn context_after_fault(&mut self) -> Result<&mut Context, Failure> {
        if matches!(self.device, DeviceState::NotYet) {
            self.device = DeviceState::Impossible;
            let settings = Settings::read(|name| std::env::var(name).ok())
                .map_err(|message| Failure::new(CudaError::InitializationError, message))?;
            self.device = DeviceState::Ready(Box::new(Context::new(settings, RuntimeVersion::of_process())));
            crate::result::write_at_exit();
        }
        match &mut self.device {
            DeviceState::Ready(context) => {
                context.modules.load_new(&self.registry, &mut context.machine, &mut context.host_memory);
                Ok(context)
            }
            _ => Err(CudaError::InitializationError.into()),
        }
    }

    /// The device with the registry beside it.
    pub fn with_registry(&mut self) -> Result<(&mut Context, &Registry), Failure> {
        self.context()?;
        match &mut self.device {
            DeviceState::Ready(context) => Ok((context, &self.registry)),
            _ => Err(CudaError::InitializationError.into()),
        }
    }

    /// The device, if there is one.
    pub fn existing_context(&mut self) -> Option<&mut Context> {
        match &mut self.device {
            DeviceState::Ready(context) => Some(context),
            _ => None,
        }
    }
}
