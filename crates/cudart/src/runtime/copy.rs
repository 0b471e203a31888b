//! Bytes between host and device.
//!
//! An address is the device's when it lies in an allocation or in the constant bank; every other one is the host's.

use shrinkwarp_emu::memory::CONSTANT_WINDOW;

use super::Context;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{host_bytes, host_bytes_mut, move_host_bytes};

/// Bytes of the window that constants lie in.
const CONSTANT_WINDOW_BYTES: u64 = 0x1000_0000;

/// `cudaMemcpyKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// From host to host.
    HostToHost,
    /// From host to device.
    HostToDevice,
    /// From device to host.
    DeviceToHost,
    /// From device to device.
    DeviceToDevice,
    /// As the addresses say.
    Default,
}

/// Rows at equal distances, in slices: the shape of every copy of more than one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch_bytes: u64,
    /// Bytes from one slice to the next.
    pub slice_bytes: u64,
}

impl Span {
    /// One plane.
    pub fn plane(address: u64, pitch_bytes: u64) -> Self {
        Self { address, pitch_bytes, slice_bytes: 0 }
    }

    fn row(&self, y: u64, z: u64) -> u64 {
        self.address.wrapping_add(z * self.slice_bytes).wrapping_add(y * self.pitch_bytes)
    }
}

impl CopyKind {
    /// By its number in C.
    pub fn from_number(number: i32) -> Result<Self, Failure> {
        Ok(match number {
            0 => Self::HostToHost,
            1 => Self::HostToDevice,
            2 => Self::DeviceToHost,
            3 => Self::DeviceToDevice,
            4 => Self::Default,
            _ => return Err(CudaError::InvalidMemcpyDirection.into()),
        })
    }

    /// Its number in C.
    pub fn number(self) -> i32 {
        match self {
            Self::HostToHost => 0,
            Self::HostToDevice => 1,
            Self::DeviceToHost => 2,
            Self::DeviceToDevice => 3,
            Self::Default => 4,
        }
    }

    /// Which of target and source are the device's.
    fn sides(self, context: &Context, to: u64, from: u64) -> (bool, bool) {
        match self {
            Self::HostToHost => (false, false),
            Self::HostToDevice => (true, false),
            Self::DeviceToHost => (false, true),
            Self::DeviceToDevice => (true, true),
            Self::Default => (context.is_device(to), context.is_device(from)),
        }
    }
}

impl Context {
    /// Whether the device knows an address.
    pub fn is_device(&self, address: u64) -> bool {
        constant_offset(address).is_some() || self.machine.memory().find(address, 1).is_some()
    }

    /// Copies bytes.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64, kind: CopyKind) -> Result<(), Failure> {
        match kind.sides(self, to, from) {
            _ if bytes == 0 => Ok(()),
            (false, false) => move_host_bytes(to, from, bytes),
            (true, false) => self.write(to, host_bytes(from, bytes)?),
            (false, true) => self.read(from, host_bytes_mut(to, bytes)?),
            (true, true) => {
                let mut between = vec![0; bytes as usize];
                self.read(from, &mut between)?;
                self.write(to, &between)
            }
        }
    }

    /// Copies `rows` rows of `slices` slices.
    pub fn copy_rows(
        &mut self,
        to: Span,
        from: Span,
        [row_bytes, rows, slices]: [u64; 3],
        kind: CopyKind,
    ) -> Result<(), Failure> {
        if rows > 1 && (to.pitch_bytes < row_bytes || from.pitch_bytes < row_bytes) {
            return Err(CudaError::InvalidPitchValue.into());
        }
        for z in 0..slices {
            for y in 0..rows {
                self.copy(to.row(y, z), from.row(y, z), row_bytes, kind)?;
            }
        }
        Ok(())
    }

    /// Sets every byte of some rows.
    pub fn fill_rows(
        &mut self,
        to: Span,
        value: u8,
        [row_bytes, rows, slices]: [u64; 3],
    ) -> Result<(), Failure> {
        if rows > 1 && to.pitch_bytes < row_bytes {
            return Err(CudaError::InvalidPitchValue.into());
        }
        for z in 0..slices {
            for y in 0..rows {
                self.fill(to.row(y, z), value, row_bytes)?;
            }
        }
        Ok(())
    }

    /// Sets every element of some rows.
    pub fn fill_elements(&mut self, to: Span, element: &[u8], extents: [u64; 3]) -> Result<(), Failure> {
        if let [value] = element {
            return self.fill_rows(to, *value, extents);
        }
        let [row_bytes, rows, slices] = extents;
        let row: Vec<u8> = element.iter().copied().cycle().take(row_bytes as usize).collect();
        for z in 0..slices {
            for y in 0..rows {
                self.write(to.row(y, z), &row)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, to: u64, bytes: &[u8]) -> Result<(), Failure> {
        match constant_offset(to) {
            Some(offset) if self.machine.memory_mut().constants_mut().write(offset, bytes) => Ok(()),
            Some(_) => Err(beyond_constants(to, bytes.len())),
            // The next launch looks for what has changed in shared memory.
            None if self.host_memory.kind_of(to).is_some() => Ok(self.machine.memory().copy_in(to, bytes)?),
            None => Ok(self.machine.device().copy_in(to, bytes)?),
        }
    }

    fn fill(&mut self, to: u64, value: u8, bytes: u64) -> Result<(), Failure> {
        if constant_offset(to).is_some() || self.host_memory.kind_of(to).is_some() {
            return self.write(to, &vec![value; bytes as usize]);
        }
        Ok(self.machine.device().fill(to, value, bytes)?)
    }

    fn read(&self, from: u64, out: &mut [u8]) -> Result<(), Failure> {
        let Some(offset) = constant_offset(from) else {
            return Ok(self.machine.memory().copy_out(from, out)?);
        };
        let constants = self.machine.memory().constants().read(offset, out.len() as u64);
        out.copy_from_slice(constants.ok_or_else(|| beyond_constants(from, out.len()))?);
        Ok(())
    }
}

fn constant_offset(address: u64) -> Option<u64> {
    address.checked_sub(CONSTANT_WINDOW).filter(|&offset| offset < CONSTANT_WINDOW_BYTES)
}

fn beyond_constants(address: u64, bytes: usize) -> Failure {
    let message = format!("{bytes} bytes at {address:#x} reach beyond the constants of the program");
    Failure::new(CudaError::InvalidValue, message)
}
