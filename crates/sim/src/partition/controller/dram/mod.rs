//! A DRAM channel: banks with their rows, and the command bus.
//!
//! Each DRAM cycle, in this order: one finished command leaves; one bank without work gets a request, which the [scheduler]
//! chooses; at most one command goes out for each of column and row bus, the first that is possible in a
//! round over the banks. Once a column command is out, no row command follows in the same cycle, unless the channel has two command
//! buses, as HBM has: then one of each goes out. Whether the row stays open
//! behind the last column command of a request is up to the [row policy](row_policy).
//!
//! | command   | waits for (of the bank unless said otherwise)                            |
//! |-----------|--------------------------------------------------------------------------|
//! | activate  | rp after precharge, rc after activate, rrd after any activate            |
//! | read      | rcd after activate, ccd (ccdl in the group), write-to-read               |
//! | write     | rcd - wl - 1 after activate, ccd (ccdl in the group), read-to-write      |
//! | precharge | ras after activate, write-to-precharge, burst after read (rtpl in the group) |
//!
//! Refresh is off unless `refi` says otherwise; the reference has none. Every `refi` cycles all rows close, when each may, and no bank
//! activates until `rfc` after the last of them. A channel that sleeps finds the last refresh when it wakes.
//!
//! Behind a memory link a channel is a vault: it answers write-backs too, and a write may have to merge its bytes into a block
//! that is stored compressed. Such a write reads its block first and writes it while the row is still open.

/// From a line for each variant of what a bank asks about its requests: the values of a configuration key, and one type that is
/// any of the variants.
macro_rules! choices {
    (
        $key_doc:literal, $key:ident; $any:ident: $contract:ident, $method:ident -> $answer:ty;
        $($name:ident($variant:path), $summary:literal;)*
    ) => {
        #[doc = $key_doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $key {
            $(#[doc = $summary] $name,)*
        }

        /// Any of them.
        #[derive(Clone, Debug)]
        pub enum $any {
            $(#[doc = $summary] $name($variant),)*
        }

        impl $any {
            /// One that has seen nothing yet.
            pub fn new(key: $key) -> Self {
                match key { $($key::$name => Self::$name(<$variant>::default()),)* }
            }
        }

        impl $contract for $any {
            #[inline]
            fn $method(&mut self, waiting: &[Request], row: u32) -> $answer {
                match self { $(Self::$name(variant) => variant.$method(waiting, row),)* }
            }
        }
    };
}

mod bank;
mod bank_calendar;
mod bank_sets;
pub mod config;
pub mod counters;
mod queue;
pub mod row_policy;
pub mod scheduler;

use crate::base::{AccessKind, Cycle, DelayLine, Packet, Port};
use bank::Bank;
use bank_calendar::BankCalendar;
use bank_sets::{BankSets, bank_of_turn, first_in_round, next_turn, turn_of_bank};
use config::{DramConfig, DramTiming, Turnaround};
use counters::DramCounters;
use queue::RequestQueue;
use row_policy::{AnyRowPolicy, RowPolicy};
use scheduler::{AnyOrder, RequestOrder};

/// An access that DRAM serves with one or more bursts from one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is answered when the last burst is done.
    pub packet: Packet,
    /// Bank within the channel.
    pub bank: u8,
    /// Row within the bank.
    pub row: u32,
    /// Commands still to issue.
    pub bursts: u8,
    /// Of a write: bursts that are read before it.
    pub merge_bursts: u8,
}

/// A channel. All times are DRAM cycles.
#[derive(Clone, Debug)]
pub struct Channel {
    timing: DramTiming,
    turnaround: Turnaround,
    burst_cycles: u64,
    has_row_bus: bool,
    queue: RequestQueue,
    scheduler: AnyOrder,
    row_policy: AnyRowPolicy,
    banks: Vec<Bank>,
    /// What each bank's request answers when it is done; apart from the banks, which are looked at far more often.
    packets: Vec<Packet>,
    /// What each bank needs.
    needs: BankSets,
    groups: Vec<Group>,
    /// See [`BankGroupBits::shift`].
    group_shift: u32,
    /// Earliest next command of each sort, for any bank.
    column_at: Cycle,
    read_at: Cycle,
    write_at: Cycle,
    activate_at: Cycle,
    /// The next refresh.
    refresh_at: Cycle,
    /// The bank that the next round begins with.
    first_bank: usize,
    /// Which banks could take the command they need.
    calendar: BankCalendar,
    /// Until when nothing happens, if no request comes.
    quiet_until: Cycle,
    /// Requests that are here, answers included.
    inside: usize,
    /// Requests whose last burst is on the bus.
    finishing: DelayLine<Packet>,
    returns: Port<Packet>,
    /// Whether the caller waits for write-backs.
    answers_writebacks: bool,
    /// From the last burst that a merging write reads to the first that it writes, beside the bus's own turn.
    merge_cycles: u64,
    /// What happened so far.
    pub counters: DramCounters,
}

