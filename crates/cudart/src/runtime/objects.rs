//! What a program said of a texture or surface object when it made it.

use super::ChannelDescriptor;

/// `cudaResourceDesc`, the fields that all versions share: a kind, and words that mean by it
///
/// | kind | words                                                       |
/// |------|-------------------------------------------------------------|
/// | 0    | array                                                       |
/// | 2    | address, descriptor (5 × 4 bytes), bytes                    |
/// | 3    | address, descriptor (5 × 4 bytes), width, height, pitch     |
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Resource {
    /// What it is.
    pub kind: i32,
    /// The array, or the first byte.
    pub address: u64,
    /// What a texel is.
    pub descriptor: ChannelDescriptor,
    /// Bytes, or width, height and pitch.
    pub extents: [u64; 3],
}

/// `cudaTextureDesc`, up to the fields that only mipmaps have.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TextureDescriptor {
    /// What lies outside, in each dimension.
    pub addressing: [i32; 3],
    /// 0 point, 1 linear.
    pub filter: i32,
    /// 1: integers are read as fractions.
    pub read_mode: i32,
    /// Not modelled.
    pub srgb: i32,
    /// Not modelled.
    pub border: [f32; 4],
    /// Coordinates from 0 to 1.
    pub normalised: i32,
}

/// An object as the program described it.
#[derive(Clone, Copy, Debug)]
pub struct DescribedObject {
    /// What it lies over.
    pub resource: Resource,
    /// How it is read; surfaces have none.
    pub texture: Option<TextureDescriptor>,
}
