//! A window: some cycles that the SMs run through side by side, ahead of the memory side.
//!
//! What an SM gets from the network and what becomes of its queue there is known for some cycles ([`MemorySide::known_cycles`]). So
//! each thread steps its SMs through these cycles, and the memory side follows on the calling thread: it steps a cycle when all
//! SMs have done the one before, with the packets that they sent in it. Behind each of its cycles more is known; it tells the
//! threads, and opens further cycles to them. So a thread with less to do in a cycle than the others is ahead of them for some
//! cycles, and waits only when it has come to the last one that is open. No result depends on how far ahead a thread is.

use std::ops::Range;

use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::memory::Memory;

use super::CrewMembers;
use super::block_counter::BlockCounter;
use super::desk::{CycleOutput, News, Summary, ThreadDesk};
use super::seat::{MOST_CYCLES, Seat};
use crate::base::{AsideKind, Clocks, Cycle, Edges, Horizon, Moment, Now, Packet, Share, Sharing};
use crate::compute::{Program, Sm};
use crate::fabric::RequestQueue;
use crate::memory_side::MemorySide;
use crate::thread_blocks::ThreadBlockScheduler;

/// Windows in a row with too few SMs awake after which they are stepped on one thread.
const MOST_IDLE_WINDOWS: u32 = 2;

/// Open cycles in front of the memory side that are enough: it does not look for more.
const ENOUGH_OPEN_CYCLES: u64 = 4;

/// Cycles without anything to do for an SM after which no further ones are opened.
const IDLE_CYCLES: u64 = 16;

/// Cycles for which an SM runs ahead of the others of its thread: fewer than are open, so that the memory side opens further ones
/// meanwhile.
const STRETCH_CYCLES: u64 = 4;

/// Cycles for which a thread says at most that its SMs write nothing.
const MOST_CALM_CYCLES: u64 = 1 << 16;

/// What a window begins with.
pub(crate) struct WindowStart {
    /// The edges of its first tick, which the clocks have just passed.
    pub edges: Edges,
    pub now: Now,
    /// How many cycles it may have.
    pub most_cycles: u64,
    /// Thread blocks of the launch that have not ended.
    pub blocks_left: u64,
}

/// What a window did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowReport {
    pub cycles: u64,
    pub blocks_ended: u64,
}

/// What the threads of a window do.
struct Shift<'a> {
    first: u64,
    horizon: &'a Horizon,
    /// Replies that wait in an SM at most.
    reply_places: usize,
    program: &'a Program<'a>,
    desks: &'a [ThreadDesk],
    blocks: &'a BlockCounter,
}

/// Some open cycles on one thread.
struct Stretch {
    cycles: Range<u64>,
    /// The SMs know of all replies before this cycle.
    until: u64,
    /// Whether none of the thread's SMs changes in these cycles what all share.
    is_calm: bool,
    /// Before this moment, no SM of another thread does, as far as this one has looked; and whether it has in these cycles.
    others_calm: Moment,
    has_looked: bool,
    /// The last cycle in which an SM had something to do.
    busy_at: Option<u64>,
    /// Per cycle: what the SMs did.
    outputs: [CycleOutput; MOST_CYCLES],
}

impl Stretch {
    fn output(&mut self, cycle: u64) -> &mut CycleOutput {
        &mut self.outputs[cycle as usize % MOST_CYCLES]
    }
}

