//! What each point that was taken from the thesis's simulator does: to DSM+APPROX, to C-PACK and BPC, and to the means of figures 6.1 and 6.3.

use super::{APPROXIMATED, BEHIND_QUEUE, CODECS, NONE, flits_saved, of_class, stall_share, workloads};
use crate::LabError;
use crate::figures::common::{Member, Variant, average, by_class, mean, with};
use crate::figures::switches::{AS_IT_IS, Switch, table};
use crate::figures::{FigureSpec, Measured, Need, Scope};
use crate::run::{RunResult, RunSpec};
use shrinkwarp_machine::Counter;
use shrinkwarp_report::figure::{Figure, Paper};
use shrinkwarp_workloads::Class;

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::Dsm,
    id: "switches",
    title: "DSM, C-PACK and BPC on packets with one switch changed at a time",
    needs,
    draw,
};

const SWITCHES: [Switch; 4] = [
    AS_IT_IS,
    Switch::machine("L1 index linear", &["l1.set_index=linear"]),
    Switch::scheme("compressor in the reply queue", &["scheme.packets.compressor=in_queue"]),
    // Programs that table 6.2 calls integer, too, where they have approximable buffers.
    Switch::scheme("16 bits approximated wherever possible", &["scheme.approximation.bits=16"]),
];

/// The codecs with a point that the thesis's simulator has its own way.
const READINGS: [Variant<'static>; 6] = [
    Variant {
        name: "C-PACK, one dictionary for each slice",
        overrides: &["scheme.packets.codec=cpack", "scheme.packets.dictionary=per_slice", BEHIND_QUEUE],
    },
    Variant {
        name: "C-PACK, one for each slice and SM",
        overrides: &["scheme.packets.codec=cpack", "scheme.packets.dictionary=synchronised", BEHIND_QUEUE],
    },
    Variant { name: "C-PACK, one for each block", overrides: &["scheme.packets.codec=cpack", BEHIND_QUEUE] },
    Variant {
        name: "BPC, bytes reversed",
        overrides: &["scheme.packets.codec=bpc:reversed=1", BEHIND_QUEUE],
    },
    Variant { name: "BPC", overrides: &["scheme.packets.codec=bpc", BEHIND_QUEUE] },
    Variant {
        name: "BPC, bytes reversed, 7 cycles",
        overrides: &[
            "scheme.packets.codec=bpc:reversed=1",
            BEHIND_QUEUE,
            "scheme.packets.compress_cycles=7",
            "scheme.packets.decompress_cycles=7",
        ],
    },
];

/// What the network's power is made of: flits, as DSENT counts; or GPUWattch's energy of the network, and that of the codecs.
const POWERS: [(&str, &[Counter]); 2] =
    [("flits alone", &[Counter::FLITS]), ("flits and codecs", &[Counter::NETWORK_J, Counter::COMPRESSION_J])];

/// No compression, DSM or DSM+APPROX with a switch. Settings of the scheme are for DSM and DSM+APPROX, those of the approximation for the latter.
fn dsm(scope: Scope, member: &Member, switch: &Switch, name: &str) -> RunSpec {
    let variant = CODECS.iter().find(|variant| variant.name == name).unwrap_or(&NONE);
    let is_meant = |setting: &&&str| match name {
        APPROXIMATED => true,
        "DSM" => !setting.starts_with("scheme.approximation"),
        _ => false,
    };
    let scheme: Vec<&str> = switch.scheme.iter().filter(is_meant).copied().collect();
    with(&with(&super::run(scope, member, variant), switch.machine), &scheme)
}

fn reading(scope: Scope, member: &Member, variant: &Variant<'_>) -> RunSpec {
    with(&super::run(scope, member, &NONE), variant.overrides)
}

fn needs(scope: Scope) -> Vec<Need> {
    let mut needs = Vec::new();
    for member in workloads(scope) {
        for switch in &SWITCHES {
            needs.extend(
                ["none", "DSM", APPROXIMATED].map(|name| Need::Run(dsm(scope, &member, switch, name))),
            );
        }
        needs.extend(READINGS.iter().map(|variant| Need::Run(reading(scope, &member, variant))));
    }
    needs
}

