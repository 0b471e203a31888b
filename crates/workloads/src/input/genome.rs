//! DNA: a genome with the letter frequencies of a bacterium, reads of it, its suffix array and its suffix tree.

use std::collections::VecDeque;

use super::Rng;

/// The letters, in the order of a node's children.
pub const LETTERS: [u8; 4] = *b"ACGT";
/// Ends the text, so that every suffix ends in a leaf.
pub const END: u8 = b'$';

/// Bacillus anthracis has 35 % G and C.
const GC_PERCENT: u32 = 35;
/// Copied stretches: transposons and the genes of ribosomes.
const REPEAT_LETTERS: usize = 500;
const LETTERS_PER_REPEAT: u32 = 20_000;

fn letter(rng: &mut Rng) -> u8 {
    let is_weak = rng.below(100) >= GC_PERCENT;
    let is_first = rng.below(2) == 0;
    match (is_weak, is_first) {
        (true, true) => b'A',
        (true, false) => b'T',
        (false, true) => b'C',
        (false, false) => b'G',
    }
}

/// A genome: independent letters, and now and then a stretch that was there before.
pub fn genome(letters: usize, rng: &mut Rng) -> Vec<u8> {
    let mut text = Vec::with_capacity(letters + REPEAT_LETTERS);
    while text.len() < letters {
        if text.len() > 2 * REPEAT_LETTERS && rng.below(LETTERS_PER_REPEAT) == 0 {
            let from = rng.below((text.len() - REPEAT_LETTERS) as u32) as usize;
            text.extend_from_within(from..from + REPEAT_LETTERS);
        } else {
            text.push(letter(rng));
        }
    }
    text.truncate(letters);
    text
}

/// Reads of `length` letters; a share of them comes from the genome and the rest from a part of it that is not there.
pub fn reads(genome: &[u8], count: usize, length: usize, percent_inside: u32, rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut read = || {
        if rng.below(100) >= percent_inside {
            return (0..length).map(|_| letter(rng)).collect();
        }
        let from = rng.below((genome.len() - length) as u32 + 1) as usize;
        genome[from..from + length].to_vec()
    };
    (0..count).map(|_| read()).collect()
}

/// Where the suffixes begin, in their order.
pub fn suffix_array(text: &[u8]) -> Vec<u32> {
    let mut suffixes: Vec<u32> = (0..text.len() as u32).collect();
    suffixes.sort_unstable_by(|&a, &b| text[a as usize..].cmp(&text[b as usize..]));
    suffixes
}

/// A node of a suffix tree. Nodes are numbered from 1, the root; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// First letter of the edge into this node, as a position in the text.
    pub start: u32,
    /// Last letter of that edge.
    pub end: u32,
    /// By letter; the last one is for the end of the text.
    pub children: [u32; 5],
    /// The node of the same letters without the first.
    pub suffix: u32,
    /// The node above.
    pub parent: u32,
    /// Letters from the root to the end of the edge.
    pub depth: u32,
}

impl Node {
    fn letters(&self) -> u32 {
        self.end - self.start + 1
    }
}

const ROOT: u32 = 1;

fn child_number(letter: u8) -> usize {
    LETTERS.iter().position(|&known| known == letter).unwrap_or(LETTERS.len())
}

/// The suffix tree of `text[1..]`, whose last letter is [`END`], by Ukkonen's algorithm; nodes are numbered level by level. Position 0
/// is no letter of the tree.
pub fn suffix_tree(text: &[u8]) -> Vec<Node> {
    let mut builder = Builder::new(text);
    for position in 1..text.len() {
        builder.append(position as u32);
    }
    number_by_level(&builder.nodes)
}

/// The tree while it grows: the active point is `length` letters along the edge that begins like the text at `edge`.
struct Builder<'t> {
    text: &'t [u8],
    nodes: Vec<Node>,
    active: u32,
    edge: u32,
    length: u32,
    pending: u32,
}

impl<'t> Builder<'t> {
    fn new(text: &'t [u8]) -> Self {
        let root = Node { start: 1, suffix: ROOT, ..Node::default() };
        Self { text, nodes: vec![Node::default(), root], active: ROOT, edge: 0, length: 0, pending: 0 }
    }

    fn letter(&self, position: u32) -> u8 {
        self.text[position as usize]
    }

    /// A new node; leaves have no suffix link.
    fn add(&mut self, start: u32, end: u32) -> u32 {
        self.nodes.push(Node { start, end, ..Node::default() });
        self.nodes.len() as u32 - 1
    }

