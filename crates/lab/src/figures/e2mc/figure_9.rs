//! Compression ratios of BDI, FPC and E2MC, raw and in whole bursts, with the Shannon bound.

use shrinkwarp_codec::analysis::shannon::ShannonCounts;

use super::{GPU, Ratio, profiled, workloads};
use crate::LabError;
use crate::figures::common::{mean, plain, profiles, ratio_bars};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure, Paper};

pub const RAW: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "9a",
    title: "Raw compression ratio of BDI, FPC and E2MC",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw: |scope, measured| draw(&RAW, Ratio::Raw, scope, measured),
};

pub const AT_MAG: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "9b",
    title: "Compression ratio at MAG of BDI, FPC and E2MC",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw: |scope, measured| draw(&AT_MAG, Ratio::AtMag, scope, measured),
};

const CODECS: [(&str, &str); 6] = [
    ("BDI", "bdi"),
    ("FPC", "fpc"),
    ("E2MC4", "e2mc4"),
    ("E2MC8", "e2mc8"),
    ("E2MC16", "e2mc16"),
    ("E2MC32", "e2mc32"),
];

/// The bound for symbols of 16 bits, over the whole of the paper's traffic.
const SHANNON_PUBLISHED: f64 = 2.61;

fn draw(figure: &FigureSpec, ratio: Ratio, scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let mut columns = profiled(scope, &CODECS, ratio, measured)?;
    let mut published = match ratio {
        Ratio::Raw => vec![1.44, 1.53, 1.55, 1.80, 1.97, 1.76],
        Ratio::AtMag => vec![1.24, 1.34, 1.36, 1.53, 1.62, 1.45],
    };
    if ratio == Ratio::Raw {
        let bounds = members.iter().map(|member| {
            let profile = measured.profile(&plain(scope, GPU, member))?;
            Ok(shannon_bound(profile.bytes()))
        });
        columns.push(("Shannon, 16 bits", bounds.collect::<Result<_, LabError>>()?));
        published.push(SHANNON_PUBLISHED);
    }
    let chart = ratio_bars(ratio.title(), "compression ratio", &members, &columns, &published);
    let claims = columns.iter().zip(&published).map(|((name, values), published)| {
        Claim::number(format!("{name}, {}", ratio.name()), *published, mean(values), Format::Times)
    });
    Ok(claims.fold(figure.begin().chart(chart), Figure::claim))
}

/// The best ratio of one code for all 16-bit symbols; a block of one symbol only is its 64 symbols in one bit.
fn shannon_bound(bytes: &[u8]) -> f64 {
    let mut counts = ShannonCounts::with_capacity(1 << 20);
    counts.observe(bytes);
    let bound = counts.report().into_iter().find(|bound| bound.symbol_bits == 16 && bound.tables == 1);
    bound.map_or(1.0, |bound| bound.best_ratio().min(1024.0))
}
