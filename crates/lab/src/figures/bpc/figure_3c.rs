//! The compression ratios of FPC, BDI, C-PACK and BPC.

use shrinkwarp_workloads::Class;

use super::{GPU, workloads};
use crate::LabError;
use crate::figures::common::{Column, codec, mean, plain, profiles, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "3c",
    title: "Compression ratio of FPC, BDI, C-PACK and BPC",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw,
};

/// What the paper calls each codec, and our name.
pub const CODECS: [(&str, &str); 4] = [("FPC", "fpc"), ("BDI", "bdi"), ("C-PACK", "cpack"), ("BPC", "bpc")];

/// Means by class, in the order of the codecs.
pub const PUBLISHED: [(Class, [f64; 4]); 3] = [
    (Class::Integer, [1.6, 2.3, 2.2, 4.1]),
    (Class::Float, [1.2, 1.5, 1.4, 1.9]),
    (Class::Mixed, [1.5, 1.7, 2.1, 2.5]),
];

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let all = workloads(scope);
    let mut figure = FIGURE.begin().text(
        "Raw ratio over the 128 B blocks that cross the DRAM link; a block that would grow is kept raw. BDI counts its \
         base mask and its four bits of encoding, which the BPC paper leaves out.",
    );
    for (class, published) in PUBLISHED {
        let members: Vec<_> = all.iter().copied().filter(|member| super::class(member) == class).collect();
        let mut columns: Vec<Column<'_>> = CODECS.iter().map(|(name, _)| (*name, Vec::new())).collect();
        for member in &members {
            let profile = measured.profile(&plain(scope, GPU, member))?;
            for (column, (_, spec)) in columns.iter_mut().zip(CODECS) {
                column.1.push(profile.ratio(&codec(spec)?).raw_ratio);
            }
        }
        for ((name, values), published) in columns.iter().zip(published) {
            let what = format!("{name}, {} mean", class.name());
            figure = figure.claim(Claim::number(what, published, mean(values), Format::Times));
        }
        let title = format!("Raw compression ratio, {} workloads", class.name());
        figure = figure.chart(ratio_bars(&title, "compression ratio", &members, &columns, &published));
    }
    Ok(figure)
}
