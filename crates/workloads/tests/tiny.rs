//! Does every workload compute the right result?

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_workloads::{Scale, Setup, WORKLOADS};

#[test]
fn every_workload_is_right_at_tiny_scale_with_every_data_set() {
    use rayon::prelude::*;
    let inputs: Vec<_> = WORKLOADS
        .iter()
        .flat_map(|workload| workload.data_sets.iter().map(move |data_set| (*workload, data_set.name)))
        .collect();
    let failures: Vec<String> = inputs
        .par_iter()
        .filter_map(|&(workload, data)| {
            let setup = Setup { data: Some(data), ..Setup::usual(Scale::Tiny, 1) };
            match workload.execute_with(&mut Functional::new(), setup) {
                Ok(outcome) if outcome.elements_checked == 0 => {
                    Some(format!("{} ({data}): checked nothing", workload.name))
                }
                Ok(_) => None,
                Err(failure) => Some(format!("{} ({data}): {failure}", workload.name)),
            }
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_kernel_says_its_registers() {
    for workload in WORKLOADS {
        let module = Functional::on_one_core().load_module(workload.ptx).unwrap();
        for kernel in module.kernels.values() {
            assert!(
                kernel.registers.given.is_some(),
                "{}: give {} a row in kernels/registers.csv and run `cargo xtask ptx`",
                workload.name,
                kernel.name
            );
        }
    }
}

#[test]
fn names_are_sorted_and_distinct() {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_workload_has_data_sets_of_distinct_names_and_at_most_one_for_a_paper() {
    for workload in WORKLOADS {
        let mut names: Vec<&str> = workload.data_sets.iter().map(|data_set| data_set.name).collect();
        let mut papers: Vec<_> = workload.data_sets.iter().flat_map(|data_set| data_set.papers).collect();
        let (name_count, paper_count) = (names.len(), papers.len());
        names.sort_unstable();
        names.dedup();
        papers.sort_unstable();
        papers.dedup();
        assert!(name_count > 0, "{}", workload.name);
        assert_eq!((names.len(), papers.len()), (name_count, paper_count), "{}", workload.name);
    }
}

#[test]
fn an_unknown_data_set_is_refused_with_the_known_ones() {
    let workload = shrinkwarp_workloads::find("kmeans").unwrap();
    let setup = Setup { data: Some("no-such-data"), ..Setup::usual(Scale::Tiny, 1) };
    let error = workload.execute_with(&mut Functional::new(), setup).unwrap_err().to_string();
    assert!(error.contains("kmeans has no data set \"no-such-data\" (known: "), "{error}");
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
