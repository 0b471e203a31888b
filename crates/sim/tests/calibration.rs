//! Does the machine agree with the reference simulator, case by case and change by change?
#![expect(clippy::unwrap_used, reason = "tests")]

use shrinkwarp_sim::calibrate::{
    Case, CaseResult, Machine, case_named, cases, path_cases, reference_cells, run_case, variant_named,
};

fn run(machine: Machine, name: &str, changes: &[&str]) -> CaseResult {
    let spec = machine.spec(changes).unwrap();
    run_case(&case_named(name).unwrap(), machine, &spec, &|| 0.0).unwrap()
}

fn relative(ours: u64, reference: u64) -> f64 {
    ours.abs_diff(reference) as f64 / reference.max(1) as f64
}

/// Misses among the accesses that were taken, in percent.
fn miss_rate(pick: impl Fn(&str) -> u64) -> f64 {
    let (hits, reserved, misses) =
        (pick("l1d_read_hit"), pick("l1d_read_hit_reserved"), pick("l1d_read_miss"));
    100.0 * misses as f64 / (hits + reserved + misses).max(1) as f64
}

fn check(machine: Machine, result: &CaseResult, worst: f64, wrong: &mut Vec<String>) {
    let case = result.case;
    let instructions = (result.thread_instructions, result.reference_thread_instructions);
    // Threads of bfs_level race for unvisited nodes.
    let tolerance = if case == "bfs_level" { 0.02 } else { 0.0 };
    if relative(instructions.0, instructions.1) > tolerance {
        wrong.push(format!("{case}: {} thread instructions, not {}", instructions.0, instructions.1));
    }
    if !result.checksum_ok && case != "special" {
        wrong.push(format!("{case}: another checksum"));
    }
    if result.cycle_error().abs() > worst {
        wrong.push(format!("{case}: {} cycles, not {}", result.cycles, result.reference_cycles));
    }
    let count = |column: &str| result.count(column).unwrap();
    // With the hashed index this case makes 1.3 % more L2 reads than the reference: DEVIATIONS 7.
    let accesses_within = if machine == Machine::Hashed && case == "strided_copy" { 0.015 } else { 0.01 };
    for column in ["l1d_write", "l2_read", "l2_write"] {
        let (ours, reference) = (count(column).ours, count(column).reference);
        if relative(ours, reference) > accesses_within {
            wrong.push(format!("{case}: {column} {ours}, not {reference}"));
        }
    }
    let (ours, reference) =
        (miss_rate(|column| count(column).ours), miss_rate(|column| count(column).reference));
    if (ours - reference).abs() > 3.0 {
        wrong.push(format!("{case}: {ours:.1} % L1 misses, not {reference:.1} %"));
    }
    for column in ["dram_read_cmds", "dram_write_cmds"] {
        let (ours, reference) = (count(column).ours, count(column).reference);
        if relative(ours, reference) > 0.05 && ours.abs_diff(reference) > 100 {
            wrong.push(format!("{case}: {column} {ours}, not {reference}"));
        }
    }
}

/// Runs `cases` of a machine: no count outside its bounds, cycles within `mean` on average and `worst` each.
fn assert_agreement(machine: Machine, cases: &[Case], mean: f64, worst: f64) {
    let mut wrong = Vec::new();
    let results: Vec<_> = cases.iter().map(|case| run(machine, case.name, &[])).collect();
    for result in &results {
        check(machine, result, worst, &mut wrong);
    }
    let error = results.iter().map(|result| result.cycle_error().abs()).sum::<f64>() / results.len() as f64;
    if error > mean {
        wrong.push(format!("mean error of the cycles {:.2} %", 100.0 * error));
    }
    assert!(wrong.is_empty(), "{} index:\n{}", machine.name(), wrong.join("\n"));
}

#[test]
fn every_case_agrees_with_the_reference_with_a_hashed_index() {
    assert_agreement(Machine::Hashed, &cases(), 0.01, 0.03);
}

