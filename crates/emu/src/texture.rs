//! `tex`: what one fetch does, and how coordinates become a texel.
//!
//! CUDA C++ Programming Guide, "Texture Fetching".
//!
//! | coordinates        | filter  | value                                                                   |
//! |--------------------|---------|--------------------------------------------------------------------------|
//! | integers           | ignored | the texel of that number; zeros outside, as `tex1Dfetch` gives           |
//! | floats             | point   | texel `floor(x)`                                                         |
//! | floats             | linear  | texels `floor(x - ½)` and the next, in each dimension                    |
//!
//! `tld4` reads one channel of the four texels that a linear filter would take: lower left, lower right, upper right,
//! upper left, where y grows downwards in memory and upwards in these names.
//!
//! A cube is six layers (of an array of cubes, six for each), its faces in the order +x, -x, +y, -y, +z, -z; the coordinate that is largest in magnitude
//! chooses the face, the first of them when several are.
//!
//! Normalised coordinates are first multiplied by the extent. A layer of an array is an integer and clamped. Our
//! choices where the standard is silent: the second and third channel that a texel lacks read as 0, the fourth as
//! 1; integer texels that are not read as fractions keep their bits whatever the result type; there is one level
//! of detail, so `.level` and `.grad` read it.

use crate::inst::Row;
use crate::memory::{Addressing, ChannelKind, Filter, Texture};

/// One `tex` instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextureFetch {
    pub handle: TextureHandle,
    /// Rows of x, y and z, as many as there are dimensions.
    pub coordinates: Vec<Row>,
    pub has_float_coordinates: bool,
    /// The coordinates are a direction from the middle of a cube.
    pub is_cube: bool,
    /// Row of the layer of an array.
    pub layer: Option<Row>,
    /// `tld4`: this channel of the four nearest texels.
    pub gathered_channel: Option<usize>,
    /// Rows of the four results; no row where one is dropped.
    pub targets: [Row; 4],
}

/// `suld`, `sust`: elements of a list in `Kernel::lists` from or to a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SurfaceAccess {
    pub handle: TextureHandle,
    pub is_load: bool,
    /// `sust.p`: whole texels, converted to the surface's format.
    pub is_formatted: bool,
    /// Rows of x (in bytes, or texels where formatted), y and z.
    pub coordinates: Vec<Row>,
    /// Row of the layer of an array.
    pub layer: Option<Row>,
    /// First element in `Kernel::lists`.
    pub elements: u32,
    pub count: u32,
    pub element_bytes: u32,
    pub outside: Outside,
}

/// What an access outside a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// It is a fault.
    Trap,
    /// It reaches the nearest texel.
    Clamp,
    /// It reads zeros and writes nothing.
    Zero,
}

/// Where a texture handle comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureHandle {
    /// A `.texref` by name.
    Fixed(u64),
    /// A texture object in a row of the 64-bit bank.
    Row64(Row),
}

/// `txq`: a property of a texture, to a row of the 32-bit bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextureQuery {
    pub handle: TextureHandle,
    pub property: TextureProperty,
    pub target: Row,
}

/// What can be asked of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureProperty {
    Width,
    Height,
    /// Slices of a volume, or layers of an array.
    Depth,
    HasNormalisedCoordinates,
    Levels,
}

/// A coordinate of one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coordinate {
    Integer(i32),
    Float(f32),
}

/// Texels that take part in one dimension: two indexes (`None` is outside), and the weight of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Taps {
    pub indexes: [Option<u32>; 2],
    pub second_weight: f32,
}

/// Fractional bits of a filter weight.
const WEIGHT_STEPS: f32 = 256.0;

/// The face of a cube that a direction meets, and where on it, from 0 to 1.
pub(crate) fn cube_face([x, y, z]: [f32; 3]) -> (u32, [f32; 2]) {
    let largest = x.abs().max(y.abs()).max(z.abs());
    let (face, s, t) = if x.abs() == largest {
        if x >= 0.0 { (0, -z, -y) } else { (1, z, -y) }
    } else if y.abs() == largest {
        if y >= 0.0 { (2, x, z) } else { (3, x, -z) }
    } else if z >= 0.0 {
        (4, x, -y)
    } else {
        (5, -x, -y)
    };
    (face, [s, t].map(|along| (along / largest).mul_add(0.5, 0.5)))
}

impl Texture {
    /// The answer to a query.
    pub(crate) fn property(&self, property: TextureProperty) -> u32 {
        match property {
            TextureProperty::Width => self.width,
            TextureProperty::Height => self.height,
            TextureProperty::Depth => self.depth,
            TextureProperty::HasNormalisedCoordinates => u32::from(self.has_normalised_coordinates),
            TextureProperty::Levels => 1,
        }
    }

    /// Which texels a coordinate reaches along one dimension.
    pub(crate) fn taps(&self, coordinate: Coordinate, extent: u32) -> Taps {
        self.taps_of(self.filter, coordinate, extent)
    }

    /// The same for a given filter.
    pub(crate) fn taps_of(&self, filter: Filter, coordinate: Coordinate, extent: u32) -> Taps {
        let x = match coordinate {
            Coordinate::Integer(index) => {
                let index = u32::try_from(index).ok().filter(|&index| index < extent);
                return Taps { indexes: [index; 2], second_weight: 0.0 };
            }
            Coordinate::Float(x) if self.has_normalised_coordinates => x * extent as f32,
            Coordinate::Float(x) => x,
        };
        if filter == Filter::Point {
            return Taps { indexes: [self.wrapped(x.floor(), extent); 2], second_weight: 0.0 };
        }
        let shifted = x - 0.5;
        let first = shifted.floor();
        let second_weight = ((shifted - first) * WEIGHT_STEPS).round() / WEIGHT_STEPS;
        let indexes = [self.wrapped(first, extent), self.wrapped(first + 1.0, extent)];
        // Not a number has no neighbours: it reads the first texel.
        Taps { indexes, second_weight: if second_weight.is_nan() { 0.0 } else { second_weight } }
    }