impl Shift<'_> {
    /// The SMs of one thread, some cycles at a time.
    fn run(&self, share: &mut Share<'_, Sm, Seat>, before: &mut dyn FnMut(u64)) {
        let mut stretch = Stretch {
            cycles: self.first..self.first,
            until: self.first,
            is_calm: false,
            others_calm: Moment::start_of(0),
            has_looked: false,
            busy_at: None,
            outputs: Default::default(),
        };
        loop {
            let start = stretch.cycles.end;
            if start == stretch.until {
                let Some(until) = share.await_open(start, self.horizon, before) else { return };
                if until <= start {
                    break;
                }
                stretch.until = until;
                self.hear_news(share);
            }
            stretch.cycles = start..stretch.until.min(start + STRETCH_CYCLES);
            if !self.run_stretch(share, &mut stretch, before) {
                return;
            }
        }
        let mut summary = Summary::default();
        for nth in 0..share.len() {
            let (sm, seat) = share.member(nth);
            summary.note(sm, seat, stretch.until);
        }
        self.desks[share.thread()].sum_up(summary);
    }

    /// First each SM runs ahead by itself, up to a cycle in which it must wait for others; so its state stays in the processor's
    /// cache. What is left of the cycles comes in order. Returns whether to go on.
    fn run_stretch(
        &self,
        share: &mut Share<'_, Sm, Seat>,
        stretch: &mut Stretch,
        before: &mut dyn FnMut(u64),
    ) -> bool {
        let cycles = stretch.cycles.clone();
        let calm_until = self.calm_until(share, cycles.clone());
        stretch.is_calm = calm_until >= cycles.end;
        if stretch.is_calm {
            share.stay_calm(Moment::start_of(calm_until));
        }
        stretch.has_looked = false;
        before(cycles.start);
        for nth in 0..share.len() {
            self.run_ahead(share, nth, cycles.start, stretch);
        }
        cycles.into_iter().all(|cycle| {
            before(cycle);
            self.run_cycle(share, cycle, stretch)
        })
    }

    /// Tells the SMs what became known of the network.
    fn hear_news(&self, share: &mut Share<'_, Sm, Seat>) {
        self.desks[share.thread()].hear(|news| {
            let (News::Reply { sm, .. } | News::Queue { sm, .. }) = &news;
            let Some(nth) = share.place_of(usize::from(*sm)) else { return };
            let (_, seat) = share.member(nth);
            match news {
                News::Reply { cycle, reply, .. } => seat.expect(cycle, reply),
                News::Queue { cycle, queue, departed, .. } => seat.learn_queue(cycle, &queue, departed),
            }
        });
    }

    /// The cycle before which no SM of a share changes what all share; not exactly if some of `cycles` come after it.
    fn calm_until(&self, share: &mut Share<'_, Sm, Seat>, cycles: Range<u64>) -> u64 {
        let timing = self.program.timing;
        let Range { start, end } = cycles;
        let mut calm_until = start + MOST_CALM_CYCLES;
        if self.blocks.has_more() {
            calm_until = calm_until.min(start + u64::from(timing.instructions_to_write(0)));
        }
        for nth in 0..share.len() {
            if calm_until < end {
                break;
            }
            let (sm, seat) = share.member(nth);
            calm_until = calm_until.min(seat.calm_until(sm, timing, start, end));
        }
        calm_until
    }

    /// Steps an SM from a cycle on, until it must wait for others or has room for a thread block.
    fn run_ahead(&self, share: &mut Share<'_, Sm, Seat>, nth: usize, from: u64, stretch: &mut Stretch) {
        let index = share.index(nth);
        let mut cycle = from;
        while cycle < stretch.cycles.end {
            if share.second(nth).is_due(cycle) {
                let moment = Moment::of(cycle, index);
                let may_run = match share.second(nth).sharing {
                    Sharing::Nothing | Sharing::MayFail => true,
                    Sharing::Reads => stretch.is_calm && are_others_calm(share, moment, stretch),
                    Sharing::Writes => false,
                };
                if !may_run {
                    break;
                }
                stretch.busy_at = stretch.busy_at.max(Some(cycle));
                let output = stretch.output(cycle);
                let (sm, seat) = share.member(nth);
                let Some(ended) = seat.step(sm, cycle, self.program, &mut output.sent, index) else {
                    share.fail(cycle, nth);
                    break;
                };
                output.blocks_ended += u64::from(ended);
            }
            cycle += 1;
            if share.second(nth).has_room_for_block && self.blocks.has_more() {
                break;
            }
        }
        share.member(nth).1.next_cycle = cycle;
    }

    /// What is left of a cycle of a share. Returns whether to go on.
    fn run_cycle(&self, share: &mut Share<'_, Sm, Seat>, cycle: u64, stretch: &mut Stretch) -> bool {
        let end_of_cycle = Moment::start_of(cycle + 1);
        let mut calm_until = if stretch.is_calm { end_of_cycle } else { next_write(share, cycle, 0) };
        share.stay_calm(calm_until);
        let (mut has_room, mut most_waiting) = (false, 0);
        for nth in 0..share.len() {
            let seat = share.second(nth);
            if seat.next_cycle <= cycle {
                let index = share.index(nth);
                if seat.is_due(cycle) {
                    if calm_until == Moment::of(cycle, index) {
                        calm_until = next_write(share, cycle, nth + 1);
                    }
                    let Some(turn) = share.enter(cycle, nth, calm_until) else { return false };
                    let program = Program { turn: Some(turn), ..*self.program };
                    let output = stretch.output(cycle);
                    let (sm, seat) = share.member(nth);
                    let Some(ended) = seat.step(sm, cycle, &program, &mut output.sent, index) else {
                        share.fail(cycle, nth);
                        return false;
                    };
                    output.blocks_ended += u64::from(ended);
                    turn.announce(Sharing::Nothing);
                    stretch.busy_at = stretch.busy_at.max(Some(cycle));
                }
                share.member(nth).1.next_cycle = cycle + 1;
                if !(share.second(nth).has_room_for_block && self.blocks.has_more()) {
                    self.run_ahead(share, nth, cycle + 1, stretch);
                }
            }
            let seat = share.second(nth);
            has_room |= seat.has_room_after(cycle);
            most_waiting = most_waiting.max(seat.waiting());
        }
        let desk = &self.desks[share.thread()];
        desk.leave(cycle, stretch.output(cycle));
        let free_places = self.reply_places.saturating_sub(most_waiting) as u64;
        desk.stand(stretch.until + free_places, stretch.busy_at);
        if has_room && self.blocks.has_more() {
            return self.launch_blocks(share, cycle);
        }
        share.finish_cycle(cycle);
        true
    }

    /// Asks for thread blocks for the SMs with room at the end of a cycle. Returns whether to go on.
    fn launch_blocks(&self, share: &mut Share<'_, Sm, Seat>, cycle: u64) -> bool {
        for nth in 0..share.len() {
            if share.second(nth).has_room_after(cycle) {
                self.blocks.ask(cycle, share.index(nth));
            }
        }
        share.finish_cycle(cycle);
        if !share.await_cycle(cycle) {
            return false;
        }
        self.blocks.settle(cycle);
        for nth in 0..share.len() {
            let index = share.index(nth);
            let (sm, seat) = share.member(nth);
            if seat.has_room_after(cycle)
                && let Some(block) = self.blocks.fetch(cycle, index)
            {
                sm.start_block(self.program, block, Cycle(cycle));
                seat.note_launch(sm, self.program.timing, cycle + 1);
            }
        }
        true
    }
}

