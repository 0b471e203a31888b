//! Text: Zipf-distributed words, and web logs as servers write them.

use super::Rng;
use super::c_rand::CRand;
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

/// Running text of about `bytes` bytes whose words have 6 to 12 letters, 8.5 in the mean, by Zipf's law.
pub fn long_words(bytes: usize, rng: &mut Rng) -> Vec<u8> {
    /// Where words of three syllables begin; words of four follow after 15 × 256 of these.
    const THREE_SYLLABLES: usize = 256;
    const WORDS: usize = 2 * 15 * 256;
    let mut words = vocabulary(THREE_SYLLABLES + WORDS).split_off(THREE_SYLLABLES);
    rng.shuffle(&mut words);
    let zipf = Zipf::new(words.len(), 1.0);
    let mut text = Vec::with_capacity(bytes + 32);
    while text.len() < bytes {
        text.extend_from_slice(words[zipf.draw(rng)].as_bytes());
        text.push(b' ');
    }
    text.truncate(bytes);
    text
}

/// A web log as Mars' generator writes it, lines `URL<tab>address<tab>cookie`: 1,024 pages of one site, all else random.
pub fn mars_log(lines: usize, rand: &mut CRand) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..lines {
        let page = rand.rand() % 1024;
        let [a, b, c, d] = [(); 4].map(|()| rand.rand() % 256);
        let cookie = rand.rand() % 1000;
        text += &format!("http://www.abcdefg.com/{page}.html\t{a}.{b}.{c}.{d}\t{cookie}\n");
    }
    text.into_bytes()
}

/// One line of a web log.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The page requested.
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