#[test]
fn every_case_agrees_with_the_reference_with_a_linear_index() {
    assert_agreement(Machine::Linear, &cases(), 0.01, 0.03);
}

#[test]
fn rows_textures_and_constants_agree_with_the_reference() {
    assert_agreement(Machine::Hashed, &path_cases(), 0.03, 0.08);
    let linear: Vec<_> = path_cases()
        .into_iter()
        .filter(|case| Machine::Linear.measured(case.name, "cycles").is_some())
        .collect();
    assert_eq!(linear.len(), 2);
    assert_agreement(Machine::Linear, &linear, 0.03, 0.08);
}

#[test]
fn every_case_agrees_with_the_reference_on_volta() {
    let mut wrong = Vec::new();
    let results: Vec<_> = cases().iter().map(|case| run(Machine::Volta, case.name, &[])).collect();
    for result in &results {
        let case = result.case;
        // Threads of bfs_level race for unvisited nodes.
        let tolerance = if case == "bfs_level" { 0.001 } else { 0.0 };
        if relative(result.thread_instructions, result.reference_thread_instructions) > tolerance {
            wrong.push(format!("{case}: {} thread instructions", result.thread_instructions));
        }
        if !result.checksum_ok && case != "special" {
            wrong.push(format!("{case}: another checksum"));
        }
        if result.cycle_error().abs() > 0.03 {
            wrong.push(format!("{case}: {} cycles, not {}", result.cycles, result.reference_cycles));
        }
        for count in &result.counts {
            let bound = match count.column {
                "l1d_reservation_fails" | "reply_stall_slice_cycles" | "dram_activates" => continue,
                "dram_read_cmds" | "dram_write_cmds" => 0.03,
                _ => 0.02,
            };
            // A handful of accesses that hit or miss a moment earlier are no share of anything.
            let is_far = relative(count.ours, count.reference) > bound;
            if is_far && count.ours.abs_diff(count.reference) > 50 {
                wrong.push(format!("{case}: {} {}, not {}", count.column, count.ours, count.reference));
            }
        }
    }
    let error = results.iter().map(|result| result.cycle_error().abs()).sum::<f64>() / results.len() as f64;
    if error > 0.01 {
        wrong.push(format!("mean error of the cycles {:.2} %", 100.0 * error));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_contention_for_memory_every_cycle_is_that_of_the_reference() {
    for name in [
        "special",
        "fma_chain",
        "fma_wide",
        "int_mix",
        "l1_sweep",
        "diverge",
        "gather_l1",
        "transpose_conflict",
    ] {
        for machine in Machine::FERMI {
            let result = run(machine, name, &[]);
            assert_eq!(result.cycles, result.reference_cycles, "{name}, {} index", machine.name());
        }
    }
}

#[test]
fn changes_of_the_machine_have_the_effect_they_have_on_the_reference() {
    // The short ones of the cases; `shrinkwarp calibrate --sensitivity` runs all.
    const SHORT: [&str; 5] = ["reduce", "matmul_tiled", "gather_l1", "l1_sweep", "stencil5"];
    let mut wrong = Vec::new();
    for machine in Machine::FERMI {
        let base: Vec<u64> = SHORT.iter().map(|name| run(machine, name, &[]).cycles).collect();
        for cell in reference_cells(machine) {
            let Some(position) = SHORT.iter().position(|name| *name == cell.case) else { continue };
            let variant = variant_named(machine, cell.variant).unwrap();
            let cycles = run(machine, cell.case, variant.changes).cycles;
            let speedup = base[position] as f64 / cycles as f64;
            if (speedup - cell.speedup).abs() > 0.05 {
                let name = machine.name();
                wrong.push(format!(
                    "{name} {} {}: {speedup:.3}, not {:.3}",
                    cell.variant, cell.case, cell.speedup
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reference_has_sixty_cells_for_each_machine() {
    for machine in Machine::FERMI {
        let cells = reference_cells(machine);
        assert_eq!(cells.len(), 60);
        assert!(cells.iter().all(|cell| variant_named(machine, cell.variant).is_some()));
    }
}
