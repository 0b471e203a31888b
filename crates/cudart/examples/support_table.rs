//! Prints the table of supported functions in docs/cudart.md.
#![expect(clippy::print_stdout, reason = "its purpose")]

fn main() {
    print!("{}", shrinkwarp_cudart::api::support_table());
}
