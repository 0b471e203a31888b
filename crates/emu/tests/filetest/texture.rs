//! The `texture:` line of a filetest: a `.texref` of the module bound to a buffer.
//!
//! `// texture: NAME ARGUMENT FORMAT EXTENTS OPTIONS`, as in `// texture: image 1 f32x1 4x2 linear wrap`: the texels
//! are the buffer of that argument, counted from 0; the format is a type and a number of channels.

use shrinkwarp_emu::memory::{Addressing, ChannelKind, Filter, TexelFormat, Texture};

/// A `texture:` line, its buffer not placed yet.
pub struct TextureLine {
    pub name: String,
    pub argument: usize,
    format: TexelFormat,
    extents: Vec<u32>,
    options: Vec<String>,
}

impl TextureLine {
    /// Reads the words behind the colon.
    pub fn parse(words: &[&str]) -> Self {
        let [name, argument, format, extents, options @ ..] = words else { panic!("bad texture {words:?}") };
        let (ty, channels) = format.split_once('x').unwrap();
        let kind = match &ty[..1] {
            "f" => ChannelKind::Float,
            "s" => ChannelKind::Signed,
            _ => ChannelKind::Unsigned,
        };
        let (channels, channel_bits) = (channels.parse().unwrap(), ty[1..].parse().unwrap());
        Self {
            name: (*name).into(),
            argument: argument.parse().unwrap(),
            format: TexelFormat { channels, channel_bits, kind },
            extents: extents.split('x').map(|extent| extent.parse().unwrap()).collect(),
            options: options.iter().map(|&option| option.into()).collect(),
        }
    }

    /// The texture, with its texels at an address.
    pub fn at(&self, address: u64) -> Texture {
        let extent = |axis: usize| self.extents.get(axis).copied().unwrap_or(1);
        let plane = Texture::plane(address, extent(0), extent(1), self.format);
        let mut texture = Texture { depth: extent(2), ..plane };
        for option in &self.options {
            match option.as_str() {
                "linear" => texture.filter = Filter::Linear,
                "wrap" => texture.addressing = Addressing::Wrap,
                "mirror" => texture.addressing = Addressing::Mirror,
                "border" => texture.addressing = Addressing::Border,
                "normalised" => texture.has_normalised_coordinates = true,
                "fractions" => texture.reads_normalised = true,
                other => panic!("unknown texture option {other}"),
            }
        }
        texture
    }
}