    /// Adds the letter at `position` to every suffix that ends before it.
    fn append(&mut self, position: u32) {
        let last = self.text.len() as u32 - 1;
        let mut without_link = 0;
        self.pending += 1;
        while self.pending > 0 {
            if self.length == 0 {
                self.edge = position;
            }
            let number = child_number(self.letter(self.edge));
            let next = self.nodes[self.active as usize].children[number];
            if next == 0 {
                let leaf = self.add(position, last);
                self.nodes[self.active as usize].children[number] = leaf;
                self.link(&mut without_link, self.active);
            } else {
                let node = self.nodes[next as usize];
                if self.length >= node.letters() {
                    self.edge += node.letters();
                    self.length -= node.letters();
                    self.active = next;
                    continue;
                }
                if self.letter(node.start + self.length) == self.letter(position) {
                    self.length += 1;
                    self.link(&mut without_link, self.active);
                    return;
                }
                let split = self.split(next, number, position);
                self.link(&mut without_link, split);
            }
            self.pending -= 1;
            if self.active == ROOT && self.length > 0 {
                self.length -= 1;
                self.edge = position - self.pending + 1;
            } else {
                self.active = self.nodes[self.active as usize].suffix;
            }
        }
    }

    /// Splits the edge to `next` at the active point and hangs a leaf for `position` there.
    fn split(&mut self, next: u32, number: usize, position: u32) -> u32 {
        let start = self.nodes[next as usize].start;
        let split = self.add(start, start + self.length - 1);
        self.nodes[split as usize].suffix = ROOT;
        self.nodes[self.active as usize].children[number] = split;
        let leaf = self.add(position, self.text.len() as u32 - 1);
        self.nodes[next as usize].start = start + self.length;
        let (old, new) =
            (child_number(self.letter(start + self.length)), child_number(self.letter(position)));
        self.nodes[split as usize].children[old] = next;
        self.nodes[split as usize].children[new] = leaf;
        split
    }

    fn link(&mut self, without_link: &mut u32, to: u32) {
        if *without_link != 0 {
            self.nodes[*without_link as usize].suffix = to;
        }
        *without_link = if to == ROOT { 0 } else { to };
    }
}

fn number_by_level(nodes: &[Node]) -> Vec<Node> {
    let mut numbers = vec![0u32; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let mut queue = VecDeque::from([ROOT]);
    while let Some(node) = queue.pop_front() {
        order.push(node);
        numbers[node as usize] = order.len() as u32;
        queue.extend(nodes[node as usize].children.iter().filter(|&&child| child != 0));
    }
    let mut numbered = vec![Node::default(); order.len() + 1];
    for &old in &order {
        let (node, number) = (nodes[old as usize], numbers[old as usize]);
        let placed = &mut numbered[number as usize];
        // The parent came earlier and has left its number and depth here.
        let depth = placed.depth + if old == ROOT { 0 } else { node.letters() };
        let children = node.children.map(|child| numbers[child as usize]);
        *placed =
            Node { children, suffix: numbers[node.suffix as usize], parent: placed.parent, depth, ..node };
        for child in children.into_iter().filter(|&child| child != 0) {
            numbered[child as usize].parent = number;
            numbered[child as usize].depth = depth;
        }
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The letters from the root to a node.
    fn path(text: &[u8], nodes: &[Node], mut node: u32) -> Vec<u8> {
        let mut parts = Vec::new();
        while node != ROOT {
            let Node { start, end, parent, .. } = nodes[node as usize];
            parts.push(text[start as usize..=end as usize].to_vec());
            node = parent;
        }
        parts.into_iter().rev().flatten().collect()
    }

    #[test]
    fn the_tree_of_a_small_text_has_a_leaf_for_every_suffix_and_right_suffix_links() {
        let mut text = vec![b' '];
        text.extend(genome(300, &mut Rng::new(3)));
        text.extend_from_slice(b"ACGACGACGTT");
        text.push(END);
        let nodes = suffix_tree(&text);
        let is_leaf = |node: &Node| node.children == [0; 5];
        let leaves = nodes.iter().skip(2).filter(|node| is_leaf(node)).count();
        assert_eq!(leaves, text.len() - 1);
        for number in 2..nodes.len() as u32 {
            let node = nodes[number as usize];
            let letters = path(&text, &nodes, number);
            assert_eq!(letters.len() as u32, node.depth);
            if is_leaf(&node) {
                assert!(text.ends_with(&letters));
            } else {
                assert_eq!(path(&text, &nodes, node.suffix), letters[1..]);
            }
        }
    }
}
