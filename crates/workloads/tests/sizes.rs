//! Is a requested size of the generated input used, or refused before the first launch?

use shrinkwarp_emu::functional::Functional;
use shrinkwarp_workloads::{Failure, InputProperties, Scale, Setup, WORKLOADS, Workload, find};

fn with_size(workload: &'static Workload, data: &'static str, size: usize) -> Result<(), Failure> {
    let properties = Some(InputProperties { size: Some(size), ..InputProperties::default() });
    let setup = Setup { data: Some(data), properties, ..Setup::usual(Scale::Tiny, 1) };
    workload.execute_with(&mut Functional::on_one_core(), setup).map(drop)
}

#[test]
fn no_workload_takes_a_size_that_no_memory_holds() {
    for workload in WORKLOADS {
        for data_set in workload.data_sets {
            let refusal = with_size(workload, data_set.name, usize::MAX).unwrap_err().to_string();
            assert!(refusal.contains("size"), "{} --data {}: {refusal}", workload.name, data_set.name);
        }
    }
}

#[test]
fn a_refused_size_is_told_with_the_sizes_that_are_allowed() {
    let refusal = with_size(find("fwt").unwrap(), "walsh", 9).unwrap_err();
    assert_eq!(refusal.to_string(), "input size 9: must be 10 to 26");
}

#[test]
fn an_input_file_and_a_size_exclude_each_other() {
    let workload = find("bfs").unwrap();
    let properties = Some(InputProperties { size: Some(64), ..InputProperties::default() });
    let matrix = b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
    let setup = Setup { input: Some(matrix), properties, ..Setup::usual(Scale::Tiny, 1) };
    let refusal = workload.execute_with(&mut Functional::on_one_core(), setup).unwrap_err().to_string();
    assert!(refusal.ends_with("size: the input file of bfs has its own; leave one of them out"), "{refusal}");
}
