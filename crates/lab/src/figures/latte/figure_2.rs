//! Compression ratios of the blocks that enter the L1.

use super::{insensitive, run, runs, sensitive};
use crate::LabError;
use crate::figures::common::{Column, Member, Variant, mean, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "2",
    title: "Compression ratio of L1 insertions",
    needs: |scope| runs(scope, &shown(scope), &VARIANTS),
    draw,
};

macro_rules! fixed {
    ($name:literal, $codec:literal) => {
        Variant {
            name: $name,
            overrides: &["scheme.l1.policy=static", concat!("scheme.l1.modes=[\"", $codec, "\"]")],
        }
    };
}

const VARIANTS: [Variant<'static>; 5] = [
    fixed!("BDI", "bdi"),
    fixed!("FPC", "fpc"),
    fixed!("C-PACK+Z", "cpack-z"),
    fixed!("BPC", "bpc"),
    fixed!("SC", "sc"),
];

/// Means that the text gives.
const PUBLISHED: [(&str, f64); 2] = [("BPC", 3.5), ("SC", 3.6)];

fn shown(scope: Scope) -> Vec<Member> {
    sensitive(scope).into_iter().chain(insensitive(scope)).collect()
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = shown(scope);
    let mut columns: Vec<Column<'_>> = Vec::new();
    for variant in VARIANTS {
        let of_member = |member| {
            let counters = &measured.result(&run(scope, member, &variant))?.counters;
            let bits_out = counters.get(Counter::L1_CODEC_BITS_OUT);
            Ok(if bits_out > 0.0 { counters.get(Counter::L1_CODEC_BITS_IN) / bits_out } else { 1.0 })
        };
        columns.push((variant.name, members.iter().map(of_member).collect::<Result<_, LabError>>()?));
    }
    let chart = ratio_bars("Raw ratio of the blocks inserted", "compression ratio", &members, &columns, &[]);
    let mut figure =
        FIGURE.begin().text("Blocks as they enter the compressed L1 under a static policy.").chart(chart);
    for (codec, published) in PUBLISHED {
        if let Some((_, values)) = columns.iter().find(|(name, _)| *name == codec) {
            figure =
                figure.claim(Claim::number(format!("{codec}, mean"), published, mean(values), Format::Times));
        }
    }
    Ok(figure)
}
