//! How results and mistakes are shown: values in, text out. Nothing here prints, reads files or knows a GPU.
//!
//! | module         | question it answers                                                |
//! |----------------|--------------------------------------------------------------------|
//! | [`chart`]      | how is it drawn?                                                   |
//! | [`page`]       | how is it shown in a browser?                                      |
//! | [`figure`]     | what does a paper show and claim, and what did we find?            |
//! | [`markup`]     | how does text stay text inside HTML and SVG?                       |
//! | [`text`]       | how are sizes, names and CSV fields written?                       |
//! | [`excerpt`]    | where in a file is the mistake?                                    |
//! | [`suggestion`] | which known name is nearest to an unknown one?                     |
//! | [`toml_words`] | what does the reader of a file mean, in the file's own words?      |

pub mod chart;
pub mod excerpt;
pub mod figure;
pub mod markup;
pub mod page;
pub mod text;
pub mod toml_words;

pub use shrinkwarp_suggestion as suggestion;
