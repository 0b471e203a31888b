//! Which data types the memory traffic is made of.

use shrinkwarp_workloads::workload::ElementType;

use super::{GPU, workloads};
use crate::LabError;
use crate::figures::common::{plain, profiles};
use crate::figures::{FigureSpec, Measured, Scope};
use shrinkwarp_report::chart::{Axis, Chart, Group};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Bpc,
    id: "2a",
    title: "Memory traffic by data type",
    needs: |scope| profiles(scope, GPU, &workloads(scope)),
    draw,
};

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let mut groups = Vec::new();
    for member in workloads(scope) {
        let profile = measured.profile(&plain(scope, GPU, &member))?;
        let shares = ElementType::ALL.map(|element| profile.element_share(element));
        groups.push(Group::single(member.label, shares.to_vec()));
    }
    let chart = Chart::stacked(
        "DRAM traffic by the type of the buffer it belongs to",
        Axis::share("blocks moved").range(0.0, 1.0),
        ElementType::ALL.map(ElementType::name),
        groups,
    );
    Ok(FIGURE
        .begin()
        .text("The type is the one that the workload declares for each device buffer.")
        .chart(chart))
}
