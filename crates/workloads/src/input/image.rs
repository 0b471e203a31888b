//! Pictures: fractal noise that looks like terrain or tissue, video frames, and PGM/PPM files.

use super::Rng;
use crate::error::InputFileError;

/// A grey picture, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// One byte a pixel.
    pub pixels: Vec<u8>,
}

/// Octaves of the fractal sum; each has half the period and half the amplitude of the one before.
const OCTAVES: u32 = 6;

/// Fractal value noise in [0, 1): smooth at large scale, textured at small scale, as photographs are.
pub fn fractal(width: usize, height: usize, rng: &mut Rng) -> Vec<f32> {
    let mut field = vec![0.0f32; width * height];
    let mut amplitude = 0.5;
    for octave in 0..OCTAVES {
        let period = (width.min(height) >> (octave + 1)).max(1);
        add_octave(&mut field, width, period, amplitude, rng);
        amplitude *= 0.5;
    }
    field
}

fn add_octave(field: &mut [f32], width: usize, period: usize, amplitude: f32, rng: &mut Rng) {
    let height = field.len() / width;
    let (columns, rows) = (width / period + 2, height / period + 2);
    let lattice: Vec<f32> = (0..columns * rows).map(|_| rng.unit() as f32).collect();
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    for y in 0..height {
        let (cell_y, fy) = (y / period, smooth((y % period) as f32 / period as f32));
        for x in 0..width {
            let (cell_x, fx) = (x / period, smooth((x % period) as f32 / period as f32));
            let corner = |dx: usize, dy: usize| lattice[(cell_y + dy) * columns + cell_x + dx];
            let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * fx;
            let bottom = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * fx;
            field[y * width + x] += amplitude * (top + (bottom - top) * fy);
        }
    }
}

impl Image {
    /// A picture of fractal noise.
    pub fn fractal(width: usize, height: usize, rng: &mut Rng) -> Self {
        let pixels =
            fractal(width, height, rng).iter().map(|value| (value * 256.0).min(255.0) as u8).collect();
        Self { width, height, pixels }
    }

    /// The next frame of a video: the picture moved by (dx, dy), edges repeated, with sensor noise of ±`noise`.
    pub fn moved(&self, dx: isize, dy: isize, noise: u32, rng: &mut Rng) -> Self {
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for y in 0..self.height {
            for x in 0..self.width {
                let from_x = (x as isize - dx).clamp(0, self.width as isize - 1) as usize;
                let from_y = (y as isize - dy).clamp(0, self.height as isize - 1) as usize;
                let jitter = rng.below(2 * noise + 1) as i32 - noise as i32;
                pixels.push((i32::from(self.pixels[from_y * self.width + from_x]) + jitter).clamp(0, 255) as u8);
            }
        }
        Self { width: self.width, height: self.height, pixels }
    }

    /// Reads a PGM (P2, P5) or PPM (P3, P6) picture; colours become grey (ITU-R BT.601 weights).
    pub fn parse(bytes: &[u8]) -> Result<Self, InputFileError> {
        let Samples { width, height, channels, bytes } = Samples::parse(bytes)?;
        let grey = |pixel: &[u8]| match *pixel {
            [r, g, b] => ((299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)) / 1000) as u8,
            [value, ..] => value,
            [] => 0,
        };
        let pixels = bytes.chunks_exact(channels).map(grey).collect();
        Ok(Self { width, height, pixels })
    }
}

/// A picture in colours, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColourImage {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub pixels: Vec<u8>,
}

/// How far colours are from grey, as a share of the range of brightness: photographs have little colour.
const SATURATION: f32 = 0.3;

impl ColourImage {
    /// Fractal brightness with a fractal colour of its own, so that the three components resemble each other.
    pub fn fractal(width: usize, height: usize, rng: &mut Rng) -> Self {
        let brightness = fractal(width, height, rng);
        let [red, blue] = [fractal(width, height, rng), fractal(width, height, rng)];
        let byte = |value: f32| (value * 256.0).clamp(0.0, 255.0) as u8;
        let pixel = |i: usize| {
            let (red, blue) = (SATURATION * (red[i] - 0.5), SATURATION * (blue[i] - 0.5));
            [brightness[i] + red, brightness[i] - 0.5 * (red + blue), brightness[i] + blue].map(byte)
        };
        Self { width, height, pixels: (0..width * height).flat_map(pixel).collect() }
    }

