//! What a texture handle is bound to: where its texels lie and how they are read.
//!
//! A handle is either the address of a `.texref` variable or a texture object made by the host; both are numbers
//! that [`Memory`](super::Memory) looks up.

use super::{Memory, MemoryError};

/// Texture objects are numbered from here; no memory and no function lies there.
const FIRST_OBJECT: u64 = 0x4000_0000;
/// Distance between the handles of two objects.
const OBJECT_STEP: u64 = 64;

/// A bound texture: immutable while kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Address of texel (0, 0, 0).
    pub address: u64,
    /// Texels of a row.
    pub width: u32,
    /// Rows of a slice; 1 for a line of texels.
    pub height: u32,
    /// Slices, or layers of an array; 1 for a plane.
    pub depth: u32,
    /// Bytes from one row to the next.
    pub pitch_bytes: u64,
    /// What a texel is.
    pub format: TexelFormat,
    /// How texels become a value.
    pub filter: Filter,
    /// What lies outside.
    pub addressing: Addressing,
    /// Coordinates run from 0 to 1 instead of from 0 to the extent.
    pub has_normalised_coordinates: bool,
    /// Integer texels are read as fractions of their largest value.
    pub reads_normalised: bool,
}

/// Layout of one texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFormat {
    /// Values of a texel: 1, 2 or 4.
    pub channels: u8,
    /// Bits of a value: 8, 16 or 32.
    pub channel_bits: u8,
    /// What the bits mean.
    pub kind: ChannelKind,
}

/// Meaning of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// Floating point, 16 or 32 bits.
    Float,
}

/// How texels become a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The texel that the coordinates fall into.
    Point,
    /// The neighbours, weighted by distance; weights have 8 fractional bits, as in the hardware.
    Linear,
}

/// What lies outside a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// The texel at the edge.
    Clamp,
    /// The texture again.
    Wrap,
    /// The texture again, every other time reversed.
    Mirror,
    /// Zeros.
    Border,
}

impl TexelFormat {
    /// Bytes of a texel.
    pub fn bytes(self) -> u32 {
        u32::from(self.channels) * u32::from(self.channel_bits) / 8
    }

    /// Whether a texture can have such texels.
    pub fn is_known(self) -> bool {
        let has_bits = match self.kind {
            ChannelKind::Float => matches!(self.channel_bits, 16 | 32),
            ChannelKind::Unsigned | ChannelKind::Signed => matches!(self.channel_bits, 8 | 16 | 32),
        };
        has_bits && matches!(self.channels, 1 | 2 | 4)
    }
}

impl Texture {
    /// A line of texels, as `cudaBindTexture` binds it: point filter, clamped, plain coordinates.
    pub fn line(address: u64, width: u32, format: TexelFormat) -> Self {
        Self::plane(address, width, 1, format)
    }

    /// A plane of texels without gaps between the rows.
    pub fn plane(address: u64, width: u32, height: u32, format: TexelFormat) -> Self {
        Self {
            address,
            width,
            height,
            depth: 1,
            pitch_bytes: u64::from(width) * u64::from(format.bytes()),
            format,
            filter: Filter::Point,
            addressing: Addressing::Clamp,
            has_normalised_coordinates: false,
            reads_normalised: false,
        }
    }

    /// Address of a texel inside the texture.
    pub(crate) fn texel_address(&self, [x, y, z]: [u32; 3]) -> u64 {
        let row = u64::from(z) * u64::from(self.height) + u64::from(y);
        self.address + row * self.pitch_bytes + u64::from(x) * u64::from(self.format.bytes())
    }
}