/// What the banks of a group share.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    column_at: Cycle,
    precharge_at: Cycle,
}

impl Channel {
    /// An idle channel with all banks closed.
    pub fn new(dram: &DramConfig) -> Self {
        Self {
            timing: dram.timing,
            turnaround: dram.turnaround(),
            burst_cycles: dram.burst_cycles(),
            has_row_bus: dram.command_buses > 1,
            queue: RequestQueue::new(dram.banks, dram.queue_requests),
            scheduler: AnyOrder::new(dram.scheduler),
            row_policy: AnyRowPolicy::new(dram.row_policy),
            banks: vec![Bank::default(); dram.banks],
            packets: vec![Packet::new(AccessKind::GlobalRead, 0, 0, 0, Cycle(0)); dram.banks],
            needs: BankSets::default(),
            groups: vec![Group::default(); dram.bank_groups],
            group_shift: dram.bank_group_bits.shift(dram.banks, dram.bank_groups),
            column_at: Cycle(0),
            read_at: Cycle(0),
            write_at: Cycle(0),
            activate_at: Cycle(0),
            refresh_at: if dram.timing.refi > 0 { Cycle(dram.timing.refi) } else { Cycle::NEVER },
            first_bank: 0,
            calendar: BankCalendar::new(),
            quiet_until: Cycle(0),
            inside: 0,
            finishing: DelayLine::unbounded(dram.banks + 16),
            returns: Port::new(dram.return_queue_packets),
            answers_writebacks: false,
            merge_cycles: 0,
            counters: DramCounters::default(),
        }
    }

    /// Makes it a vault, which takes `merge_cycles` to put a part into a compressed block.
    pub fn make_vault(&mut self, merge_cycles: u64) {
        self.answers_writebacks = true;
        self.merge_cycles = merge_cycles;
    }

    /// Whether the queue takes no more requests.
    #[inline]
    pub fn is_queue_full(&self) -> bool {
        self.queue.is_full()
    }

    /// Adds a request; it can be chosen from the next cycle on.
    pub fn push(&mut self, request: Request) {
        self.counters.requests += 1;
        self.inside += 1;
        self.quiet_until = Cycle(0);
        self.queue.push(request);
    }

    /// One cycle. Returns a write-back that is done; everything else that is done waits in the return queue.
    #[inline]
    pub fn step(&mut self, now: Cycle) -> Option<Packet> {
        if now >= self.quiet_until {
            return self.step_awake(now);
        }
        self.counters.queue_occupancy += self.queue.len() as u64;
        self.counters.blocked_cycles += u64::from(self.needs.working != 0);
        None
    }

    fn step_awake(&mut self, now: Cycle) -> Option<Packet> {
        let writeback = self.finish(now);
        if now >= self.refresh_at {
            self.refresh(now);
        }
        self.counters.queue_occupancy += self.queue.len() as u64;
        self.choose_request(now);
        let (mut ready, mut has_issued) = (0, false);
        if self.needs.working != 0 {
            ready = self.calendar.ready(now);
            has_issued = ready != 0 && self.issue_commands(ready, now);
            self.counters.blocked_cycles += u64::from(!has_issued);
        }
        if !has_issued {
            self.quiet_until = self.next_change(ready, now);
        }
        writeback
    }

    /// A cycle before which nothing happens, if no request comes. In this one no command has gone out for the banks that are `ready`.
    #[inline]
    fn next_change(&self, ready: u32, now: Cycle) -> Cycle {
        let when = |banks: u32, at: Cycle| if banks & ready == 0 { Cycle::NEVER } else { at };
        let column = when(self.needs.read, self.read_at).min(when(self.needs.write, self.write_at));
        let row = when(self.needs.activate, self.activate_at).min(when(self.needs.precharge, now));
        let done = self.finishing.next_due().unwrap_or(Cycle::NEVER);
        // More banks than get a request in a cycle may wait for one.
        let choice = if self.queue.banks() & !self.needs.working == 0 { Cycle::NEVER } else { now };
        let banks = column.max(self.column_at).min(row).min(self.calendar.next_page(now));
        banks.min(done).min(self.refresh_at).min(choice)
    }