/// Whether no SM of another thread writes before a moment; looks at the others once in a stretch.
#[inline]
fn are_others_calm(share: &Share<'_, Sm, Seat>, moment: Moment, stretch: &mut Stretch) -> bool {
    if stretch.others_calm <= moment && !stretch.has_looked {
        stretch.others_calm = share.others_calm_until();
        stretch.has_looked = true;
    }
    stretch.others_calm > moment
}

/// When a member of a share, from the `nth` on, may write in a cycle; the end of the cycle if none may.
fn next_write(share: &Share<'_, Sm, Seat>, cycle: u64, nth: usize) -> Moment {
    for nth in nth..share.len() {
        let seat = share.second(nth);
        if seat.next_cycle <= cycle && seat.sharing == Sharing::Writes && seat.is_due(cycle) {
            return Moment::of(cycle, share.index(nth));
        }
    }
    Moment::start_of(cycle + 1)
}

/// The memory side, which follows the SMs.
pub(super) struct Follower<'a> {
    side: &'a mut MemorySide,
    clocks: &'a mut Clocks,
    memory: &'a Memory,
    desks: &'a [ThreadDesk],
    start: &'a WindowStart,
    /// Opens cycles, where several threads are ahead.
    opener: Option<Opener<'a>>,
    /// DRAM has an edge at the end of the cycle under way, which is stepped when the SMs have done that cycle.
    dram_edge: Option<Now>,
    blocks_ended: u64,
    cycles: u64,
    is_launch_over: bool,
}

