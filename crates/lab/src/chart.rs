//! Charts as the papers of the field draw them, as SVG.
