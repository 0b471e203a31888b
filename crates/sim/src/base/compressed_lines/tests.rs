//! Which lines leave when another comes?

use super::*;

const WHOLE: u16 = 4;
const COMPRESSED: Mode = Mode(1);

/// One set of four ways: 16 tags and 16 sub-blocks.
fn set(mode: Mode, reserved_sub_blocks: u16) -> CompressedLines {
    let mut lines = CompressedLines::new(LinesSpec {
        sets: 1,
        tags: 16,
        sub_blocks: 16,
        line_sub_blocks: WHOLE,
        has_sectors: false,
    });
    lines.insert_as(0, mode);
    lines.reserve_in(mode, reserved_sub_blocks);
    lines
}

/// The address of block `number`.
fn block(number: u64) -> LineAddress {
    LineAddress::of(128 * number, 128)
}

fn form(sub_blocks: u16) -> StoredForm {
    StoredForm { sub_blocks, is_compressed: sub_blocks < WHOLE, ready_at: Cycle(0) }
}

/// Block `number` misses and arrives in this number of sub-blocks.
fn bring(lines: &mut CompressedLines, number: u64, sub_blocks: u16) -> LineIndex {
    let Probe::Miss(line) = lines.probe(0, block(number)) else { unreachable!("no room for {number}") };
    lines.reserve(line, block(number), Cycle(number));
    lines.set_state(line, LineState::Valid);
    lines.commit_fill(line, form(sub_blocks));
    line
}

fn holds(lines: &CompressedLines, number: u64) -> bool {
    matches!(lines.probe(0, block(number)), Probe::Hit(_))
}

#[test]
fn thirteen_lines_of_a_quarter_fit_beside_a_reserved_whole_line() {
    let mut lines = set(COMPRESSED, WHOLE);
    for number in 0..20 {
        bring(&mut lines, number, 1);
    }
    // The last miss needed four free sub-blocks and gave three back.
    assert_eq!(lines.held_lines(), 13);
    assert!(holds(&lines, 7) && !holds(&lines, 6));
}

#[test]
fn with_one_sub_block_reserved_every_tag_is_used() {
    let mut lines = set(COMPRESSED, 1);
    for number in 0..20 {
        bring(&mut lines, number, 1);
    }
    assert_eq!(lines.held_lines(), 16);
    assert!(holds(&lines, 4) && !holds(&lines, 3));
}

#[test]
fn several_lines_leave_for_one_oldest_first() {
    let mut lines = set(COMPRESSED, WHOLE);
    for number in 0..8 {
        bring(&mut lines, number, 2);
    }
    // 8 x 2 sub-blocks would fill the set; the eighth miss made room by sending block 0 away.
    assert_eq!((lines.held_lines(), lines.evicted_lines, lines.multiple_evictions), (7, 1, 0));
    lines.insert_as(0, Mode::RAW);
    bring(&mut lines, 8, WHOLE);
    assert_eq!((lines.held_lines(), lines.evicted_lines), (7, 2));
    bring(&mut lines, 9, WHOLE);
    assert_eq!((lines.evicted_lines, lines.multiple_evictions), (4, 1), "blocks 2 and 3 leave for 9");
    assert!(!holds(&lines, 2) && !holds(&lines, 3) && holds(&lines, 4));
}

#[test]
fn a_block_that_grew_sends_clean_lines_away() {
    let mut lines = set(COMPRESSED, 1);
    for number in 0..15 {
        bring(&mut lines, number, 1);
    }
    let line = bring(&mut lines, 15, 3);
    assert_eq!(lines.form(line).sub_blocks, 3);
    assert_eq!((lines.held_lines(), lines.evicted_lines, lines.multiple_evictions), (14, 2, 1));
    assert!(!holds(&lines, 0) && !holds(&lines, 1) && holds(&lines, 2) && holds(&lines, 15));
}

