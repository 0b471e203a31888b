//! The `shrinkwarp` command.
fn main() {}