impl Memory {
    /// Binds a handle, the address of a `.texref` variable, to texels in memory.
    pub fn bind_texture(&mut self, handle: u64, texture: Texture) -> Result<(), MemoryError> {
        let refuse = |reason: &str| Err(MemoryError::BadTexture { reason: reason.into() });
        if !texture.format.is_known() {
            return refuse("texels have 1, 2 or 4 channels of 8, 16 or 32 bits, floats of 16 or 32");
        }
        if texture.width == 0 || texture.height == 0 || texture.depth == 0 {
            return refuse("width, height and depth must not be 0");
        }
        let row_bytes = u64::from(texture.width) * u64::from(texture.format.bytes());
        if texture.pitch_bytes < row_bytes {
            return refuse("the pitch is smaller than a row");
        }
        let channel_bytes = u64::from(texture.format.channel_bits) / 8;
        if !texture.address.is_multiple_of(channel_bytes)
            || !texture.pitch_bytes.is_multiple_of(channel_bytes)
        {
            return refuse("address and pitch must be multiples of the channel's size");
        }
        let rows = u64::from(texture.height) * u64::from(texture.depth);
        let bytes = texture.pitch_bytes.checked_mul(rows - 1).and_then(|bytes| bytes.checked_add(row_bytes));
        let Some(bytes) = bytes else { return refuse("it is larger than device memory") };
        if self.find(texture.address, bytes).is_none() {
            let nearest = self.diagnose(texture.address).1;
            return Err(MemoryError::OutOfBounds { address: texture.address, bytes, nearest });
        }
        self.textures.insert(handle, texture);
        Ok(())
    }

    /// Makes a texture object; its handle is what kernels get as an argument.
    pub fn create_texture(&mut self, texture: Texture) -> Result<u64, MemoryError> {
        let handle = FIRST_OBJECT + OBJECT_STEP * self.texture_objects;
        self.bind_texture(handle, texture)?;
        self.texture_objects += 1;
        Ok(handle)
    }

    /// Makes a handle invalid; whether it was bound.
    pub fn unbind_texture(&mut self, handle: u64) -> bool {
        self.textures.remove(&handle).is_some()
    }

    /// Starts of the allocations that bound textures lie in.
    pub(crate) fn texture_allocations(&self) -> impl Iterator<Item = u64> {
        self.textures.values().filter_map(|texture| Some(self.find(texture.address, 1)?.0.start()))
    }

    /// What a handle is bound to.
    pub fn texture(&self, handle: u64) -> Option<&Texture> {
        self.textures.get(&handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOATS: TexelFormat = TexelFormat { channels: 1, channel_bits: 32, kind: ChannelKind::Float };

    #[test]
    fn a_texture_must_lie_inside_one_allocation() {
        let mut memory = Memory::default();
        let address = memory.alloc(64).unwrap();
        assert!(memory.create_texture(Texture::plane(address, 4, 4, FLOATS)).is_ok());
        let error = memory.create_texture(Texture::plane(address, 4, 5, FLOATS)).unwrap_err();
        assert!(
            error.to_string().starts_with("80 bytes at 0xc0000000 are not inside one allocation"),
            "{error}"
        );
    }

    #[test]
    fn every_object_has_a_handle_of_its_own() {
        let mut memory = Memory::default();
        let address = memory.alloc(64).unwrap();
        let first = memory.create_texture(Texture::line(address, 4, FLOATS)).unwrap();
        let second = memory.create_texture(Texture::line(address, 8, FLOATS)).unwrap();
        assert_eq!(memory.texture(first).map(|texture| texture.width), Some(4));
        assert_eq!(memory.texture(second).map(|texture| texture.width), Some(8));
        assert!(memory.unbind_texture(first) && memory.texture(first).is_none());
    }

    #[test]
    fn odd_formats_are_refused_with_what_is_known() {
        let mut memory = Memory::default();
        let address = memory.alloc(64).unwrap();
        let format = TexelFormat { channels: 3, ..FLOATS };
        let error = memory.create_texture(Texture::line(address, 4, format)).unwrap_err();
        assert!(error.to_string().contains("1, 2 or 4 channels"), "{error}");
    }
}
