//! The codecs, one file each. [`crate::registry`] lists them by name.

pub mod bdi;
pub mod bpc;
pub mod cpack;
pub mod dsm;
pub mod e2mc;
pub mod fp_h;
pub mod fpc;
pub mod hycomp;
pub mod sc;
pub mod zero;
