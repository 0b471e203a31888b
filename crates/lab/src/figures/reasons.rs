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
        figures: &["4b", "11a", "11b"],
        why: "what the host wrote before the sample ends stays raw until it is written again, and most input is only read",
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
        assert!(reason(Paper::E2mc, "4b", Scale::Small).is_some());
        assert_eq!(reason(Paper::E2mc, "4b", Scale::Tiny), None);
    }
}
