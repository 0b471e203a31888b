//! The table of contents: headings are parts, links are chapters.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::page::joined;

/// One line of the table of contents.
#[derive(Clone)]
pub(super) struct Chapter {
    /// The part it belongs to.
    pub(super) part: String,
    pub(super) title: String,
    /// From the root of the repository.
    pub(super) path: String,
}

/// The chapters of a summary that lies in `folder`.
pub(super) fn chapters(markdown: &str, folder: &str) -> Vec<Chapter> {
    let (mut part, mut text) = (String::new(), String::new());
    let mut path = String::new();
    let mut chapters = Vec::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Heading { .. }) => text.clear(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                text.clear();
                path = joined(folder, &dest_url);
            }
            Event::Text(piece) | Event::Code(piece) => text += &piece,
            Event::End(TagEnd::Heading(_)) => part = std::mem::take(&mut text),
            Event::End(TagEnd::Link) => {
                let title = std::mem::take(&mut text);
                chapters.push(Chapter { part: part.clone(), title, path: std::mem::take(&mut path) });
            }
            _ => {}
        }
    }
    chapters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_parts_and_chapters() {
        let found = chapters("# Book\n## Guide\n- [Start](start.md)\n- [Map](../MAP.md)\n", "docs");
        let lines: Vec<_> =
            found.iter().map(|chapter| (&*chapter.part, &*chapter.title, &*chapter.path)).collect();
        assert_eq!(lines, [("Guide", "Start", "docs/start.md"), ("Guide", "Map", "MAP.md")]);
    }
}
