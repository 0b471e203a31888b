//! Prints the registers that `RegisterEstimate` gives each kernel of PTX files: `file,kernel,sm,estimate`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use shrinkwarp_ptx::flow::RegisterEstimate;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let module = shrinkwarp_ptx::parse(&std::fs::read_to_string(&path)?)
            .map_err(|mistakes| format!("{path}: {} mistakes", mistakes.len()))?;
        for kernel in module.kernels() {
            let estimate = RegisterEstimate::of(&module, kernel);
            for sm in [35, 50, 70, 80] {
                println!("{path},{},{sm},{}", kernel.name, estimate.on(sm));
            }
        }
    }
    Ok(())
}
