//! Does a workload's own result show what approximated loads cost?
#![expect(clippy::unwrap_used, reason = "tests")]

use shrinkwarp_emu::functional::Functional;
use shrinkwarp_workloads::quality::QUALITIES;
use shrinkwarp_workloads::{Factors, InputProperties, Paper, Scale, Setup, find};

/// The error of the first result with k approximated bits against the exact run.
fn error(name: &str, properties: InputProperties, bits: u32) -> f64 {
    let workload = find(name).unwrap();
    let run = |approximate_bits| {
        let usual = Setup::usual(Scale::Tiny, 3);
        let data = Some(workload.data_set_of(Paper::Dsm).name);
        let properties = Some(properties);
        let setup = Setup { data, properties, approximate_bits, keeps_outputs: true, ..usual };
        workload.execute_with(&mut Functional::on_one_core(), setup).unwrap().outputs
    };
    workload.metric().error(&run(bits)[0].got, &run(0)[0].got)
}

/// Small inputs on which every workload of the thesis feels 20 bits.
fn small(name: &str) -> InputProperties {
    let (size, condition_log10) = match name {
        "gaussian" | "lud" => (32, Some(2.0)),
        "hybridsort" => (1000, None),
        "kmeans" => (300, None),
        "scalar-prod" => (256, None),
        _ => (32, None),
    };
    InputProperties { size: Some(size), condition_log10, ..InputProperties::default() }
}

#[test]
fn every_workload_of_the_thesis_is_exact_at_0_bits_and_wrong_at_20() {
    for quality in QUALITIES {
        let name = quality.workload;
        assert_eq!(error(name, small(name), 0), 0.0, "{name}");
        let (few, many) = (error(name, small(name), 4), error(name, small(name), 20));
        assert!(few < many && many > 1e-3, "{name}: {few} with 4 bits, {many} with 20");
    }
}

#[test]
fn an_ill_conditioned_matrix_makes_elimination_worse() {
    // Symmetric: on a general matrix small pivots blur the effect of the condition number.
    let with = |log10| InputProperties {
        condition_log10: Some(log10),
        factors: Factors::Equal,
        ..small("gaussian")
    };
    let (well, ill) = (error("gaussian", with(1.0), 4), error("gaussian", with(4.0), 4));
    assert!(ill > 20.0 * well, "{ill} after {well}");
}

#[test]
fn an_input_has_the_size_and_clusters_asked_for() {
    let setup = Setup {
        properties: Some(InputProperties { size: Some(70), clusters: Some(3), ..InputProperties::default() }),
        keeps_outputs: true,
        ..Setup::usual(Scale::Tiny, 1)
    };
    let outcome = find("kmeans").unwrap().execute_with(&mut Functional::on_one_core(), setup).unwrap();
    let members = &outcome.outputs[0].got;
    assert_eq!(members.len(), 70);
    assert!(members.iter().all(|&member| (0.0..3.0).contains(&member)));
}
