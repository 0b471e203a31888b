//! CUDA arrays: texels in device memory, row after row.

use shrinkwarp_emu::memory::{ChannelKind, TexelFormat};

use super::Span;
use crate::error::CudaError;
use crate::failure::Failure;

/// `cudaChannelFormatDesc`: bits of each channel, and what they mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ChannelDescriptor {
    /// Bits of the four channels.
    pub bits: [i32; 4],
    /// 0 signed, 1 unsigned, 2 float.
    pub kind: i32,
}

impl ChannelDescriptor {
    /// The same as the emulator has it.
    pub fn format(&self) -> Result<TexelFormat, Failure> {
        let channels = self.bits.iter().take_while(|&&bits| bits > 0).count();
        let kind = match self.kind {
            0 => ChannelKind::Signed,
            1 => ChannelKind::Unsigned,
            2 => ChannelKind::Float,
            _ => return Err(CudaError::InvalidChannelDescriptor.into()),
        };
        let channel_bits = u8::try_from(self.bits[0]).map_err(|_| CudaError::InvalidChannelDescriptor)?;
        let format = TexelFormat { channels: channels as u8, channel_bits, kind };
        let is_even = self.bits[..channels].iter().all(|&bits| bits == self.bits[0]);
        if is_even && format.is_known() {
            Ok(format)
        } else {
            Err(CudaError::InvalidChannelDescriptor.into())
        }
    }
}

/// A CUDA array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// First texel.
    pub address: u64,
    /// Texels of a row.
    pub width: u64,
    /// Rows; 1 for a line.
    pub height: u64,
    /// Slices or layers; 1 for a plane.
    pub depth: u64,
    /// Extents as the program gave them, where 0 means a dimension that is not there.
    pub given: [u64; 3],
    /// What a texel is.
    pub descriptor: ChannelDescriptor,
    /// Bytes of a texel.
    pub texel_bytes: u64,
    /// Flags as the program gave them.
    pub flags: u32,
}

impl Array {
    /// An array without memory.
    pub fn new(descriptor: ChannelDescriptor, given: [u64; 3], flags: u32) -> Result<Self, Failure> {
        let texel_bytes = u64::from(descriptor.format()?.bytes());
        let [width, height, depth] = given;
        if width == 0 {
            return Err(CudaError::InvalidValue.into());
        }
        let (height, depth) = (height.max(1), depth.max(1));
        Ok(Self { address: 0, width, height, depth, given, descriptor, texel_bytes, flags })
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> Result<u64, Failure> {
        let rows = self.height.checked_mul(self.depth);
        let bytes = rows.and_then(|rows| rows.checked_mul(self.width)?.checked_mul(self.texel_bytes));
        bytes.ok_or_else(|| CudaError::MemoryAllocation.into())
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        self.width * self.texel_bytes
    }

    /// Where copies find it, from a byte of a row of a slice.
    pub fn span(&self, x_bytes: u64, y: u64, z: u64) -> Span {
        let slice_bytes = self.row_bytes() * self.height;
        let address = self.address + z * slice_bytes + y * self.row_bytes() + x_bytes;
        Span { address, pitch_bytes: self.row_bytes(), slice_bytes }
    }
}
