//! The book: the Markdown of `docs/`, in the order of `docs/SUMMARY.md`, as HTML with a table of contents.
//!
//! What would disappoint a reader stops the build: a link or an anchor that leads nowhere, and a page of `docs/` that the
//! summary does not list.

mod page;
mod site;
mod summary;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use page::Page;
use summary::Chapter;

const SUMMARY: &str = "docs/SUMMARY.md";
const PAGES: &str = "docs";

/// Everything the book holds, checked.
pub struct Book {
    root: PathBuf,
    chapters: Vec<Chapter>,
    /// By path from the root of the repository.
    pages: BTreeMap<String, Page>,
}

/// Checks the book and writes it into a folder.
pub fn build(root: &Path, folder: &Path) -> Result<(), String> {
    let book = Book::read(root)?;
    book.check()?;
    site::write(&book, folder)
}

impl Book {
    fn read(root: &Path) -> Result<Self, String> {
        let chapters = with_folders(root, &summary::chapters(&text_of(root, SUMMARY)?, PAGES))?;
        let mut pages = BTreeMap::new();
        for chapter in &chapters {
            pages.insert(chapter.path.clone(), Page::new(&chapter.path, text_of(root, &chapter.path)?));
        }
        Ok(Self { root: root.to_owned(), chapters, pages })
    }

    fn check(&self) -> Result<(), String> {
        let mut mistakes = self.unlisted()?;
        for page in self.pages.values() {
            for link in page.links().iter().filter(|link| page::is_local(link)) {
                if let Err(why) = self.follow(page, link) {
                    mistakes.push(format!("{}: [{link}] {why}", page.path));
                }
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("\n")) }
    }

    /// Whether a link leads to something that is there.
    fn follow(&self, page: &Page, link: &str) -> Result<(), String> {
        let (path, anchor) = page.target(link);
        if let Some(target) = self.pages.get(&path) {
            return match anchor {
                Some(anchor) if !target.anchors().any(|known| known == anchor) => {
                    let known: Vec<&str> = target.anchors().collect();
                    Err(format!("no such heading in {path}; it has {}", known.join(", ")))
                }
                _ => Ok(()),
            };
        }
        if self.root.join(&path).exists() { Ok(()) } else { Err(format!("{path} does not exist")) }
    }

    /// Pages of the folder that no reader would find.
    fn unlisted(&self) -> Result<Vec<String>, String> {
        let mut files = Vec::new();
        collect_markdown(&self.root, PAGES, &mut files)?;
        let lost = files.into_iter().filter(|file| file != SUMMARY && !self.pages.contains_key(file));
        Ok(lost.map(|file| format!("{file}: not listed in {SUMMARY}")).collect())
    }
}

/// The chapters with the pages of each folder that the summary lists, those that it does not list by themselves, in place of it.
fn with_folders(root: &Path, listed: &[Chapter]) -> Result<Vec<Chapter>, String> {
    let is_listed = |path: &str| listed.iter().any(|chapter| chapter.path == path);
    let mut chapters = Vec::new();
    for chapter in listed {
        if !root.join(&chapter.path).is_dir() {
            chapters.push(chapter.clone());
            continue;
        }
        let mut files = Vec::new();
        collect_markdown(root, chapter.path.trim_end_matches('/'), &mut files)?;
        for path in files.into_iter().filter(|path| !is_listed(path)) {
            let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            chapters.push(Chapter { part: chapter.part.clone(), title: name, path });
        }
    }
    Ok(chapters)
}

fn collect_markdown(root: &Path, folder: &str, files: &mut Vec<String>) -> Result<(), String> {
    let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
    let mut names: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    for path in names {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let relative = format!("{folder}/{name}");
        if path.is_dir() {
            collect_markdown(root, &relative, files)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(relative);
        }
    }
    Ok(())
}

fn text_of(root: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_of_the_book_leads_nowhere_and_no_page_is_lost() -> Result<(), String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Book::read(&root)?.check()
    }
}
