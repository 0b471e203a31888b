//! Word count over running text, as MapReduce.

use std::collections::BTreeMap;

use super::mars::{self, Input, address_words};
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::input::text;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "wordcount",
    summary: "MapReduce word count",
    class: Class::Integer,
    papers: &[(Paper::Latte, "WC")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Text),
    data_sets: &[
        DataSet::new(
            "long-words",
            "words of 6 to 12 letters, as many as in the text that the original was measured with",
        ),
        DataSet::new("zipf", "generator of this suite: words by Zipf's law, frequent ones short"),
    ],
    ptx: include_str!("../../kernels/wordcount.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 13] =
    mars::sort_buffers(&[exact("text", ElementType::U8)], exact("keys", ElementType::U8));

/// Bytes of text that a thread reads; a chunk ends with a word.
const CHUNK: usize = 2048;
/// Shorter words are not counted.
const MIN_LETTERS: usize = 6;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let bytes: usize = host.size(host.scale().pick(1_500, 36_000, 86_000), 1_000..=1 << 24)?;
    let mut prose = match host.input() {
        Some(given) => given.to_vec(),
        None if host.data() == "zipf" => text::prose(bytes, 3_000, &mut host.rng(1)),
        None => text::long_words(bytes, &mut host.rng(1)),
    };
    prose.make_ascii_uppercase();
    prose.push(b'\n');
    let chunks = chunks(&prose);
    // A zero ends each chunk, as the original's host leaves it, and the text.
    for &(start, bytes) in &chunks {
        prose[start + bytes - 1] = 0;
    }
    prose.push(0);
    let text_buffer = host.upload("text", &prose)?;
    let input = Input {
        keys: address_words(text_buffer).repeat(chunks.len()),
        values: chunks.iter().flat_map(|&(start, bytes)| [start as i32, bytes as i32, 0, 0]).collect(),
        key_words: 2,
        value_words: 4,
    };
    let is_letter = |byte: u8| byte.is_ascii_uppercase();
    let mut expected = BTreeMap::new();
    for word in prose.split(|&byte| !is_letter(byte)).filter(|word| word.len() >= MIN_LETTERS) {
        *expected.entry(String::from_utf8_lossy(word).into_owned()).or_insert(0) += 1;
    }
    if expected.is_empty() {
        return Err(InputFileError::at(0, format!("the text has no word of {MIN_LETTERS} letters")).into());
    }
    let mapped = mars::map::<u8>(host, &input)?;
    let (sorted, groups) = mars::group(host, &mapped)?;

    let keys = host.download(sorted.keys)?;
    let directory = host.download(sorted.directory)?;
    let mut got = BTreeMap::new();
    for [first, end] in groups {
        let at = directory[first as usize * 4] as usize;
        let word: Vec<u8> = keys[at..].iter().copied().take_while(|&byte| byte != 0).collect();
        got.insert(String::from_utf8_lossy(&word).into_owned(), end - first);
    }
    mars::check_counts(host, &got, &expected)
}

/// Where chunks begin, and their bytes: two kilobytes, and on to the byte after the word.
fn chunks(text: &[u8]) -> Vec<(usize, usize)> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let mut end = (start + CHUNK).min(text.len());
        while end < text.len() && text[end].is_ascii_uppercase() {
            end += 1;
        }
        end = (end + 1).min(text.len());
        chunks.push((start, end - start));
        start = end;
    }
    chunks
}
