//! What a user sees of the workload suite.
#![expect(clippy::unwrap_used, reason = "tests")]

use assert_cmd::Command;

fn shrinkwarp(words: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("shrinkwarp").unwrap().args(words).assert()
}

fn output(words: &[&str]) -> String {
    String::from_utf8(shrinkwarp(words).success().get_output().stdout.clone()).unwrap()
}

#[test]
fn the_list_has_every_workload_with_its_papers() {
    let text = output(&["list", "workloads"]);
    assert!(text.contains("bfs-worklist       integer  BPC P.BFS, DSM P-BFS, E2MC BFS2"), "{text}");
    assert!(text.contains("56 workloads: 20 integer, 28 float, 8 mixed"), "{text}");
}

#[test]
fn the_json_list_is_complete() {
    let list: serde_json::Value = serde_json::from_str(&output(&["list", "workloads", "--json"])).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 56);
    for workload in list {
        for key in ["name", "class", "papers", "buffers", "scales"] {
            assert!(!workload[key].is_null(), "{workload}");
        }
        assert!(!workload["buffers"].as_array().unwrap().is_empty(), "{workload}");
    }
}

#[test]
fn statistics_put_published_ratios_under_ours() {
    let text =
        output(&["workloads", "stats", "pathfinder", "conv2d", "--scale", "tiny", "--codec", "bdi,bpc"]);
    assert!(text.contains("pathfinder         integer"), "{text}");
    assert!(text.contains("published (BPC, figure 3c)"), "{text}");
}

#[test]
fn a_fingerprint_has_the_original_beside_ours_and_marks_what_is_too_far_apart() {
    let words =
        ["workloads", "fingerprint", "transpose", "--scale", "tiny", "--launches", "1", "--no-speedups"];
    let text = output(&words);
    assert!(text.contains("original: CUDA SDK, 512x512"), "{text}");
    // One launch where the original had sixteen: far fewer instructions.
    let line = text.lines().find(|line| line.trim_start().starts_with("thread_insn")).unwrap();
    assert!(line.contains("133169152") && line.ends_with("outside"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&output(&[&words[..], &["--json"]].concat())).unwrap();
    assert_eq!(json[0]["columns"]["launches"], 1);
    assert_eq!(json[0]["original"]["columns"]["launches"], 16);
    assert!(json[0]["outside"].as_array().unwrap().iter().any(|column| column == "thread_insn"), "{json}");
}

#[test]
fn an_unknown_workload_is_named_with_the_nearest() {
    let failure = shrinkwarp(&["workloads", "stats", "bsf"]).code(2);
    let text = String::from_utf8_lossy(&failure.get_output().stderr).into_owned();
    assert!(
        text.contains("unknown workload \"bsf\"")
            && text.contains("did you mean \"bfs\"? (nearest of 65: bfs, "),
        "{text}"
    );
}

#[test]
fn a_users_graph_replaces_the_generated_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.txt");
    std::fs::write(&path, "0 1\n1 2\n2 3\n3 0\n").unwrap();
    let text = output(&["run", "bfs", "--input", path.to_str().unwrap(), "--json"]);
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
    // Four nodes in a ring: one level a node, and one that finds nothing more; two kernels each.
    assert_eq!(run["launches"].as_array().unwrap().len(), 8);

    std::fs::write(&path, "0 1\n1 two\n").unwrap();
    let failure = shrinkwarp(&["run", "bfs", "--input", path.to_str().unwrap()]).code(1);
    let text = String::from_utf8_lossy(&failure.get_output().stderr).into_owned();
    assert!(text.contains("edges.txt: line 2: the head node \"two\""), "{text}");
    shrinkwarp(&["run", "reduction", "--input", path.to_str().unwrap()]).code(2);
}

#[test]
fn a_workload_lists_its_data_sets_and_an_unknown_one_is_refused() {
    let text = output(&["list", "workloads", "kmeans"]);
    assert!(text.contains("KDD Cup 1999") && text.contains("(default)"), "{text}");
    assert!(text.contains("used by the figures of DSM"), "{text}");
    let statistics = |data| {
        let arguments =
            ["workloads", "stats", "kmeans", "--scale", "tiny", "--codec", "bdi", "--json", "--data", data];
        let json: serde_json::Value = serde_json::from_str(&output(&arguments)).unwrap();
        json[0]["zero_word_share"].as_f64().unwrap()
    };
    assert!(statistics("kdd") > statistics("thesis"));
    let failure = shrinkwarp(&["run", "kmeans", "--scale", "tiny", "--data", "kdb"]).code(2);
    let error = String::from_utf8(failure.get_output().stderr.clone()).unwrap();
    assert!(error.contains("kmeans has no data set \"kdb\"; did you mean \"kdd\"?"), "{error}");
}
