//! How many bits may be approximated? Measurements of what approximation costs a program, and models that choose the
//! bits for a new data set.
//!
//! Devpura, "Packet Compression in GPU Architectures", Texas A&M 2017, sections 5.1 and 6.5.
//!
//! | module          | question it answers                                                         |
//! |-----------------|-----------------------------------------------------------------------------|
//! | [`plan`]        | on which data sets is a workload measured?                                  |
//! | [`measure`]     | how wrong are its results on one data set, for each number of bits?         |
//! | [`cache`]       | was that measured before?                                                   |
//! | [`table`]       | how are measurements kept in a file?                                        |
//! | [`attributes`]  | what does a model know of a data set?                                       |
//! | [`network`]     | the thesis's answer: a neural network names the bits                        |
//! | [`regression`]  | ours: the error is predicted, and the bits follow from it                   |
//! | [`model`]       | both, trained, as a file                                                    |
//! | [`score`]       | how good are the answers on data sets that training did not see?            |
//! | [`figure`]      | the rows behind figures 6.4 to 6.9                                          |

pub mod attributes;
pub mod cache;
pub mod figure;
pub mod measure;
pub mod model;
pub mod network;
pub mod plan;
pub mod regression;
pub mod score;
pub mod table;

/// The numbers of bits that may be chosen.
pub const BITS: [u32; 5] = [4, 8, 12, 16, 20];

/// Errors below this count as this where logarithms are taken: about half a unit in the last place of an f32.
pub const ERROR_FLOOR: f64 = 1e-8;

/// log10 of an error.
pub(crate) fn log_error(error: f64) -> f64 {
    libm::log10(error.max(ERROR_FLOOR))
}
