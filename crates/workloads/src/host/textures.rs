//! Buffers that kernels read through the texture cache.

use shrinkwarp_emu::memory::{Addressing, ChannelKind, Filter, TexelFormat, Texture};

use super::{Arg, Buffer, BufferElement, Host};
use crate::error::Failure;
use crate::workload::ElementType;

/// A texture object over a buffer, as a kernel takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureObject {
    handle: u64,
}

impl From<TextureObject> for Arg {
    fn from(texture: TextureObject) -> Self {
        Self::Address(texture.handle)
    }
}

impl Host<'_> {
    /// A line of texels over a buffer, `channels` elements each (1, 2 or 4).
    pub fn texture<T: BufferElement>(
        &mut self,
        buffer: Buffer<T>,
        channels: usize,
    ) -> Result<TextureObject, Failure> {
        self.texture_plane(buffer, channels, buffer.len / channels)
    }

    /// A plane of texels over a buffer, `width` texels in a row; coordinates outside read the texel at the edge.
    pub fn texture_plane<T: BufferElement>(
        &mut self,
        buffer: Buffer<T>,
        channels: usize,
        width: usize,
    ) -> Result<TextureObject, Failure> {
        let Some(used) = self.outcome.buffers.iter().find(|used| used.address == buffer.address) else {
            return Err(Failure::Launch("a texture needs a buffer of this run".into()));
        };
        let kind = match used.info.element {
            ElementType::Bf16 | ElementType::F32 | ElementType::F64 => ChannelKind::Float,
            ElementType::I32 => ChannelKind::Signed,
            ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => ChannelKind::Unsigned,
        };
        let format = TexelFormat { channels: channels as u8, channel_bits: (8 * T::BYTES) as u8, kind };
        let texels = buffer.len / channels.max(1);
        let texture = Texture {
            address: buffer.address,
            width: width as u32,
            height: (texels / width.max(1)) as u32,
            depth: 1,
            pitch_bytes: (width * channels * T::BYTES) as u64,
            format,
            filter: Filter::Point,
            addressing: Addressing::Clamp,
            has_normalised_coordinates: false,
            reads_normalised: false,
        };
        Ok(TextureObject { handle: self.device.create_texture(texture)? })
    }
}
