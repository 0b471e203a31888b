//! Our cycles and counters next to those of the reference simulator, as tables that explain their marks.

use shrinkwarp_sim::calibrate::{CaseResult, Cell, Machine};

/// Largest difference from the reference's speedup that counts as equal.
const TOLERANCE: f64 = 0.05;

const MARKS: &str = "\n\
    =: the same as the reference's; !: not. After the instructions: their number; sum: the checksum of the results.\n\
    error: our cycles relative to the reference's. speed: processor seconds of the reference over ours.\n";

/// A table for each machine.
pub fn case_tables(machines: &[Machine], results: &[CaseResult]) -> String {
    let tables: Vec<String> = machines.iter().map(|&machine| case_table(machine, results)).collect();
    tables.join("\n") + MARKS
}

fn case_table(machine: Machine, results: &[CaseResult]) -> String {
    let results: Vec<_> = results.iter().filter(|result| result.machine == machine).collect();
    let mut text = format!("{}\n", machine.title());
    text += "case                  instructions     cycles  reference   error  L1 miss %  reference  L2 reads  reference  \
         DRAM bursts  reference  sum  speed\n";
    for result in &results {
        let pair = |column: &str| result.count(column).map_or((0, 0), |count| (count.ours, count.reference));
        let (hit, reserved) = (pair("l1d_read_hit"), pair("l1d_read_hit_reserved"));
        let (miss, sector_miss) = (pair("l1d_read_miss"), pair("l1d_read_sector_miss"));
        let rate =
            |hit: u64, reserved: u64, miss: u64| 100.0 * miss as f64 / (hit + reserved + miss).max(1) as f64;
        let (reads, writes, l2) = (pair("dram_read_cmds"), pair("dram_write_cmds"), pair("l2_read"));
        let marks = |is_equal: bool| if is_equal { "=" } else { "!" };
        text += &format!(
            "{:18} {:>14}{} {:>10} {:>10} {:>+6.1}% {:>10.1} {:>10.1} {:>9} {:>10} {:>12} {:>10}  {:>3} {:>5.0}x\n",
            result.case,
            result.thread_instructions,
            marks(result.thread_instructions == result.reference_thread_instructions),
            result.cycles,
            result.reference_cycles,
            100.0 * result.cycle_error(),
            rate(hit.0, reserved.0, miss.0 + sector_miss.0),
            rate(hit.1, reserved.1, miss.1 + sector_miss.1),
            l2.0,
            l2.1,
            reads.0 + writes.0,
            reads.1 + writes.1,
            marks(result.checksum_ok),
            result.speed_ratio(),
        );
    }
    text + &case_summary(&results)
}

fn case_summary(results: &[&CaseResult]) -> String {
    let errors: Vec<f64> = results.iter().map(|result| result.cycle_error().abs()).collect();
    let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    let worst = errors.iter().copied().fold(0.0, f64::max);
    let seconds: f64 = results.iter().map(|result| result.cpu_seconds).sum();
    let reference_seconds: f64 = results.iter().map(|result| result.reference_cpu_seconds).sum();
    let instructions: u64 = results.iter().map(|result| result.thread_instructions).sum();
    format!(
        "\ncycles: mean error {:.2} %, largest {:.2} %; {:.1} M thread instructions per processor second, {:.0} times the reference\n",
        100.0 * mean,
        100.0 * worst,
        instructions as f64 / 1e6 / seconds.max(1e-9),
        reference_seconds / seconds.max(1e-9),
    )
}

/// Speedups of the changes of the GPU, next to the reference's.
pub fn speedup_table(cells: &[Cell]) -> String {
    let mut text = String::from("index   variant        case            speedup  reference  difference\n");
    for cell in cells {
        let mark = match (cell.is_within(TOLERANCE), cell.has_same_direction()) {
            (true, _) => "",
            (false, true) => "  !",
            (false, false) => "  ! other direction",
        };
        text += &format!(
            "{:7} {:14} {:14} {:>8.4} {:>10.4} {:>+11.4}{mark}\n",
            cell.machine,
            cell.variant,
            cell.case,
            cell.speedup,
            cell.reference_speedup,
            cell.speedup - cell.reference_speedup,
        );
    }
    let within = cells.iter().filter(|cell| cell.is_within(TOLERANCE)).count();
    let astray = cells.iter().filter(|cell| !cell.has_same_direction()).count();
    text + &format!(
        "\n{within} of {} within {TOLERANCE}; {astray} in another direction\n\
         difference: our speedup minus the reference's. !: by more than {TOLERANCE}. other direction: the reference changes by \
         more than 5 % and we change the other way.\n",
        cells.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_explains_its_marks() {
        let cell = |speedup| Cell {
            machine: "hashed",
            variant: "l1-64k",
            case: "bfs",
            cycles: 100,
            speedup,
            reference_speedup: 1.2,
        };
        let text = speedup_table(&[cell(1.21), cell(1.3), cell(0.9)]);
        let marks: Vec<usize> =
            ["\n", "!\n", "! other direction\n"].map(|end| text.matches(end).count()).into();
        assert_eq!(marks[1..], [1, 1], "{text}");
        assert!(text.contains("1 of 3 within 0.05; 1 in another direction"), "{text}");
        assert!(text.contains("!: by more than 0.05"), "{text}");
        assert!(case_tables(&[], &[]).contains("=: the same as the reference's"));
    }
}
