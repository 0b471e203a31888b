//! Codecs that are not part of the program: a scheme names one `own:NAME`, and who builds the machine brings it along
//! ([`Scheme::build_with`](crate::scheme::Scheme::build_with)).
//!
//! Such a codec can be at every point. It has no published costs, so it comes with its own, and no tables. A scheme with
//! one describes no machine by itself: its results depend on code that the scheme's text does not hold, so they are not kept.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use shrinkwarp_codec::BlockCodec;

use crate::base::codec_costs::CodecCosts;

/// What the name of such a codec begins with in a scheme.
pub const OWN_PREFIX: &str = "own:";

/// Codecs by the name that follows [`OWN_PREFIX`].
pub type OwnCodecs = BTreeMap<String, OwnCodec>;

/// A codec of the caller's own, for blocks of 128 B.
#[derive(Clone)]
pub struct OwnCodec {
    /// The codec.
    pub codec: Arc<dyn BlockCodec>,
    /// Time and energy of a block, where the scheme says `published`.
    pub costs: CodecCosts,
}

impl fmt::Debug for OwnCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "own codec {:?}", self.costs)
    }
}

/// The name of a codec of the caller's own; `None` for one of the registry.
pub fn own_name(codec: &str) -> Option<&str> {
    codec.strip_prefix(OWN_PREFIX)
}
