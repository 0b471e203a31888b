//! Does every command wait as long as the table says, and does FR-FCFS choose as it should?

use super::*;
use crate::config::load;

fn channel() -> Channel {
    channel_with(&[])
}

fn channel_with(overrides: &[&str]) -> Channel {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Channel::new(&load("gtx480", &overrides).unwrap().dram)
}

fn request(kind: AccessKind, bank: u8, row: u32, handle: u32) -> Request {
    let packet = Packet { handle, ..Packet::new(kind, 0, 128, 0, Cycle(0)) };
    Request { packet, bank, row, bursts: 2, merge_bursts: 0 }
}

fn read(bank: u8, row: u32, handle: u32) -> Request {
    request(AccessKind::GlobalRead, bank, row, handle)
}

/// Pushes one request per cycle and runs until all are answered: (cycle of the answer, handle) in order.
fn serve(channel: &mut Channel, requests: &[Request]) -> Vec<(u64, u32)> {
    let mut rest = requests.iter();
    let mut answers = Vec::new();
    for now in 0..5000 {
        channel.step(Cycle(now));
        while let Some(packet) = channel.pop_return() {
            answers.push((now, packet.handle));
        }
        if !channel.is_queue_full()
            && let Some(request) = rest.next()
        {
            channel.push(*request);
        }
        if answers.len() == requests.len() {
            return answers;
        }
    }
    panic!("only {} answers", answers.len());
}

#[test]
fn a_read_after_activate_waits_rcd_and_its_bursts_ccdl() {
    // Chosen and activated in cycle 1, read 12 later, the second burst 3 later in the same group, its data 12 later.
    assert_eq!(serve(&mut channel(), &[read(0, 5, 1)]), [(1 + 12 + 3 + 12, 1)]);
}

#[test]
fn a_write_may_follow_its_activate_sooner_and_is_done_after_wl() {
    let write = request(AccessKind::GlobalWrite, 0, 5, 1);
    assert_eq!(serve(&mut channel(), &[write]), [(1 + (12 - 4 - 1) + 3 + 4, 1)]);
}

#[test]
fn another_row_of_the_bank_waits_for_ras_rp_and_rcd() {
    let answers = serve(&mut channel(), &[read(0, 5, 1), read(0, 6, 2)]);
    // Activate at 1, precharge at 1 + ras = 29, activate at 29 + rp = 41 (= 1 + rc), read at 53, 56, data at 68.
    assert_eq!(answers[1], (1 + 28 + 12 + 12 + 3 + 12, 2));
}

#[test]
fn a_read_after_a_write_waits_for_the_bus_to_turn() {
    let answers = serve(&mut channel(), &[request(AccessKind::GlobalWrite, 0, 5, 1), read(0, 5, 2)]);
    // Writes at 8 and 11; reads from 11 + 11 on.
    assert_eq!(answers[1], (11 + 11 + 3 + 12, 2));
}

#[test]
fn a_write_after_a_read_waits_for_the_bus_to_turn() {
    let answers = serve(&mut channel(), &[read(0, 5, 1), request(AccessKind::GlobalWrite, 0, 5, 2)]);
    // Reads at 13 and 16; writes from 16 + 12 on.
    assert_eq!(answers[1], (16 + 12 + 3 + 4, 2));
}

#[test]
fn banks_of_different_groups_share_the_bus_every_ccd() {
    let answers = serve(&mut channel(), &[read(0, 5, 1), read(1, 5, 2)]);
    // The second activate comes rrd = 6 after the first: reads at 13, 16 and at 19, 22.
    assert_eq!(answers, [(28, 1), (34, 2)]);
}

#[test]
fn the_open_row_goes_before_an_older_request_to_another() {
    let answers = serve(&mut channel(), &[read(0, 5, 1), read(0, 6, 2), read(0, 5, 3)]);
    assert_eq!(answers.iter().map(|a| a.1).collect::<Vec<_>>(), [1, 3, 2]);
}

