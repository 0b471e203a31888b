//! `shrinkwarp approx`: what approximation costs a program, and a model that chooses the bits.
//!
//! | file      | subcommand                                                  |
//! |-----------|-------------------------------------------------------------|
//! | `measure` | run a workload on many inputs and store the errors       |
//! | `train`   | learn from stored errors and score what was learnt          |
//! | `predict` | how many bits for this input and this error?                |
//! | `figure`  | the data of the thesis's figures 6.4 to 6.9                 |
//! | `store`   | where measurements are kept                                 |
//! | `rows`    | rows as CSV                                                 |

mod figure;
mod measure;
mod predict;
mod rows;
mod store;
mod train;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Measure the error that approximated loads cause, and train a model that chooses how many bits to approximate
#[derive(Args, Debug)]
pub struct Approx {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Measure(Box<measure::Measure>),
    Train(train::Train),
    Predict(predict::Predict),
    Figure(figure::FigureData),
}

impl Approx {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Measure(command) => command.run(),
            What::Train(command) => command.run(),
            What::Predict(command) => command.run(),
            What::Figure(command) => command.run(),
        }
    }
}
