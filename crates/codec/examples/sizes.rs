//! How quick the sizes of a file's blocks are on one core: `sizes FILE CODEC…` prints GB/s of each codec, best of five.
#![expect(clippy::print_stdout, reason = "an example's result")]

use std::hint::black_box;
use std::time::Instant;

use shrinkwarp_codec::{BlockBytes, registry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let data = std::fs::read(arguments.next().ok_or("give a file and codecs")?)?;
    let data = &data[..data.len() / 128 * 128];
    for name in arguments {
        let codec = registry::build(&name, BlockBytes::B128, data)?;
        let mut best_s = f64::INFINITY;
        for _ in 0..5 {
            let started = Instant::now();
            let mut sizes = vec![0; data.len() / 128];
            codec.sizes_bits(data, black_box(&mut sizes));
            best_s = best_s.min(started.elapsed().as_secs_f64());
        }
        println!("{name} {:.3}", data.len() as f64 / 1e9 / best_s);
    }
    Ok(())
}
