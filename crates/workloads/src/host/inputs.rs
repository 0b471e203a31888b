//! What a workload may ask about its input: size, seed, the user's file, the data set, its properties.

use std::ops::RangeInclusive;

use super::Host;
use crate::error::InputFileError;
use crate::input::Rng;
use crate::input::c_rand::CRand;
use crate::input::conditioned::conditioned;
use crate::input::image::Image;
use crate::input::matrix::{self, Matrix};
use crate::input::rand48::Rand48;
use crate::workload::Scale;

impl Host<'_> {
    /// The requested size.
    pub fn scale(&self) -> Scale {
        self.setup.scale
    }

    /// A generator for this run; `stream` keeps independent inputs independent.
    pub fn rng(&self, stream: u64) -> Rng {
        Rng::new(self.setup.seed.wrapping_mul(0x9e37_79b9).wrapping_add(stream))
    }

    /// A seed where the original program has this one; another seed of the run gives another one.
    pub fn original_seed(&self, seed: u32) -> u32 {
        seed.wrapping_add((self.setup.seed as u32).wrapping_sub(1).wrapping_mul(0x9e37_79b9))
    }

    /// The C library's `rand()` after `srand(seed)`, in the same way.
    pub fn c_rand(&self, seed: u32) -> CRand {
        CRand::new(self.original_seed(seed))
    }

    /// The C library's `lrand48()` after `srand48(seed)`, in the same way.
    pub fn rand48(&self, seed: u32) -> Rand48 {
        Rand48::new(self.original_seed(seed))
    }

    /// The user's input file, if one replaces the generated input.
    pub fn input(&self) -> Option<&[u8]> {
        self.setup.input
    }

    /// The user's input file as text.
    pub fn input_text(&self) -> Result<Option<&str>, InputFileError> {
        let text = self.setup.input.map(std::str::from_utf8).transpose();
        text.map_err(|error| InputFileError::at(0, format!("not UTF-8 text (byte {})", error.valid_up_to())))
    }

    /// The user's input file as a matrix.
    pub fn matrix_input(&self) -> Result<Option<Matrix>, InputFileError> {
        self.setup.input.map(matrix::parse_npy).transpose()
    }

    /// Name of the requested data set.
    pub fn data(&self) -> &'static str {
        self.data_set.name
    }

    /// How large the input is to be, in the workload's own measure: the requested size, which must be one of the allowed ones, or
    /// the usual one.
    pub fn size(&self, usual: usize, allowed: RangeInclusive<usize>) -> Result<usize, InputFileError> {
        self.has_asked_size.set(true);
        match self.setup.requested_size() {
            Some(size) if !allowed.contains(&size) => {
                let what = format!("size {size}: must be {} to {}", allowed.start(), allowed.end());
                Err(InputFileError::at(0, what))
            }
            size => Ok(size.unwrap_or(usual)),
        }
    }

    /// How many clusters to find.
    pub fn clusters(&self, usual: usize) -> usize {
        self.setup.properties.and_then(|properties| properties.clusters).unwrap_or(usual)
    }

    /// How many features a point has.
    pub fn features(&self, usual: usize) -> usize {
        self.setup.properties.and_then(|properties| properties.features).unwrap_or(usual)
    }

    /// Whether the input is to be a random one of given properties instead of the usual one.
    pub fn has_properties(&self) -> bool {
        self.setup.properties.is_some()
    }

    /// The user's matrix, or one with the requested condition number.
    pub fn special_matrix(&self, size: usize) -> Result<Option<Matrix>, InputFileError> {
        let properties = self.setup.properties.unwrap_or_default();
        let made = properties
            .condition_log10
            .map(|log10| conditioned(size, log10, properties.factors, &mut self.rng(7)));
        Ok(self.matrix_input()?.or(made))
    }

    /// The matrix of a product: the user's, one with the requested condition number, or the data set's: uniform random numbers or
    /// PolyBench's formula.
    pub fn factor_matrix(&self, usual_size: usize) -> Result<Matrix, InputFileError> {
        let size = self.size(usual_size, 1..=16_384)?;
        let generated = || match self.data() {
            "uniform" => matrix::uniform(size, size, &mut self.rng(7)),
            _ => matrix::products(size, size),
        };
        Ok(self.special_matrix(size)?.unwrap_or_else(generated))
    }

    /// A vector of a product, as the data set has it: uniform random numbers or PolyBench's multiples of π.
    pub fn factor_vector(&self, len: usize, stream: u64) -> Vec<f32> {
        match self.data() {
            "uniform" => {
                let mut rng = self.rng(stream);
                (0..len).map(|_| rng.uniform(0.0, 1.0)).collect()
            }
            _ => matrix::multiples_of_pi(len),
        }
    }

    /// The user's picture, or a fractal one of `size` × `size`: width, height and grey values in [0, 1].
    pub fn picture_input(&self, size: usize) -> Result<(usize, usize, Vec<f32>), InputFileError> {
        let image = match self.setup.input {
            Some(bytes) => Image::parse(bytes)?,
            None => Image::fractal(size, size, &mut self.rng(1)),
        };
        let values = image.pixels.iter().map(|&pixel| f32::from(pixel) / 255.0).collect();
        Ok((image.width, image.height, values))
    }
}
