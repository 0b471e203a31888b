//! Why claims do not hold as published, where we know: one table, so that a reader finds all of it in one place.
//!
//! A reason quotes numbers of one scale and is shown at that scale only; DEVIATIONS.md has what was tried.

use shrinkwarp_workloads::Scale;

use shrinkwarp_report::figure::Paper;

/// Figures of a paper, and the reason for all of their claims that differ and name none themselves.
struct Reason {
    paper: Paper,
    figures: &'static [&'static str],
    why: &'static str,
}

/// The scale that the reasons were found at.
const FOUND_AT: Scale = Scale::Small;

const REASONS: &[Reason] = &[
    Reason {
        paper: Paper::E2mc,
        figures: &["1"],
        why: "what gains nothing from a faster clock waits for the ports of the reply network; more channels bring more of them",
    },
    Reason {
        paper: Paper::E2mc,
        figures: &["9a", "9b", "11a", "11b"],
        why: "data of four workloads compress very well: local memory of LIB, Walsh functions, flags, records of zeros; with others BDI has 1.32 in bursts",
    },
    Reason {
        paper: Paper::E2mc,
        figures: &["12a", "12b", "12c", "13"],
        why: "the size of the inputs: with those of paper scale fourteen of the workloads gain 1.20 with four ways, where they gain 1.10 at small scale",
    },
    Reason {
        paper: Paper::Latte,
        figures: &["11", "12", "15", "policies"],
        why: "an experimental phase of one L1 has few accesses: with counters summed over all L1s LATTE-CC gains 1.178 in place of 1.126",
    },
    Reason {
        paper: Paper::Latte,
        figures: &["17"],
        why: "every hit passes the decompressor by itself: where hits of a line that waits there share it, Adaptive-Hit-Count gains 1.140",
    },
    Reason {
        paper: Paper::Latte,
        figures: &["13", "14"],
        why: "two thirds of the energy of these programs is static here; with a quarter of that and twice the energy of data movement static SC costs 0.4 % more, and data movement saves 4.7 %",
    },
    Reason {
        paper: Paper::Latte,
        figures: &["2"],
        why: "the mean: arithmetic and of the cache-sensitive workloads alone it is 3.45 for BPC and 3.18 for SC",
    },
    Reason {
        paper: Paper::Dsm,
        figures: &["6.2"],
        why: "the size of the inputs: with those of paper scale seventeen of the workloads gain 4.6 % with BDI and 3.3 % with FPC",
    },
    Reason {
        paper: Paper::Bpc,
        figures: &["2c", "2d", "3c"],
        why: "in part the size of the inputs: at paper scale BPC has 2.33 in place of 2.50 on 16 floating-point workloads and 3.38 in place of 4.31 on two mixed ones",
    },
];

/// The reason for a figure, where one was found at this scale.
pub fn reason(paper: Paper, figure: &str, scale: Scale) -> Option<&'static str> {
    let known = REASONS.iter().find(|reason| reason.paper == paper && reason.figures.contains(&figure));
    known.filter(|_| scale == FOUND_AT).map(|reason| reason.why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::of_paper;

    #[test]
    fn every_reason_belongs_to_a_figure() {
        for reason in REASONS {
            for figure in reason.figures {
                assert!(of_paper(reason.paper).iter().any(|spec| spec.id == *figure), "{figure}");
            }
        }
    }

    #[test]
    fn a_reason_with_numbers_of_one_scale_is_not_shown_at_another() {
        assert!(reason(Paper::E2mc, "1", Scale::Small).is_some());
        assert_eq!(reason(Paper::E2mc, "1", Scale::Tiny), None);
    }
}
