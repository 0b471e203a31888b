//! Text: Zipf-distributed words, and web logs as servers write them.

use super::Rng;
use super::rng::Zipf;

const SYLLABLES: [&str; 16] =
    ["ka", "lo", "mi", "ter", "son", "ra", "vel", "en", "du", "sha", "tor", "is", "ne", "pol", "gar", "ou"];

/// A vocabulary of distinct words; frequent words are short.
pub fn vocabulary(count: usize) -> Vec<String> {
    (0..count)
        .map(|index| {
            let mut word = String::new();
            let mut rest = index;
            loop {
                word += SYLLABLES[rest % SYLLABLES.len()];
                rest /= SYLLABLES.len();
                if rest == 0 {
                    return word;
                }
            }
        })
        .collect()
}

/// Running text of about `bytes` bytes: words by Zipf's law, a line every dozen words.
pub fn prose(bytes: usize, words: usize, rng: &mut Rng) -> Vec<u8> {
    let (vocabulary, zipf) = (vocabulary(words), Zipf::new(words, 1.0));
    let mut text = Vec::with_capacity(bytes + 32);
    let mut words_in_line = 0;
    while text.len() < bytes {
        text.extend_from_slice(vocabulary[zipf.draw(rng)].as_bytes());
        words_in_line += 1;
        text.push(if words_in_line % 12 == 0 { b'\n' } else { b' ' });
    }
    text.truncate(bytes);
    text
}

/// One line of a web log.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The page asked for.
    pub url: String,
    /// Who asked, a number.
    pub visitor: u32,
    /// When, in seconds.
    pub time: u32,
}

/// A web log: pages by Zipf's law over `pages`, visitors in sessions, time moving forward.
pub fn web_log(lines: usize, pages: usize, rng: &mut Rng) -> Vec<Visit> {
    let zipf = Zipf::new(pages, 0.9);
    let words = vocabulary(pages);
    let mut time = 1_300_000_000;
    (0..lines)
        .map(|_| {
            let page = zipf.draw(rng);
            time += rng.below(3);
            let url = format!("http://www.{}.example/{}.html", words[page % 97], words[page]);
            Visit { url, visitor: rng.below(2000), time }
        })
        .collect()
}

/// The log as text: `URL visitor time`, a line a visit.
pub fn log_lines(visits: &[Visit]) -> Vec<u8> {
    let mut log = Vec::new();
    for Visit { url, visitor, time } in visits {
        log.extend_from_slice(format!("{url} {visitor} {time}\n").as_bytes());
    }
    log
}
