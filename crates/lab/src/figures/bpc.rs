//! BPC: Kim, Sullivan, Choukse, Erez, "Bit-Plane Compression: Transforming Data for Better Compression in Many-Core
//! Architectures", ISCA 2016.

mod figure_2a;
mod figure_2b;
mod figure_2c;
mod figure_2d;
pub(crate) mod figure_3c;
mod figure_5;
mod figure_6;
mod switches;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::analysis::dbx::{DbxReport, DbxStatistics, Stage};
use shrinkwarp_workloads::{Class, Paper as UsedBy};

use super::common::{Member, members};
use super::{FigureSpec, Measured, Scope};
use crate::LabError;

/// Its figures, in its order.
pub const FIGURES: &[FigureSpec] = &[
    figure_2a::FIGURE,
    figure_2b::FIGURE,
    figure_2c::FIGURE,
    figure_2d::FIGURE,
    figure_3c::FIGURE,
    figure_5::FIGURE,
    figure_6::FIGURE,
];

/// Experiments with its machine and system, drawn only when they are named.
pub const EXPERIMENTS: &[FigureSpec] = &[switches::FIGURE];

/// The machine of the paper.
const GPU: &str = "bpc-gtx480";

/// The workloads of its table I, integer ones first as its figures have them.
fn workloads(scope: Scope) -> Vec<Member> {
    let mut all = members(scope, UsedBy::Bpc);
    all.sort_by_key(class);
    all
}

/// The paper's class of a workload: it counts heart-wall tracking and k-means, most of whose traffic is floats, among its
/// floating-point programs.
fn class(member: &Member) -> Class {
    match member.label {
        "R.HW" | "R.KMN/P.KMN" => Class::Float,
        _ => member.workload.class,
    }
}

/// The statistics of the transformation over what a workload moves.
fn transformed(scope: Scope, member: &Member, measured: &Measured) -> Result<DbxReport, LabError> {
    let profile = measured.profile(&super::common::plain(scope, GPU, member))?;
    let blocks = (profile.bytes().len() / BlockBytes::B128.bytes()) as u64;
    let mut statistics = DbxStatistics::new(BlockBytes::B128, blocks);
    statistics.observe(0, profile.bytes());
    Ok(statistics.report())
}

/// The word of a stage in legends.
fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Original => "original",
        Stage::Delta => "delta",
        Stage::Dbx => "DBX",
    }
}
