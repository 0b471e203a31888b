//! What each open point of LATTE-CC, and the set index of its machine, does to its speedup; and what a slower hit means.

use super::{GPU, LATTE, sensitive};
use crate::LabError;
use crate::figures::common::{Variant, mean, runs, speedup};
use crate::figures::switches::{AS_IT_IS, Experiment, Switch, table};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use shrinkwarp_report::figure::{Figure, Paper};

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Latte,
    id: "switches",
    title: "Speedup of LATTE-CC with one switch changed at a time",
    needs,
    draw,
};

const SWITCHES: [Switch; 6] = [
    AS_IT_IS,
    Switch::machine("L1 index linear", &["l1.set_index=linear"]),
    Switch::scheme("dedicated sets in residue classes", &["scheme.l1.dedicated_layout=residue"]),
    Switch::scheme("SC has a code for each L1", &["scheme.l1.code_scope=l1"]),
    Switch::scheme("counters summed over the GPU", &["scheme.l1.counter_scope=gpu"]),
    Switch {
        name: "linear, residue classes, a code for each L1",
        gpu: None,
        machine: &["l1.set_index=linear"],
        scheme: &["scheme.l1.dedicated_layout=residue", "scheme.l1.code_scope=l1"],
    },
];

/// Readings of "14 cycles more for a hit", figures 1 and 4.
const SLOWER_HITS: [Variant<'static>; 3] = [
    Variant {
        name: "serial decompressor, lines take as much as before",
        overrides: &[
            "scheme.l1.policy=static",
            "scheme.l1.modes=[\"bdi\"]",
            "scheme.l1.capacity=plain",
            "scheme.l1.decompress_cycles=14",
        ],
    },
    Variant {
        name: "serial decompressor, lines take less",
        overrides: &[
            "scheme.l1.policy=static",
            "scheme.l1.modes=[\"bdi\"]",
            "scheme.l1.decompress_cycles=14",
        ],
    },
    Variant { name: "a pipeline that all accesses pass", overrides: &["l1.latency_cycles=15"] },
];

fn experiment(scope: Scope) -> Experiment {
    Experiment { gpu: GPU, system: LATTE.overrides, members: sensitive(scope), switches: &SWITCHES }
}

fn needs(scope: Scope) -> Vec<Need> {
    let mut needs = experiment(scope).needs(scope);
    needs.extend(runs(scope, GPU, &sensitive(scope), &SLOWER_HITS));
    needs
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let figure = FIGURE.begin().text("LATTE-CC over no compression on the cache-sensitive workloads.");
    let figure = experiment(scope).draw(figure, scope, measured)?;
    let members = sensitive(scope);
    let mut rows = Vec::new();
    for variant in &SLOWER_HITS {
        let performance: Vec<f64> = members
            .iter()
            .map(|member| speedup(scope, GPU, member, variant, measured))
            .collect::<Result<_, LabError>>()?;
        let mut values = vec![mean(&performance)];
        values.extend(performance);
        rows.push((variant.name, values));
    }
    let columns: Vec<&str> =
        std::iter::once("mean").chain(members.iter().map(|member| member.label)).collect();
    Ok(figure.table("Performance with 14 cycles more for a hit", table(&columns, rows)))
}
