//! The book as a folder of HTML files, laid out as the repository is, so that relative links keep working.

use std::fs;
use std::path::Path;

use super::Book;
use super::page::{Page, is_local};

const STYLE: &str = include_str!("book.css");

/// Writes every page, the files that pages link to, and an `index.html` that leads to the first page.
pub(super) fn write(book: &Book, folder: &Path) -> Result<(), String> {
    for page in book.pages.values() {
        save(&folder.join(html_name(&page.path)), whole(book, page).as_bytes())?;
        for link in page.links().iter().filter(|link| is_local(link)) {
            copy(book, &page.target(link).0, folder)?;
        }
    }
    let first = book.chapters.first().map(|chapter| html_name(&chapter.path)).unwrap_or_default();
    let index = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={first}\">\n");
    save(&folder.join("index.html"), index.as_bytes())
}

fn whole(book: &Book, page: &Page) -> String {
    let up = "../".repeat(page.path.matches('/').count());
    let chapter = book.chapters.iter().find(|chapter| chapter.path == page.path);
    let title = chapter.map_or("", |chapter| chapter.title.as_str());
    let body = page.html(|link| address(book, page, link));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\"><title>{title} · \
         Shrinkwarp</title><style>{STYLE}</style></head><body><nav id=\"pages\">{}</nav><main><a class=\"to-pages\" href=\"#pages\">All pages</a>{body}</main></body></html>\n",
        contents(book, page, &up)
    )
}

fn contents(book: &Book, page: &Page, up: &str) -> String {
    let (mut part, mut text) = ("", String::new());
    for chapter in &book.chapters {
        if chapter.part != part {
            part = &chapter.part;
            text += &format!("<h2>{part}</h2>");
        }
        let here = if chapter.path == page.path { " aria-current=\"page\"" } else { "" };
        text += &format!("<a href=\"{up}{}\"{here}>{}</a>", html_name(&chapter.path), chapter.title);
    }
    text
}

/// Links between pages lead to their HTML, links to a folder to the first page in it.
fn address(book: &Book, page: &Page, link: &str) -> String {
    if !is_local(link) {
        return link.to_owned();
    }
    let (path, _) = page.target(link);
    if book.pages.contains_key(&path) {
        return html_name(link);
    }
    let inside = book.pages.keys().find_map(|known| known.strip_prefix(&format!("{path}/")));
    inside.map_or_else(
        || link.to_owned(),
        |first| format!("{}/{}", link.trim_end_matches('/'), html_name(first)),
    )
}

fn html_name(path: &str) -> String {
    let (file, anchor) = path.split_once('#').map_or((path, None), |(file, anchor)| (file, Some(anchor)));
    let file = file.strip_suffix(".md").map_or(file.to_owned(), |stem| format!("{stem}.html"));
    anchor.map_or(file.clone(), |anchor| format!("{file}#{anchor}"))
}

/// Pictures and other files that a page shows or links to.
fn copy(book: &Book, path: &str, folder: &Path) -> Result<(), String> {
    let source = book.root.join(path);
    if book.pages.contains_key(path) || !source.is_file() {
        return Ok(());
    }
    let bytes = fs::read(&source).map_err(|error| format!("{path}: {error}"))?;
    save(&folder.join(path), &bytes)
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failure = |error| format!("{}: {error}", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failure)?;
    }
    fs::write(path, bytes).map_err(failure)
}
