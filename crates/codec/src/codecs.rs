//! The codecs, one file each, and the list of all of them: a new codec has a `mod` line and a line in [`ENTRIES`] here.

pub mod bdi;
pub(crate) mod bpc;
mod cpack;
mod dsm;
mod e2mc;
mod fp_h;
mod fpc;
mod hycomp;
pub mod sc;
mod zero;

use crate::registry::Entry;

/// All codecs, simplest first.
pub const ENTRIES: &[Entry] = &[
    zero::ENTRY,
    bdi::ENTRY,
    fpc::ENTRY,
    cpack::CPACK,
    cpack::CPACK_Z,
    dsm::ENTRY,
    bpc::BPC,
    bpc::BPC64,
    bpc::trained::ENTRY,
    sc::ENTRY,
    fp_h::ENTRY,
    hycomp::ENTRY,
    e2mc::E2MC4,
    e2mc::E2MC8,
    e2mc::E2MC16,
    e2mc::E2MC32,
];