#[test]
fn first_come_first_served_goes_back_to_a_row_that_it_has_left() {
    let mut channel = channel_with(&["dram.scheduler=fcfs"]);
    let answers = serve(&mut channel, &[read(0, 5, 1), read(0, 6, 2), read(0, 5, 3)]);
    assert_eq!(answers.iter().map(|a| a.1).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(channel.counters.activates, 3);
}

#[test]
fn a_closed_row_needs_no_precharge_before_another_and_an_activate_before_itself() {
    let far_apart = |channel: &mut Channel, row| {
        // Long after the first request, the second finds its bank at rest.
        serve(channel, &[read(0, 5, 1)]);
        channel.push(read(0, row, 2));
        (1000..2000).find(|&now| {
            channel.step(Cycle(now));
            channel.pop_return().is_some()
        })
    };
    // Chosen in cycle 1000, precharge (12), activate (12), two bursts (3), data (12).
    assert_eq!(far_apart(&mut channel(), 6), Some(1000 + 12 + 12 + 3 + 12));
    assert_eq!(far_apart(&mut channel(), 5), Some(1000 + 3 + 12));
    let closed = || channel_with(&["dram.row_policy=closed"]);
    assert_eq!(far_apart(&mut closed(), 6), Some(1000 + 12 + 3 + 12));
    assert_eq!(far_apart(&mut closed(), 5), Some(1000 + 12 + 3 + 12));
}

#[test]
fn a_row_that_a_request_waits_for_is_not_closed() {
    let mut channel = channel_with(&["dram.row_policy=closed"]);
    serve(&mut channel, &[read(0, 5, 1), read(0, 5, 2)]);
    assert_eq!((channel.counters.activates, channel.counters.precharges), (1, 1));
}

#[test]
fn a_stream_over_open_rows_keeps_the_bus_almost_full() {
    // Banks of all groups in turn, one row each.
    let requests: Vec<_> = (0..400).map(|n| read((n % 16) as u8, 7, n)).collect();
    let mut channel = channel();
    let answers = serve(&mut channel, &requests);
    let cycles = answers.last().unwrap().0 as f64;
    let share = channel.counters.data_bus_cycles as f64 / cycles;
    assert!(share > 0.9, "bus used {share:.2}");
    assert_eq!(channel.counters.activates, 16);
    assert_eq!(channel.counters.read_commands, 800);
}

#[test]
fn neighbouring_banks_are_in_one_group_only_where_high_bits_name_it() {
    // Two neighbours take turns: bursts of different groups are ccd = 2 apart, of one group ccdl = 3.
    let requests: Vec<_> = (0..400).map(|n| read((n % 2) as u8, 7, n)).collect();
    let share = |overrides: &[&str]| {
        let mut channel = channel_with(overrides);
        let answers = serve(&mut channel, &requests);
        channel.counters.data_bus_cycles as f64 / answers.last().unwrap().0 as f64
    };
    let (low, high) = (share(&[]), share(&["dram.bank_groups=2", "dram.bank_group_bits=high"]));
    assert!(low > 0.9 && (0.6..0.68).contains(&high), "low {low:.2}, high {high:.2}");
}

#[test]
fn a_writeback_is_done_without_an_answer() {
    let mut channel = channel();
    channel.push(request(AccessKind::L2Writeback, 0, 0, 9));
    let done: Vec<_> =
        (0..100).filter_map(|now| channel.step(Cycle(now))).map(|packet| packet.handle).collect();
    assert_eq!(done, [9]);
    assert!(channel.is_empty());
    assert_eq!(channel.counters.writeback_commands, 2);
}

#[test]
fn a_merging_write_reads_its_block_and_writes_it_while_the_row_is_open() {
    let mut channel = channel();
    channel.make_vault(22);
    let write = Request { merge_bursts: 1, ..request(AccessKind::GlobalWrite, 0, 5, 1) };
    // Activate at 1, one read at 13, writes 12 + 22 later at 47 and 50, done 4 later.
    assert_eq!(serve(&mut channel, &[write]), [(1 + 12 + (12 + 22) + 3 + 4, 1)]);
    let counters = channel.counters;
    assert_eq!((counters.merge_read_commands, counters.write_commands, counters.activates), (1, 2, 1));
}

#[test]
fn a_vault_answers_write_backs() {
    let mut channel = channel();
    channel.make_vault(0);
    assert_eq!(serve(&mut channel, &[request(AccessKind::L2Writeback, 0, 0, 9)])[0].1, 9);
}

#[test]
fn a_refresh_closes_all_rows_and_keeps_the_banks_busy_for_rfc() {
    let mut channel = channel_with(&["dram.timing.refi=200", "dram.timing.rfc=60"]);
    let answers = serve(&mut channel, &[read(0, 5, 1)]);
    assert_eq!(answers, [(1 + 12 + 3 + 12, 1)], "nothing has to be refreshed yet");
    for now in 29..201 {
        channel.step(Cycle(now));
    }
    // Pushed at 201: the row was closed at 200, so activate at 200 + rp + rfc, read rcd later, and as above.
    channel.push(read(0, 5, 2));
    let done = (201..500).find(|&now| {
        channel.step(Cycle(now));
        channel.pop_return().is_some()
    });
    assert_eq!(done, Some(200 + 12 + 60 + 12 + 3 + 12));
}

#[test]
fn a_channel_that_slept_through_refreshes_finds_the_last() {
    let mut channel = channel_with(&["dram.timing.refi=200", "dram.timing.rfc=60"]);
    channel.push(read(0, 5, 1));
    let done = (700..1200).find(|&now| {
        channel.step(Cycle(now));
        channel.pop_return().is_some()
    });
    // The refresh of 600 was over at 672.
    assert_eq!(done, Some(700 + 12 + 3 + 12));
    let mut channel = channel_with(&["dram.timing.refi=200", "dram.timing.rfc=60"]);
    channel.push(read(0, 5, 1));
    let done = (610..1200).find(|&now| {
        channel.step(Cycle(now));
        channel.pop_return().is_some()
    });
    assert_eq!(done, Some(672 + 12 + 3 + 12));
}