    /// The oldest answer.
    pub fn front_return(&self) -> Option<&Packet> {
        self.returns.front()
    }

    /// Takes the oldest answer.
    pub fn pop_return(&mut self) -> Option<Packet> {
        let answer = self.returns.pop()?;
        self.inside -= 1;
        Some(answer)
    }

    /// Whether no request is here.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.inside == 0
    }

    /// All rows close, and the banks are busy for a while.
    fn refresh(&mut self, now: Cycle) {
        let begin = Cycle(now.0 / self.timing.refi * self.timing.refi);
        self.refresh_at = begin + self.timing.refi;
        let groups = self.groups.iter().map(|group| group.precharge_at);
        let open = self.banks.iter().filter(|bank| bank.is_open()).map(|bank| bank.precharge_at);
        let closed_at = open.clone().chain(groups).fold(begin, Cycle::max);
        self.counters.precharges += open.count() as u64;
        for index in 0..self.banks.len() {
            self.banks[index].refresh(closed_at + self.timing.rp + self.timing.rfc);
            if self.needs.working >> index & 1 == 1 {
                self.enter_need(index, now);
            }
        }
    }

    #[inline]
    fn finish(&mut self, now: Cycle) -> Option<Packet> {
        if self.finishing.due(now).is_none() || !self.returns.has_room() {
            return None;
        }
        let packet = self.finishing.pop_due(now)?;
        if packet.kind.is_writeback() && !self.answers_writebacks {
            self.inside -= 1;
            return Some(packet);
        }
        self.returns.push(packet);
        None
    }

    /// Gives a request to the first bank in the round that has none and for which one waits.
    fn choose_request(&mut self, now: Cycle) {
        let candidates = self.queue.banks_with_requests() & !self.needs.working;
        if candidates == 0 {
            return;
        }
        let index = first_in_round(candidates, self.first_bank);
        let bank = &mut self.banks[index];
        let chosen = self.scheduler.choose(self.queue.waiting(index), bank.row);
        let request = self.queue.take(index, chosen);
        bank.begin(&request);
        self.packets[index] = request.packet;
        self.first_bank = bank_of_turn(self.first_bank, 1, self.banks.len());
        self.enter_need(index, now);
    }

    /// Notes what the bank needs now, and when it can have it.
    #[inline]
    fn enter_need(&mut self, index: usize, now: Cycle) {
        let bank = &self.banks[index];
        let need = bank.need();
        self.needs.set(index, need);
        self.calendar.enter(index, bank.ready_at(need), now);
    }

    /// At most one column and one row command for banks that are ready. Says whether there was any.
    fn issue_commands(&mut self, ready: u32, now: Cycle) -> bool {
        let columns = self.column_candidates(now) & ready;
        let rows = self.row_candidates(now) & ready;
        if self.has_row_bus {
            return self.issue_on_two_buses(columns, rows, now);
        }
        let (mut columns, mut rows) = (columns, rows);
        while columns | rows != 0 {
            let index = first_in_round(columns | rows, self.first_bank);
            let bank = 1 << index;
            if columns & bank != 0 {
                if self.issue_column(index, now) {
                    return true;
                }
                columns &= !bank;
            } else {
                let turn = turn_of_bank(self.first_bank, index, self.banks.len());
                if self.issue_row(index, now) {
                    self.issue_column_behind_row(columns, turn, now);
                    return true;
                }
                rows &= !bank;
            }
        }
        false
    }

    /// A column command in the cycle of a row command, which has moved the beginning of the round while the round is under way, as in
    /// the reference.
    fn issue_column_behind_row(&mut self, columns: u32, row_turn: usize, now: Cycle) {
        let (first, count, mut turn) = (self.first_bank, self.banks.len(), row_turn + 1);
        while let Some(found) = next_turn(columns, first, turn, count) {
            if self.issue_column(bank_of_turn(first, found, count), now) {
                return;
            }
            turn = found + 1;
        }
    }

    /// A column command, and a row command beside it.
    fn issue_on_two_buses(&mut self, columns: u32, rows: u32, now: Cycle) -> bool {
        let first = self.first_bank;
        let has_column = self.issue_first(columns, first, |channel, bank| channel.issue_column(bank, now));
        let has_row = self.issue_first(rows, first, |channel, bank| channel.issue_row(bank, now));
        has_column || has_row
    }

    /// Lets the banks of a mask try in turn, from bank `first` on, until one issues. Returns whether one did.
    #[inline]
    fn issue_first(&mut self, banks: u32, first: usize, issue: impl Fn(&mut Self, usize) -> bool) -> bool {
        let mut rest = banks;
        while rest != 0 {
            let index = first_in_round(rest, first);
            if issue(self, index) {
                return true;
            }
            rest &= !(1 << index);
        }
        false
    }

    /// Banks whose request needs a column command that the shared waits allow now.
    #[inline]
    fn column_candidates(&self, now: Cycle) -> u32 {
        if now < self.column_at {
            return 0;
        }
        let reads = if now >= self.read_at { self.needs.read } else { 0 };
        let writes = if now >= self.write_at { self.needs.write } else { 0 };
        reads | writes
    }

    /// Banks whose request needs a row command that the shared waits allow now.
    #[inline]
    fn row_candidates(&self, now: Cycle) -> u32 {
        let activates = if now >= self.activate_at { self.needs.activate } else { 0 };
        self.needs.precharge | activates
    }

    /// A read or write of the bank's open row.
    fn issue_column(&mut self, index: usize, now: Cycle) -> bool {
        let group = self.group_of(index);
        let (bank, group) = (&mut self.banks[index], &mut self.groups[group]);
        if group.column_at > now {
            return false;
        }
        self.column_at = now + self.timing.ccd;
        group.column_at = now + self.timing.ccdl;
        let is_write = self.needs.write >> index & 1 == 1;
        let data_end = if is_write {
            self.read_at = now + self.turnaround.write_to_read;
            bank.precharge_at = bank.precharge_at.max(now + self.turnaround.write_to_precharge);
            now + self.timing.wl
        } else {
            self.write_at = now + self.turnaround.read_to_write;
            bank.precharge_at = bank.precharge_at.max(now + self.burst_cycles);
            group.precharge_at = now + self.timing.rtpl;
            now + self.timing.cl
        };
        count_column(&mut self.counters, self.packets[index].kind, is_write);
        self.counters.data_bus_cycles += self.burst_cycles;
        bank.bursts -= 1;
        if bank.bursts > 0 {
            return true;
        }
        if bank.turn_to_write() {
            bank.write_at = bank.write_at.max(now + self.turnaround.read_to_write + self.merge_cycles);
            self.enter_need(index, now);
        } else {
            self.finishing.push(data_end, self.packets[index]);
            self.needs.clear(index);
            self.calendar.leave(index);
            if self.row_policy.closes_row(self.queue.waiting(index), bank.row) {
                bank.precharge(bank.precharge_at.max(group.precharge_at), &self.timing);
                self.counters.precharges += 1;
            }
        }
        true
    }

    /// An activate or precharge for the bank's request.
    fn issue_row(&mut self, index: usize, now: Cycle) -> bool {
        let group_precharge_at = self.groups[self.group_of(index)].precharge_at;
        let bank = &mut self.banks[index];
        if self.needs.activate >> index & 1 == 1 {
            bank.activate(now, &self.timing, self.turnaround.activate_to_write);
            self.activate_at = now + self.timing.rrd;
            self.counters.activates += 1;
        } else if group_precharge_at > now {
            return false;
        } else {
            bank.precharge(now, &self.timing);
            self.counters.precharges += 1;
        }
        self.enter_need(index, now);
        self.first_bank = bank_of_turn(index, 1, self.banks.len());
        true
    }

    #[inline]
    fn group_of(&self, bank: usize) -> usize {
        bank >> self.group_shift & (self.groups.len() - 1)
    }
}

fn count_column(counters: &mut DramCounters, kind: AccessKind, is_write: bool) {
    match kind {
        kind if kind.is_write() && !is_write => counters.merge_read_commands += 1,
        AccessKind::L2WriteAllocateRead => counters.write_allocate_read_commands += 1,
        AccessKind::L2Writeback => counters.writeback_commands += 1,
        AccessKind::MetadataRead => counters.metadata_read_commands += 1,
        AccessKind::MetadataWriteback => counters.metadata_write_commands += 1,
        AccessKind::MergeRead => counters.merge_read_commands += 1,
        kind if kind.is_write() => counters.write_commands += 1,
        _ => counters.read_commands += 1,
    }
}

#[cfg(test)]
mod tests;