fn draw(scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
    let members = workloads(scope);
    let results =
        |members: &[Member], spec: &dyn Fn(&Member) -> RunSpec| -> Result<Vec<RunResult>, LabError> {
            members.iter().map(|member| Ok(measured.result(&spec(member))?.clone())).collect()
        };
    let mut rows = Vec::new();
    for switch in &SWITCHES {
        let of = |name: &str| results(&members, &|member| dsm(scope, member, switch, name));
        let (none, dsm, approx) = (of("none")?, of("DSM")?, of(APPROXIMATED)?);
        let stalls = |runs: &[RunResult]| average(&runs.iter().map(stall_share).collect::<Vec<_>>());
        rows.push((switch.name, vec![ipc(&none, &approx), stalls(&none), stalls(&dsm), stalls(&approx)]));
    }
    let of_dsm = table(&["IPC (DSM+APPROX)", "stalls (none)", "stalls (DSM)", "stalls (DSM+APPROX)"], rows);
    let none = results(&members, &|member| super::run(scope, member, &NONE))?;
    let mut rows = Vec::new();
    for variant in &READINGS {
        let saved = |wants_integer: bool| -> Result<f64, LabError> {
            let runs = results(&of_class(scope, wants_integer), &|member| reading(scope, member, variant))?;
            Ok(average(&runs.iter().map(flits_saved).collect::<Vec<_>>()))
        };
        let runs = results(&members, &|member| reading(scope, member, variant))?;
        rows.push((variant.name, vec![ipc(&none, &runs), saved(true)?, saved(false)?]));
    }
    let of_codecs = table(&["IPC", "flits saved (integer)", "flits saved (floating point)"], rows);
    let mut rows = Vec::new();
    for (name, share) in [
        ("stalls per controller", Counter::CONTROLLER_STALL_SHARE),
        ("stalls per slice", Counter::REPLY_STALL_SHARE),
    ] {
        let of = |codec: &str| -> Result<f64, LabError> {
            let runs = results(&members, &|member| dsm(scope, member, &AS_IT_IS, codec))?;
            Ok(average(&runs.iter().map(|run| run.counters.get(share)).collect::<Vec<_>>()))
        };
        rows.push((name, vec![of("none")?, of("DSM")?, of(APPROXIMATED)?]));
    }
    let of_stalls = table(&["none", "DSM", "DSM+APPROX"], rows);
    let mut rows = Vec::new();
    let of_suite: Vec<Member> = by_class(&members, Class::Integer);
    let not_integer = |member: &&Member| member.workload.class != Class::Integer;
    let others: Vec<Member> = members.iter().filter(not_integer).copied().collect();
    for (name, integer, float) in [
        ("classes of table 6.2", of_class(scope, true), of_class(scope, false)),
        ("classes of our data", of_suite, others),
    ] {
        let saved = |members: &[Member], codec: &str| -> Result<f64, LabError> {
            let runs = results(members, &|member| dsm(scope, member, &AS_IT_IS, codec))?;
            Ok(average(&runs.iter().map(flits_saved).collect::<Vec<_>>()))
        };
        rows.push((name, vec![saved(&integer, "DSM")?, saved(&float, "DSM")?, saved(&float, APPROXIMATED)?]));
    }
    let mut powers = Vec::new();
    for (name, energy) in POWERS {
        let power = |run: &RunResult| {
            energy.iter().map(|&part| run.counters.get(part)).sum::<f64>() / run.cycles.max(1) as f64
        };
        let change = |codec: &str| -> Result<f64, LabError> {
            let runs = results(&members, &|member| dsm(scope, member, &AS_IT_IS, codec))?;
            let change = |(plain, run)| power(run) / power(plain).max(f64::MIN_POSITIVE) - 1.0;
            Ok(average(&none.iter().zip(&runs).map(change).collect::<Vec<_>>()))
        };
        powers.push((name, vec![change("DSM")?, change(APPROXIMATED)?]));
    }
    let of_power = table(&["DSM", "DSM+APPROX"], powers);
    let of_classes = table(&["DSM (integer)", "DSM (floating point)", "DSM+APPROX (floating point)"], rows);
    Ok(FIGURE
        .begin()
        .text("IPC is the geometric mean over no compression on the same machine; stalls and flits saved are arithmetic means.")
        .table("DSM", of_dsm)
        .table("Other codecs", of_codecs)
        .table("Stalls, counted twice", of_stalls)
        .table("Flits saved, by class", of_classes)
        .table("Change of the network's power", of_power))
}

/// The geometric mean of the IPC over that without compression; both execute the same instructions.
fn ipc(plain: &[RunResult], compressed: &[RunResult]) -> f64 {
    let gain = |(plain, other): (&RunResult, &RunResult)| plain.cycles as f64 / other.cycles.max(1) as f64;
    mean(&plain.iter().zip(compressed).map(gain).collect::<Vec<_>>())
}
