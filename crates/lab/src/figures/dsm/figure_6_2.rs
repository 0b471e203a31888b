//! Performance with each codec.

use super::{all_runs, columns, workloads};
use crate::LabError;
use crate::figures::common::{mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec =
    FigureSpec { paper: Paper::Dsm, id: "6.2", title: "IPC with compressed packets", needs: all_runs, draw };

/// Change of the mean IPC in the order of the codecs; the thesis gives no number for DSM alone.
const PUBLISHED: [Option<f64>; 6] = [Some(0.03), Some(0.04), Some(-0.14), Some(0.08), None, Some(0.12)];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let columns = columns(scope, &members, measured, |plain, compressed| compressed.ipc() / plain.ipc())?;
    let mut figure =
        FIGURE.begin().chart(ratio_bars("IPC over no compression", "IPC", &members, &columns, &[]));
    for ((name, values), published) in columns.iter().zip(PUBLISHED) {
        if let Some(published) = published {
            let ours = mean(values) - 1.0;
            figure = figure.claim(Claim::number(format!("IPC with {name}"), published, ours, Format::Change));
        }
    }
    Ok(figure)
}
