//! Which colour a series has.
//!
//! Okabe & Ito, "Color Universal Design", 2008: eight colours that readers with any colour vision can tell apart. The
//! colours themselves are in `chart.css`, for light and dark; here they are classes.

/// Colours there are; a series beyond them repeats a colour, hollow.
const COLOURS: usize = 8;

/// The class of a series.
pub(super) fn class(series: usize) -> String {
    let colour = format!("s{}", series % COLOURS);
    if series < COLOURS { colour } else { format!("{colour} hollow") }
}