impl<'a> Follower<'a> {
    /// The memory side before the first cycle of a window.
    pub fn new(
        side: &'a mut MemorySide,
        clocks: &'a mut Clocks,
        memory: &'a Memory,
        desks: &'a [ThreadDesk],
        start: &'a WindowStart,
    ) -> Self {
        Self {
            side,
            clocks,
            memory,
            desks,
            start,
            opener: None,
            dram_edge: None,
            blocks_ended: 0,
            cycles: 0,
            is_launch_over: false,
        }
    }

    /// Ends the window behind its last cycle, if the launch has not ended before.
    pub fn finish(&mut self, last: u64) -> WindowReport {
        if !self.is_launch_over {
            self.close(last);
        }
        WindowReport { cycles: self.cycles, blocks_ended: self.blocks_ended }
    }

    /// Steps a cycle; the SMs have done the ones before. Returns whether the launch goes on.
    pub fn run(&mut self, cycle: u64) -> bool {
        let first = self.start.now.core.0;
        if cycle == first {
            self.move_packets(self.start.edges, self.start.now);
            return true;
        }
        if let Some(opener) = &self.opener
            && opener.is_at_end(cycle)
        {
            opener.horizon.finish();
            return false;
        }
        self.close(cycle - 1);
        if self.is_launch_over {
            if let Some(opener) = &self.opener {
                opener.horizon.finish();
            }
            return false;
        }
        loop {
            let edges = self.clocks.advance();
            let now = Now { core: Cycle(cycle), dram: Cycle(self.clocks.dram_cycles()) };
            if edges.core {
                // The SMs have got these replies already, if the cycle was open.
                self.side.sms_with_replies().for_each(|sm| {
                    let reply = self.side.receive_reply(sm, now.core, self.memory);
                    if let (Some(opener), Some(reply)) = (&self.opener, reply) {
                        opener.tell_reply(sm, cycle, reply);
                    }
                });
                if let Some(opener) = &mut self.opener {
                    opener.open(self.side, cycle);
                }
                self.move_packets(edges, now);
                return true;
            }
            self.side.move_packets(edges, now, self.memory);
        }
    }

    fn move_packets(&mut self, edges: Edges, now: Now) {
        self.side.move_packets(edges, now, self.memory);
        if edges.dram {
            self.dram_edge = Some(Now { core: now.core + 1, ..now });
        }
    }

    /// Takes what the SMs left in a cycle, which all of them have done, and ends it.
    fn close(&mut self, cycle: u64) {
        for desk in self.desks {
            desk.take(cycle, |output| {
                for (sm, packet) in output.sent.drain(..) {
                    if let Some(opener) = &mut self.opener {
                        opener.accounts[usize::from(sm)].entered +=
                            self.side.request_queue(usize::from(sm)).size(packet.payload_bytes());
                    }
                    self.side.send_request(usize::from(sm), packet);
                }
                self.blocks_ended += std::mem::take(&mut output.blocks_ended);
            });
        }
        if let Some(now) = self.dram_edge.take() {
            self.side.finish_core_cycle(now, self.memory);
        }
        self.cycles += 1;
        self.is_launch_over = self.blocks_ended == self.start.blocks_left && self.side.is_served();
    }
}

/// Opens cycles to the threads of a window while the memory side follows them.
struct Opener<'a> {
    horizon: &'a Horizon,
    desks: &'a [ThreadDesk],
    /// Per SM: its thread.
    owners: &'a [u16],
    accounts: &'a mut [QueueAccount],
    /// No cycle from this one on is opened.
    end: u64,
}

/// What an SM's thread knows of the queue in front of the network.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueAccount {
    /// Flits that have been in it since the window began.
    entered: i16,
    /// Places behind it that were known to be free since then.
    granted: i16,
}

