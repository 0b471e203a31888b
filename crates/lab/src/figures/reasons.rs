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
        paper: Paper::Bpc,
        figures: &["2c"],
        why: "not explained: the zero bits of figure 2d rise as published, the bound of whole symbols does not",
    },
    Reason {
        paper: Paper::Bpc,
        figures: &["3c"],
        why: "other inputs: small integers make FPC and BPC better, floats without zeros BDI worse (DEVIATIONS 15, 16)",
    },
    Reason {
        paper: Paper::Bpc,
        figures: &["5"],
        why: "the tree of small scale ends in 28,000 cycles, most of them start and end of two launches; at paper scale \
              60 SMs with 24 vaults reach 3.40× (DEVIATIONS 20)",
    },
    Reason {
        paper: Paper::E2mc,
        figures: &["12a", "12b", "12c", "13"],
        why: "little waits for DRAM here: eight times its bandwidth gives 6 % at small scale (figure 1), and at paper scale the \
              reply network is full first (DEVIATIONS 19)",
    },
    Reason {
        paper: Paper::E2mc,
        figures: &["3", "9a", "9b"],
        why: "small inputs have fewer different words, which helps long symbols most",
    },
    Reason {
        paper: Paper::E2mc,
        figures: &["4b", "11a", "11b"],
        why: "what the host wrote before the sample ends stays raw until it is written again, and most input is only read",
    },
    Reason {
        paper: Paper::Dsm,
        figures: &["1.1", "6.1"],
        why: "the reply network is less loaded at small scale (22.6 % stalled against 39.1 %), and near saturation a third \
              fewer flits remove most of the waiting",
    },
    Reason {
        paper: Paper::Dsm,
        figures: &["6.2", "6.3", "6.10"],
        why: "other inputs: our floats hold more zeros and repeated words (FPC 1.42 against 1.2 in BPC's figure 3c)",
    },
    Reason {
        paper: Paper::Latte,
        figures: &["2"],
        why: "other inputs: SC reaches 7.9 on SS and 7.7 on DJK, but 1.0 where floats hardly repeat (HTW, HOT, PF, SC)",
    },
    Reason {
        paper: Paper::Latte,
        figures: &["11", "12", "13", "14", "15", "17", "48kb"],
        why: "BDI gains 7 % here even without latency (figure 3), and LATTE-CC chooses hardly better than chance: an EP has 32 \
              accesses for each mode, and the best is chosen in 36 to 48 % of the EPs of BC, BFS, CLR, FW and MIS (figure \
              learning; DEVIATIONS 18)",
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
        assert!(reason(Paper::Bpc, "5", Scale::Small).is_some());
        assert_eq!(reason(Paper::Bpc, "5", Scale::Tiny), None);
    }
}
