//! Writes one chart of every kind, and a page with all of them, into a folder, to look at:
//! `cargo run --package shrinkwarp-report --example gallery -- FOLDER`.
#![expect(clippy::expect_used, reason = "an example")]

use shrinkwarp_report::chart::{
    Axis, Chart, Format, Group, HeatMap, Line, Mean, Ranking, RankingRow, Samples, Scale, Series, Strip,
    Strips,
};
use shrinkwarp_report::figure::{Claim, Figure, Paper};
use shrinkwarp_report::page::reproduction;

const WORKLOADS: [&str; 18] = [
    "backprop",
    "bfs",
    "btree",
    "cfd",
    "dwt2d",
    "gaussian",
    "heartwall",
    "hotspot",
    "kmeans",
    "lavamd",
    "leukocyte",
    "lud",
    "mummer",
    "myocyte",
    "nn",
    "nw",
    "pathfinder",
    "srad",
];

fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder can be written");
    let mut figures = Vec::new();
    for (name, chart) in charts() {
        write(&format!("{name}.svg"), &chart.svg());
        figures.push(Figure::new(Paper::Bpc, name, format!("A chart of the kind {name}")).chart(chart));
    }
    figures[0].claims = vec![
        Claim::number("compression ratio of E2MC16", 1.97, 1.93, Format::Times),
        Claim::number("memory controllers stalled", 0.3906, 0.331, Format::Percent)
            .why("smaller inputs at this scale"),
        Claim::words("best codec on floating point", "BPC", "E2MC16", &[false])
            .why("our traffic has more zeros"),
    ];
    let lead = "One chart of every kind, with numbers that mean nothing.";
    write("gallery.html", &reproduction(Paper::Bpc, lead, &[], &figures).html());
}

fn charts() -> Vec<(&'static str, Chart)> {
    vec![
        ("bars", bars()),
        ("speedups", speedups()),
        ("ranking", ranking()),
        ("stacked", stacked()),
        ("lines", lines()),
        ("time-series", time_series()),
        ("strips", strips()),
        ("violins", violins()),
        ("heat-map", heat_map()),
    ]
}

/// Numbers without meaning, the same every time.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / f64::from(1 << 24)
}

fn values(seed: usize, low: f64, high: f64) -> Vec<f64> {
    (0..WORKLOADS.len()).map(|index| low + (high - low) * noise(100 * seed + index)).collect()
}

fn bars() -> Chart {
    let codecs = [("FPC", 1.53), ("BDI", 1.44), ("C-PACK", 1.6), ("BPC", 1.9), ("E2MC16", 1.97)];
    let series = codecs.iter().enumerate().map(|(index, (name, published))| {
        Series::new(*name, values(index, 1.0, 1.8 + 0.4 * index as f64)).published("geomean", *published)
    });
    Chart::bars("Compression ratio by codec", Axis::ratio("compression ratio"), WORKLOADS, series.collect())
        .with_mean(Mean::Geometric)
}

fn speedups() -> Chart {
    let schemes = ["Static-BDI", "Static-SC", "LATTE-CC"];
    let series =
        schemes.iter().enumerate().map(|(index, name)| Series::new(*name, values(10 + index, 0.85, 1.6)));
    let axis = Axis::ratio("speedup").range(0.8, 1.5);
    Chart::bars("Speedup of L1 compression", axis, WORKLOADS, series.collect()).with_mean(Mean::Geometric)
}

fn ranking() -> Chart {
    let row = |(index, name): (usize, &&str)| RankingRow {
        name: (*name).to_owned(),
        values: vec![3.5 - 0.3 * index as f64, 2.4 - 0.2 * index as f64],
        note: String::new(),
    };
    let codecs = ["bpc64", "sc", "e2mc32", "hycomp", "dsm", "bdi"];
    let ranking = Ranking {
        series: vec!["raw".to_owned(), "in bursts of 32 B".to_owned()],
        rows: codecs.iter().enumerate().map(row).collect(),
    };
    Chart::ranking("Codecs by what memory fetches", Axis::ratio("compression ratio"), ranking)
}

