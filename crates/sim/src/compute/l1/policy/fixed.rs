//! `static`: every line in the one codec of the scheme.

use super::{Policy, PolicySetup};
use crate::base::compressed_lines::Mode;

/// There is nothing to decide.
#[derive(Clone, Copy, Debug)]
pub struct Static;

impl Policy for Static {
    const MOST_CODECS: usize = 1;

    fn new(_setup: &PolicySetup<'_>) -> Self {
        Self
    }

    fn winner(&self) -> Mode {
        Mode(1)
    }
}