#[test]
fn a_block_without_room_is_not_kept() {
    let mut lines = set(COMPRESSED, 1);
    for number in 0..16 {
        let Probe::Miss(line) = lines.probe(0, block(number)) else { unreachable!("a free tag") };
        lines.reserve(line, block(number), Cycle(number));
    }
    assert_eq!(lines.probe(0, block(16)), Probe::AllReserved);
    let Probe::HitReserved(line) = lines.probe(0, block(0)) else { unreachable!("block 0 is on its way") };
    lines.set_state(line, LineState::Valid);
    assert!(!lines.commit_fill(line, form(2)), "every other line is reserved");
    assert_eq!((lines.unkept_blocks, lines.held_lines()), (1, 0));
}

#[test]
fn whole_reserved_lines_fill_the_set_as_in_the_plain_cache() {
    let mut lines = set(Mode::RAW, WHOLE);
    for number in 0..4 {
        let Probe::Miss(line) = lines.probe(0, block(number)) else { unreachable!("room for four") };
        lines.reserve(line, block(number), Cycle(number));
    }
    assert_eq!(lines.probe(0, block(4)), Probe::AllReserved);
}

#[test]
fn a_dirty_line_that_leaves_is_written_back() {
    let mut lines = set(Mode::RAW, WHOLE);
    let line = bring(&mut lines, 0, WHOLE);
    lines.set_state(line, LineState::Modified);
    for number in 1..4 {
        bring(&mut lines, number, WHOLE);
    }
    let Probe::Miss(line) = lines.probe(0, block(4)) else { unreachable!("block 0 can leave") };
    assert_eq!(lines.reserve(line, block(4), Cycle(4)), Some(block(0)));
}

#[test]
fn an_old_code_takes_its_lines_along() {
    let mut lines = set(COMPRESSED, WHOLE);
    bring(&mut lines, 0, 1);
    bring(&mut lines, 1, WHOLE);
    lines.insert_as(0, Mode(2));
    bring(&mut lines, 2, 1);
    assert_eq!(lines.invalidate_mode(COMPRESSED), 1, "a raw line outlives the code");
    assert!(!holds(&lines, 0) && holds(&lines, 1) && holds(&lines, 2));
}

#[test]
fn every_dirty_line_that_leaves_for_a_miss_is_written_back() {
    let mut lines = set(COMPRESSED, WHOLE);
    for number in 0..7 {
        let line = bring(&mut lines, number, 2);
        lines.set_state(line, LineState::Modified);
    }
    // 14 of 16 sub-blocks are taken: a whole line needs one more line to leave, then two for the next.
    bring(&mut lines, 7, WHOLE);
    let Probe::Miss(line) = lines.probe(0, block(8)) else { unreachable!("blocks 1 and 2 can leave") };
    assert_eq!(lines.reserve(line, block(8), Cycle(8)), Some(block(1)));
    assert_eq!((lines.take_dirty_victim(), lines.take_dirty_victim()), (Some(block(2)), None));
    assert_eq!((lines.take_compressed_victims(), lines.take_compressed_victims()), (3, 0));
}

#[test]
fn a_line_that_grows_in_place_sends_the_oldest_others_away() {
    let mut lines = set(COMPRESSED, 1);
    let written: Vec<_> = (0..16).map(|number| bring(&mut lines, number, 1)).collect();
    lines.set_state(written[0], LineState::Modified);
    lines.set_state(written[1], LineState::Modified);
    assert!(lines.resize(written[0], form(3)));
    assert!(holds(&lines, 0) && !holds(&lines, 1) && !holds(&lines, 2) && holds(&lines, 3));
    assert_eq!((lines.take_dirty_victim(), lines.take_dirty_victim()), (Some(block(1)), None));
}

#[test]
fn a_line_that_grows_among_reserved_ones_leaves_itself() {
    let mut lines = set(COMPRESSED, 1);
    let line = bring(&mut lines, 0, 1);
    lines.set_state(line, LineState::Modified);
    for number in 1..16 {
        let Probe::Miss(other) = lines.probe(0, block(number)) else { unreachable!("a free tag") };
        lines.reserve(other, block(number), Cycle(number));
    }
    assert!(!lines.resize(line, form(2)));
    assert_eq!(
        (holds(&lines, 0), lines.take_dirty_victim(), lines.unkept_blocks),
        (false, Some(block(0)), 1)
    );
}