    /// Reads a PGM or PPM picture; the components of a grey one are equal.
    pub fn parse(bytes: &[u8]) -> Result<Self, InputFileError> {
        let Samples { width, height, channels, bytes } = Samples::parse(bytes)?;
        let pixels =
            bytes.chunks_exact(channels).flat_map(|pixel| [0, channels / 2, channels - 1].map(|i| pixel[i]));
        Ok(Self { width, height, pixels: pixels.collect() })
    }
}

/// What is in a PGM or PPM file, scaled to bytes.
struct Samples {
    width: usize,
    height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

impl Samples {
    fn parse(bytes: &[u8]) -> Result<Self, InputFileError> {
        let mut header = Header { bytes, position: 0, line: 1 };
        let (is_text, channels) = match header.word() {
            Some(b"P2") => (true, 1),
            Some(b"P3") => (true, 3),
            Some(b"P5") => (false, 1),
            Some(b"P6") => (false, 3),
            _ => return Err(InputFileError::at(1, "not a PGM or PPM picture (expected P2, P3, P5 or P6)")),
        };
        let width = header.number("the width", 1 << 15)?;
        let height = header.number("the height", 1 << 15)?;
        let depth = header.number("the largest value", 255)?.max(1);
        let samples: Vec<usize> = if is_text {
            (0..width * height * channels)
                .map(|_| header.number("a pixel", depth))
                .collect::<Result<_, _>>()?
        } else {
            let body = bytes.get(header.position + 1..).unwrap_or_default();
            let wanted = width * height * channels;
            if body.len() < wanted {
                let what = format!("the picture has {} bytes of pixels, expected {wanted}", body.len());
                return Err(InputFileError::at(header.line, what));
            }
            body[..wanted].iter().map(|&byte| usize::from(byte)).collect()
        };
        let bytes = samples.iter().map(|&sample| (sample * 255 / depth).min(255) as u8).collect();
        Ok(Self { width, height, channels, bytes })
    }
}

/// The words of a picture's header: separated by white space, `#` comments to the end of the line.
struct Header<'a> {
    bytes: &'a [u8],
    position: usize,
    line: usize,
}

impl<'a> Header<'a> {
    fn word(&mut self) -> Option<&'a [u8]> {
        let mut in_comment = false;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    in_comment = false;
                }
                b'#' => in_comment = true,
                _ if in_comment || byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.position += 1;
        }
        let start = self.position;
        let rest = &self.bytes[start..];
        self.position += rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        (self.position > start).then(|| &self.bytes[start..self.position])
    }

    fn number(&mut self, what: &str, largest: usize) -> Result<usize, InputFileError> {
        let word = self.word().and_then(|word| std::str::from_utf8(word).ok()).unwrap_or_default();
        match word.parse() {
            Ok(value) if value <= largest => Ok(value),
            _ => Err(InputFileError::at(
                self.line,
                format!("{what} is {word:?}, expected a number up to {largest}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fractal_picture_is_smooth_but_not_flat() {
        let picture = Image::fractal(128, 128, &mut Rng::new(3));
        let steps: Vec<i32> =
            picture.pixels.windows(2).map(|pair| (i32::from(pair[0]) - i32::from(pair[1])).abs()).collect();
        let mean = steps.iter().sum::<i32>() as f64 / steps.len() as f64;
        assert!((0.5..20.0).contains(&mean), "{mean}");
    }

    #[test]
    fn text_and_binary_pictures_read_the_same() {
        let text = Image::parse(b"P2\n# two by two\n2 2\n255\n0 10 20 255\n").unwrap();
        let binary = Image::parse(b"P5 2 2 255\n\x00\x0a\x14\xff").unwrap();
        assert_eq!(text, binary);
    }

    #[test]
    fn colours_are_kept_or_become_grey() {
        let file = b"P6 2 1 255\n\x64\x00\x00\x0a\x14\x1e";
        assert_eq!(ColourImage::parse(file).unwrap().pixels, [100, 0, 0, 10, 20, 30]);
        assert_eq!(Image::parse(file).unwrap().pixels, [29, 18]);
        assert_eq!(ColourImage::parse(b"P5 1 1 255\n\x07").unwrap().pixels, [7, 7, 7]);
    }

    #[test]
    fn a_short_picture_is_refused_with_both_lengths() {
        let error = Image::parse(b"P5 2 2 255\nab").unwrap_err().to_string();
        assert!(error.contains("2 bytes of pixels, expected 4"), "{error}");
    }
}