fn stacked() -> Chart {
    let bar = |name: &str, seed: usize| {
        (name.to_owned(), (0..5).map(|part| 0.1 + 0.2 * noise(seed + part)).collect())
    };
    let group = |(index, name): (usize, &&str)| Group {
        name: (*name).to_owned(),
        bars: vec![bar("none", 700 + 20 * index), bar("LATTE", 710 + 20 * index)],
    };
    let groups = WORKLOADS.iter().take(8).enumerate().map(group).collect();
    let parts = ["core", "L1", "L2 and network", "DRAM", "compression"];
    Chart::stacked("Where the energy goes", Axis::new("energy").unit("mJ"), parts, groups)
}

fn lines() -> Chart {
    let bandwidths = [1.0 / 16.0, 1.0 / 8.0, 0.25, 0.5, 1.0];
    let line = |name: &str, gain: f64| {
        Line::new(name, bandwidths.map(|share: f64| (share, (gain * share).min(1.0).powf(0.7))))
    };
    let x = Axis::new("link bandwidth").unit("of 90 GB/s").scale(Scale::Log2).format(Format::Fraction);
    let y = Axis::share("performance of the full link");
    Chart::lines(
        "IPC against bandwidth",
        x,
        y,
        vec![
            line("none", 1.0),
            line("C-PACK + PP", 1.7),
            line("BPC + UP", 1.7),
            line("BPC + PP", 1.95).published(0.5, 0.95),
        ],
    )
}

fn time_series() -> Chart {
    let line = |name: &str, seed: usize| {
        let mut level = 0.5;
        let points = (0..4000).map(|step| {
            level = 0.98 * level + 0.04 * noise(seed + step) - 0.01;
            (1000.0 * step as f64, level)
        });
        Line::new(name, points.collect::<Vec<_>>())
    };
    let (x, y) = (Axis::new("time").unit("cycles"), Axis::share("L1 hit rate"));
    Chart::time_series("L1 hit rate over time", x, y, vec![line("none", 1000), line("LATTE-CC", 9000)])
}

fn strips() -> Chart {
    let states = ["none", "bdi", "sc", "learns"].map(str::to_owned);
    let (mut modes, mut learning) = (Strip::new("mode"), Strip::new("learning"));
    for phase in 0..80 {
        let (from, to) = (256.0 * phase as f64, 256.0 * (phase + 1) as f64);
        modes.push(from, to, (3.0 * noise(phase / 3)) as usize);
        if phase % 20 < 4 {
            learning.push(from, to, 3);
        }
    }
    let strips = Strips { states: states.into(), rows: vec![modes, learning] };
    Chart::strips("Mode of a cache", Axis::new("time").unit("core cycles"), strips)
}

fn violins() -> Chart {
    let samples = |k: usize| {
        let of = |application: usize| {
            (0..200)
                .map(|index| {
                    let spread = noise(k * 10_000 + application * 1000 + index)
                        + noise(k * 10_000 + application * 1000 + index + 500);
                    10f64.powf(-6.0 + 0.25 * k as f64 + 0.9 * spread)
                })
                .collect()
        };
        Samples { name: format!("k = {k}"), samples: (0..4).map(of).collect() }
    };
    let y = Axis::new("relative error").scale(Scale::Log10);
    Chart::violins(
        "Error by cleared bits",
        y,
        ["gaussian", "kmeans", "lud", "hotspot"],
        [4, 8, 12, 16, 20].map(samples).into(),
    )
}

fn heat_map() -> Chart {
    let row = |row: usize| {
        (0..6)
            .map(|column| {
                Some(1.0 + 0.06 * row as f64 + 0.05 * column as f64 + 0.1 * noise(row * 6 + column))
            })
            .collect()
    };
    let map = HeatMap {
        columns: ["none", "bdi", "fpc", "bpc", "e2mc16", "sc"].map(str::to_owned).into(),
        rows: ["none", "static-bdi", "static-sc", "latte"].map(str::to_owned).into(),
        values: (0..4).map(row).collect(),
    };
    Chart::heat_map(
        "Speedup by L1 scheme and memory codec",
        Axis::new("memory codec"),
        Axis::ratio("speedup"),
        map,
    )
}