impl QueueAccount {
    fn new(queue: &RequestQueue) -> Self {
        let queue = &queue.queue;
        Self { entered: queue.queued, granted: queue.credits + queue.returning.iter().sum::<i16>() }
    }
}

impl Opener<'_> {
    /// Whether a cycle, which all SMs have come to and the memory side, is not open and will not be.
    fn is_at_end(&self, cycle: u64) -> bool {
        cycle >= self.horizon.until() && (self.horizon.is_final() || self.limit(cycle) <= cycle)
    }

    /// Before which cycle SMs can step as far as they decide: they have room for what comes, and something to do.
    fn limit(&self, cycle: u64) -> u64 {
        let busy_at = self.desks.iter().map(ThreadDesk::busy_at).max().unwrap_or(0);
        if busy_at + IDLE_CYCLES < cycle {
            return 0;
        }
        self.desks.iter().map(ThreadDesk::room_until).fold(self.end, u64::min)
    }

    /// The memory side is at a cycle whose replies have been taken: opens those that are known from here.
    fn open(&mut self, side: &MemorySide, cycle: u64) {
        let until = self.horizon.until();
        if until > cycle + ENOUGH_OPEN_CYCLES || until >= self.end || self.horizon.is_final() {
            return;
        }
        let known = cycle + side.known_cycles().clamp(1, MOST_CYCLES as u64);
        let next = known.min(self.limit(cycle));
        if next <= until {
            return;
        }
        for sm in 0..self.accounts.len() {
            self.tell_queue(sm, cycle, side.request_queue(sm));
            side.for_each_arrival(sm, next - cycle - 1, |later, reply| {
                self.tell_reply(sm, cycle + later, reply);
            });
        }
        self.horizon.extend(next);
        if next == self.end {
            self.horizon.finish();
        }
    }

    /// An SM will get a reply, which it knows if the cycle is open.
    fn tell_reply(&self, sm: usize, cycle: u64, reply: Packet) {
        if cycle >= self.horizon.until() {
            self.desk_of(sm).tell(News::Reply { sm: sm as u16, cycle, reply });
        }
    }

    /// The queue of an SM has more room behind it than the SM knows, or not.
    fn tell_queue(&mut self, sm: usize, cycle: u64, queue: RequestQueue) {
        let account = &mut self.accounts[sm];
        let departed = account.entered - queue.queue.queued;
        let granted = queue.queue.credits + queue.queue.returning.iter().sum::<i16>() + departed;
        if account.granted != granted {
            account.granted = granted;
            self.desk_of(sm).tell(News::Queue { sm: sm as u16, cycle, queue, departed });
        }
    }

    fn desk_of(&self, sm: usize) -> &ThreadDesk {
        &self.desks[usize::from(self.owners[sm])]
    }
}

