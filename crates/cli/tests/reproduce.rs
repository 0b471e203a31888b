//! The figures of the papers, as a user redraws them.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{shrinkwarp, stderr};

#[test]
fn every_figure_of_every_paper_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("pages");
    let output = shrinkwarp(folder.path())
        .args([
            "reproduce",
            "all",
            "--scale",
            "tiny",
            "--json",
            "--store",
            "runs.sqlite",
            "--output",
            "pages",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let papers: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(papers.len(), 5);
    for paper in &papers {
        for figure in paper["figures"].as_array().unwrap() {
            let name = format!("{}-{}", paper["paper"].as_str().unwrap(), figure["figure"].as_str().unwrap());
            assert!(figure["error"].is_null(), "{name}: {}", figure["error"]);
            let table = std::fs::read_to_string(out.join(format!("{name}.csv"))).unwrap();
            assert!(table.lines().count() > 1, "{name} has no numbers");
        }
        let page =
            std::fs::read_to_string(out.join(format!("{}.html", paper["paper"].as_str().unwrap()))).unwrap();
        assert!(page.contains("<svg") && !page.contains("Not drawn"));
    }
    let picture = std::fs::read_to_string(out.join("latte-11-2.svg")).unwrap();
    assert!(
        picture.starts_with("<svg") && picture.contains("Other workloads"),
        "the second chart of figure 11"
    );
}

#[test]
fn a_figure_that_a_paper_does_not_have_is_refused_with_those_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        shrinkwarp(folder.path()).args(["reproduce", "bpc", "3d", "--store", "none"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("bpc has no figure \"3d\"") && message.contains("3c"), "{message}");
}

#[test]
fn a_named_figure_gets_a_page_of_its_own_and_leaves_the_papers_page_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dsm.html"), "all figures").unwrap();
    let output = shrinkwarp(folder.path())
        .args(["reproduce", "dsm", "1.1", "--scale", "tiny", "--store", "none", "--output", "."])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(folder.path().join("dsm.html")).unwrap(), "all figures");
    let page = std::fs::read_to_string(folder.path().join("dsm-1.1.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("numbers and verdicts mean nothing"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("numbers and verdicts mean nothing"), "{text}");
}