    /// The texel that an index outside the texture maps to.
    fn wrapped(&self, index: f32, extent: u32) -> Option<u32> {
        // The conversion saturates, which is harmless: edges lie far inside the range.
        let (index, extent) = (index as i64, i64::from(extent));
        let inside = match self.addressing {
            Addressing::Clamp => index.clamp(0, extent - 1),
            Addressing::Wrap => index.rem_euclid(extent),
            Addressing::Mirror => match index.rem_euclid(2 * extent) {
                forward if forward < extent => forward,
                backward => 2 * extent - 1 - backward,
            },
            Addressing::Border => index,
        };
        (0..extent).contains(&inside).then_some(inside as u32)
    }

    /// The bits of one channel as `tex` delivers them.
    pub(crate) fn channel(&self, bits: u32) -> u32 {
        let unused = 32 - u32::from(self.format.channel_bits);
        let largest = u32::MAX >> unused;
        match self.format.kind {
            ChannelKind::Float if self.format.channel_bits == 16 => {
                half::f16::from_bits(bits as u16).to_f32().to_bits()
            }
            ChannelKind::Unsigned if self.reads_normalised => {
                ((f64::from(bits) / f64::from(largest)) as f32).to_bits()
            }
            ChannelKind::Float | ChannelKind::Unsigned => bits,
            ChannelKind::Signed => {
                let value = (bits << unused) as i32 >> unused;
                if !self.reads_normalised {
                    return value as u32;
                }
                // The most negative value means -1, too.
                ((f64::from(value) / f64::from(largest >> 1)).max(-1.0) as f32).to_bits()
            }
        }
    }

    /// Whether `tex` delivers floating point.
    pub(crate) fn delivers_floats(&self) -> bool {
        self.format.kind == ChannelKind::Float || self.reads_normalised
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::TexelFormat;

    fn texture(filter: Filter, addressing: Addressing) -> Texture {
        let format = TexelFormat { channels: 1, channel_bits: 8, kind: ChannelKind::Signed };
        Texture { filter, addressing, ..Texture::line(0, 4, format) }
    }

    #[test]
    fn point_filtering_takes_the_texel_it_falls_into() {
        let texture = texture(Filter::Point, Addressing::Clamp);
        for (x, index) in [(-1.0, 0), (0.99, 0), (1.0, 1), (3.5, 3), (9.0, 3)] {
            assert_eq!(texture.taps(Coordinate::Float(x), 4).indexes[0], Some(index), "{x}");
        }
    }

    #[test]
    fn outside_is_what_the_addressing_says() {
        let outside =
            |addressing, x| texture(Filter::Point, addressing).taps(Coordinate::Float(x), 4).indexes[0];
        assert_eq!(outside(Addressing::Wrap, 5.0), Some(1));
        assert_eq!(outside(Addressing::Wrap, -1.0), Some(3));
        assert_eq!(outside(Addressing::Mirror, 4.0), Some(3));
        assert_eq!(outside(Addressing::Mirror, -1.0), Some(0));
        assert_eq!(outside(Addressing::Border, 4.0), None);
    }

    #[test]
    fn linear_filtering_weighs_neighbours_in_256_steps() {
        let texture = texture(Filter::Linear, Addressing::Clamp);
        let taps = texture.taps(Coordinate::Float(1.0), 4);
        assert_eq!(taps, Taps { indexes: [Some(0), Some(1)], second_weight: 0.5 });
        // 0.3 is nearest to 77/256.
        assert_eq!(texture.taps(Coordinate::Float(1.8), 4).second_weight, 77.0 / 256.0);
    }

    #[test]
    fn integers_address_texels_and_find_nothing_outside() {
        let texture = texture(Filter::Linear, Addressing::Clamp);
        assert_eq!(texture.taps(Coordinate::Integer(3), 4).indexes, [Some(3); 2]);
        assert_eq!(texture.taps(Coordinate::Integer(4), 4).indexes, [None; 2]);
        assert_eq!(texture.taps(Coordinate::Integer(-1), 4).indexes, [None; 2]);
    }

    #[test]
    fn a_direction_meets_the_face_of_its_largest_coordinate() {
        assert_eq!(cube_face([2.0, 0.0, 0.0]), (0, [0.5, 0.5]));
        assert_eq!(cube_face([-2.0, 1.0, 0.0]), (1, [0.5, 0.25]));
        assert_eq!(cube_face([1.0, 2.0, 0.0]), (2, [0.75, 0.5]));
        assert_eq!(cube_face([0.0, -2.0, 2.0]), (3, [0.5, 0.0]));
        assert_eq!(cube_face([0.0, 0.0, 4.0]), (4, [0.5, 0.5]));
        assert_eq!(cube_face([1.0, 0.0, -4.0]), (5, [0.375, 0.5]));
    }

    #[test]
    fn fractions_reach_both_ends() {
        let plain = texture(Filter::Point, Addressing::Clamp);
        assert_eq!(plain.channel(0x80) as i32, -128);
        let fractions = Texture { reads_normalised: true, ..plain };
        assert_eq!(
            [0x7f, 0x80, 0x81, 0].map(|bits| f32::from_bits(fractions.channel(bits))),
            [1.0, -1.0, -1.0, 0.0]
        );
    }
}