/// Runs a window, as long as it is known to give what the SMs in turn would, and at least one cycle. `None`, and nothing has
/// happened, if that cycle is not known or not worth it.
pub(crate) fn run_window(
    crew: &mut CrewMembers,
    start: &WindowStart,
    (sms, side, clocks): (&mut [Sm], &mut MemorySide, &mut Clocks),
    program: &Program<'_>,
    blocks: &mut ThreadBlockScheduler,
    on_launch: &mut dyn FnMut(usize, u64, u64),
) -> Option<Result<WindowReport, Box<Fault>>> {
    let (first, memory) = (start.now.core.0, program.memory);
    if !crew.is_worth_it() || !side.are_requests_known(crew.most_packets) {
        return None;
    }
    crew.deliver(side, sms, start.now.core, memory);
    let known = crew.plan(side, start, clocks);
    // Cycles are opened where more than the first one can be known.
    let most = if known > 1 { start.most_cycles.min(crew.opened_cycles).max(known) } else { known };
    let cycles = first..first + most;
    crew.open_queues(side, first);
    crew.foretell(side, first..first + known);
    crew.owners.clear();
    crew.owners.extend_from_slice(crew.team.owners());
    let counter = BlockCounter::new(blocks, sms.len());
    let horizon = Horizon::new(first + known);
    if known == most {
        horizon.finish();
    }
    let shift = Shift {
        first,
        horizon: &horizon,
        reply_places: crew.reply_places,
        program,
        desks: &crew.desks,
        blocks: &counter,
    };
    let kind = if side.reads_memory() { AsideKind::Reads } else { AsideKind::Apart };
    let mut follower = Follower::new(side, clocks, memory, &crew.desks, start);
    follower.opener = Some(Opener {
        horizon: &horizon,
        desks: &crew.desks,
        owners: &crew.owners,
        accounts: &mut crew.accounts,
        end: cycles.end,
    });
    let lists = (&mut *sms, &mut crew.seats[..]);
    let result = crew.team.run(
        cycles,
        &horizon,
        lists,
        |share, before| shift.run(share, before),
        kind,
        |cycle| follower.run(cycle),
    );
    if let Err(member) = result {
        // The state of the machine is thrown away.
        crew.desks = std::iter::repeat_with(ThreadDesk::default).take(crew.desks.len()).collect();
        let fault = crew.seats.get_mut(member).and_then(|seat| seat.fault.take());
        return fault.map(Err);
    }
    let report = follower.finish(horizon.until() - 1);
    crew.collect(sms, first..first + report.cycles);
    *blocks = counter.finish(on_launch);
    Some(Ok(report))
}

impl CrewMembers {
    /// Whether there were enough SMs awake of late.
    fn is_worth_it(&mut self) -> bool {
        self.idle_windows = if self.summary.awake < self.least_awake { self.idle_windows + 1 } else { 0 };
        self.idle_windows < MOST_IDLE_WINDOWS
    }

    /// Takes the replies of a cycle from the network, for the SMs that have room for them.
    fn deliver(&mut self, side: &mut MemorySide, sms: &[Sm], now: Cycle, memory: &Memory) {
        let is_tight = self.summary.most_replies >= self.reply_places;
        side.sms_with_replies().for_each(|sm| {
            if (!is_tight || sms[sm].can_take_reply())
                && let Some(reply) = side.receive_reply(sm, now, memory)
            {
                self.seats[sm].expect(now.0, reply);
            }
        });
    }

    /// How many cycles the window has.
    fn plan(&self, side: &MemorySide, start: &WindowStart, clocks: &Clocks) -> u64 {
        // Whatever comes, an SM has room for it.
        let places = self.reply_places.saturating_sub(self.summary.most_replies) as u64;
        let most = start.most_cycles.min(MOST_CYCLES as u64).min(places);
        if most <= 1 || !clocks.is_interconnect_in_step() { 1 } else { side.known_cycles().clamp(1, most) }
    }

    /// Shows the queues in front of the network to their SMs.
    fn open_queues(&mut self, side: &MemorySide, first: u64) {
        for (sm, (seat, account)) in self.seats.iter_mut().zip(&mut self.accounts).enumerate() {
            let queue = side.request_queue(sm);
            *account = QueueAccount::new(&queue);
            seat.open_queue(first, queue);
        }
    }

    /// Tells the SMs which replies they will get behind the first cycle.
    fn foretell(&mut self, side: &MemorySide, cycles: Range<u64>) {
        let later = cycles.end - cycles.start - 1;
        if later > 0 {
            for (sm, seat) in self.seats.iter_mut().enumerate() {
                side.for_each_arrival(sm, later, |cycle, reply| seat.expect(cycles.start + cycle, reply));
            }
        }
    }

    /// Looks at what the threads say of their SMs; SMs without thread blocks take their replies.
    fn collect(&mut self, sms: &mut [Sm], cycles: Range<u64>) {
        self.summary = Summary::default();
        self.desks.iter().for_each(|desk| self.summary.join(&desk.summary()));
        if std::mem::take(&mut self.summary.is_behind) {
            for (sm, seat) in sms.iter_mut().zip(&mut self.seats) {
                seat.catch_up(sm, cycles.clone());
                self.summary.most_replies = self.summary.most_replies.max(sm.replies());
            }
        }
    }
}
