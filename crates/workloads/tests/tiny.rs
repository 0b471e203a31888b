//! Does every workload compute the right result?

use shrinkwarp_emu::functional::Functional;
use shrinkwarp_workloads::{Scale, WORKLOADS};

#[test]
fn every_workload_is_right_at_tiny_scale() {
    use rayon::prelude::*;
    let failures: Vec<String> = WORKLOADS
        .par_iter()
        .filter_map(|workload| {
            let outcome = workload.execute(&mut Functional::new(), Scale::Tiny, 1, None);
            match outcome {
                Ok(outcome) if outcome.elements_checked == 0 => {
                    Some(format!("{}: checked nothing", workload.name))
                }
                Ok(_) => None,
                Err(failure) => Some(format!("{}: {failure}", workload.name)),
            }
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn names_are_sorted_and_distinct() {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn a_workload_is_one_kernel_file_one_host_file_and_one_line() {
    let folder = env!("CARGO_MANIFEST_DIR");
    for workload in WORKLOADS {
        let name = workload.name;
        for file in [
            format!("kernels/{name}.cu"),
            format!("kernels/{name}.ptx"),
            format!("src/programs/{}.rs", name.replace('-', "_")),
        ] {
            assert!(std::path::Path::new(folder).join(&file).is_file(), "{file}");
        }
    }
}
