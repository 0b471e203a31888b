//! A page: its headings, its links, its HTML.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// A page of Markdown.
pub(super) struct Page {
    /// From the root of the repository.
    pub(super) path: String,
    markdown: String,
    anchors: Vec<String>,
}

impl Page {
    pub(super) fn new(path: &str, markdown: String) -> Self {
        let anchors = anchors(&markdown);
        Self { path: path.to_owned(), markdown, anchors }
    }

    /// What links can point at, in the spelling that code hosts use.
    pub(super) fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors.iter().map(String::as_str)
    }

    pub(super) fn links(&self) -> Vec<String> {
        let links = parser(&self.markdown).filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.into_string())
            }
            _ => None,
        });
        links.collect()
    }

    /// The file, from the root of the repository, and the anchor that a link names.
    pub(super) fn target<'a>(&self, link: &'a str) -> (String, Option<&'a str>) {
        let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
        if file.is_empty() {
            return (self.path.clone(), anchor);
        }
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        (joined(folder, file), anchor)
    }

    /// The page as HTML; `address` gives links their form in the book.
    pub(super) fn html(&self, address: impl Fn(&str) -> String) -> String {
        let mut anchors = self.anchors.iter();
        let events = parser(&self.markdown).map(|event| match event {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let id = anchors.next().cloned().map(CowStr::from);
                Event::Start(Tag::Heading { level, id, classes, attrs })
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(address(&dest_url));
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            other => other,
        });
        let mut text = String::new();
        html::push_html(&mut text, events);
        text
    }
}

/// Whether a link stays inside the repository.
pub(super) fn is_local(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

/// A relative path, from the folder that contains it, without `.` and `..`.
pub(super) fn joined(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(
        markdown,
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH,
    )
}

/// One anchor per heading, in order.
fn anchors(markdown: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    for event in parser(markdown) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    *heading += &text;
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor_of(&heading.take().unwrap_or_default());
                let before = found.iter().filter(|known| **known == anchor).count();
                found.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
            }
            _ => {}
        }
    }
    found
}

/// Lower case, spaces as hyphens, no punctuation.
fn anchor_of(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_from_the_page_they_stand_on() {
        let page =
            Page::new("docs/formats/bpc.md", "# Bit planes: `bpc`\n[up](../a.md#x) [here](#b)".to_owned());
        assert_eq!(page.links(), ["../a.md#x", "#b"]);
        assert_eq!(page.target("../a.md#x"), ("docs/a.md".to_owned(), Some("x")));
        assert_eq!(page.target("#b"), ("docs/formats/bpc.md".to_owned(), Some("b")));
        assert_eq!(page.anchors().collect::<Vec<_>>(), ["bit-planes-bpc"]);
    }

    #[test]
    fn headings_get_their_anchors_and_links_their_addresses() {
        let page = Page::new("a.md", "# One\n[b](b.md)\n# One".to_owned());
        let html = page.html(|link| link.replace(".md", ".html"));
        assert!(html.contains("<h1 id=\"one\">") && html.contains("<h1 id=\"one-1\">"), "{html}");
        assert!(html.contains("href=\"b.html\""), "{html}");
    }
}
