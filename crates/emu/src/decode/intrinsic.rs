//! Functions that every CUDA program may call without defining them: printf, malloc, free, assert, and those of the device
//! runtime (`libcudadevrt`), which launch kernels from kernels.
//!
//! CUDA 12 and later call the device runtime by names with `__cudaCDP2` in place of `cuda`, and `_ptsz` behind them where each
//! thread has a default stream of its own.

use shrinkwarp_ptx::ast::{Function, FunctionId, Instruction};

use super::Decoded;
use super::builder::Builder;
use crate::call::FrameSlot;
use crate::inst::{Flow, Inst};
use crate::op::{DeviceRuntime, Intrinsic, IntrinsicCall, Op, WideOp};

/// What the names of the device runtime begin with since CUDA 12.
const DEVICE_RUNTIME: &str = "__cudaCDP2";

/// Whether the device provides a function. NVIDIA's device runtime is linked into programs as PTX that calls the driver; ours
/// is taken in its place.
pub(crate) fn is_provided(function: &Function) -> bool {
    function.body.is_none() || function.name.starts_with(DEVICE_RUNTIME)
}

impl Builder<'_> {
    /// A call of a function that the device provides.
    pub(crate) fn intrinsic(
        &mut self,
        instruction: &Instruction,
        id: FunctionId,
        arguments: &[FrameSlot],
        returns: &[FrameSlot],
    ) -> Decoded {
        let name = self.module.functions[id.index()].name.as_str();
        let intrinsic = match name {
            "vprintf" => Intrinsic::Printf,
            "malloc" => Intrinsic::Malloc,
            "free" => Intrinsic::Free,
            "__assertfail" => Intrinsic::Assert,
            _ => Intrinsic::DeviceRuntime(device_runtime_function(name)?),
        };
        let wanted = match intrinsic {
            Intrinsic::Printf => 2,
            Intrinsic::Malloc | Intrinsic::Free => 1,
            Intrinsic::Assert => 4,
            Intrinsic::DeviceRuntime(function) => device_runtime_arguments(function),
        };
        if arguments.len() < wanted {
            return Err(format!("{name} needs {wanted} arguments"));
        }
        if matches!(intrinsic, Intrinsic::Malloc | Intrinsic::Free | Intrinsic::DeviceRuntime(_)) {
            self.kernel.uses_heap = true;
            self.kernel.needs_block_order = true;
        }
        self.kernel.uses_device_runtime |= matches!(intrinsic, Intrinsic::DeviceRuntime(_));
        let call =
            IntrinsicCall { intrinsic, arguments: arguments.to_vec(), returns: returns.first().copied() };
        self.kernel.wide.push(WideOp::Intrinsic(call));
        let op = Op::Wide(self.kernel.wide.len() as u32 - 1);
        Ok(Inst { flow: Flow::Next, ..Inst::blank(op, instruction.span.line) })
    }
}

/// The function of the device runtime with this name.
fn device_runtime_function(name: &str) -> Result<DeviceRuntime, String> {
    use DeviceRuntime as F;
    let Some(short) = name.strip_prefix(DEVICE_RUNTIME).or_else(|| name.strip_prefix("cuda")) else {
        return Err(format!("function {name} is declared but not defined"));
    };
    Ok(match short.strip_suffix("_ptsz").unwrap_or(short) {
        "GetParameterBuffer" => F::GetParameterBuffer,
        "GetParameterBufferV2" => F::GetParameterBufferV2,
        "LaunchDevice" => F::LaunchDevice,
        "LaunchDeviceV2" => F::LaunchDeviceV2,
        "GetLastError" => F::LastError { is_kept: false },
        "PeekAtLastError" => F::LastError { is_kept: true },
        "GetErrorName" => F::ErrorName,
        "GetErrorString" => F::ErrorString,
        "StreamCreateWithFlags" | "EventCreateWithFlags" => F::MakeHandle,
        "StreamDestroy" | "StreamWaitEvent" | "EventRecord" | "EventRecordWithFlags" | "EventDestroy" => {
            F::Succeed
        }
        "GetDevice" => F::GiveWord(0),
        "GetDeviceCount" => F::GiveWord(1),
        "Malloc" => F::Malloc,
        "Free" => F::Free,
        "MemcpyAsync" => F::Copy,
        "Memcpy2DAsync" => F::CopyRows,
        "MemsetAsync" => F::Fill,
        "Memset2DAsync" => F::FillRows,
        "DeviceSynchronize" => {
            return Err(format!(
                "{name} in a kernel: a grid cannot wait for the grids that it launches, as since CUDA 12; \
                 launch what follows into cudaStreamTailLaunch"
            ));
        }
        _ => return Err(format!("{name} cannot be called by kernels here")),
    })
}

/// Arguments that a function of the device runtime needs.
fn device_runtime_arguments(function: DeviceRuntime) -> usize {
    use DeviceRuntime as F;
    match function {
        F::LastError { .. } | F::Succeed => 0,
        F::ErrorName | F::ErrorString | F::Free | F::MakeHandle | F::GiveWord(_) => 1,
        F::GetParameterBuffer | F::LaunchDeviceV2 | F::Malloc => 2,
        F::GetParameterBufferV2 | F::Fill => 4,
        F::Copy => 5,
        F::LaunchDevice | F::FillRows => 6,
        F::CopyRows => 8,
    }
}
