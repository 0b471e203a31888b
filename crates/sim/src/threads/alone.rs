//! A window on one thread: each SM runs through some cycles by itself, and the memory side through the same cycles behind them.
//!
//! The state of an SM, and the code that steps it, then stay in the processor's cache for several cycles. What an SM does to
//! device memory still happens in the order of single cycles: an SM stops before a cycle in which it may touch device memory, and
//! goes on when every other SM has come to a later moment. Where no SM can write in the window, reads need no order. An SM with
//! room for a thread block stops behind its cycle, because the SMs with room at the end of a cycle are served in turn.

use shrinkwarp_emu::fault::Fault;

use super::desk::{CycleOutput, ThreadDesk};
use super::outbox::{Outbox, QueueAhead};
use super::seat::MOST_CYCLES;
use super::window::{Follower, WindowReport, WindowStart};
use crate::base::{Clocks, Cycle, Moment, Packet, Sharing};
use crate::compute::Sm;
use crate::fabric::NodeSet;
use crate::memory_side::{MemorySide, Sms};
use crate::ticking::TickingSms;

/// Cycles of the shortest window that is worth it.
const LEAST_CYCLES: u64 = 3;

/// A window is worth it while at least two of this many SMs are awake: where memory is the limit, most of them sleep.
const SMS_OF_TWO_AWAKE: usize = 3;

/// Cycles for which no window is planned when one was not worth it, or when an SM might have written in it.
const REST_CYCLES: u64 = 4;

/// Windows on one thread, with what is kept from one to the next.
#[derive(Debug, Default)]
pub(crate) struct AloneWindows {
    /// No window is planned before this cycle.
    rests_until: u64,
    /// Before this cycle, no one asks whether SMs can write.
    unsure_until: u64,
    places: Vec<Place>,
    /// Replies behind the first cycle, in order of SMs, each with its cycle.
    arrivals: Vec<(u64, Packet)>,
    /// Per cycle of the window: what the SMs did.
    outputs: [CycleOutput; MOST_CYCLES],
    desk: [ThreadDesk; 1],
}

/// Where an SM is in a window.
#[derive(Clone, Debug)]
struct Place {
    /// The moment at which it waits; never if it is through.
    waits_at: Moment,
    queue: QueueAhead,
    /// Its replies: the next one, and the first of the next SM.
    arrivals: std::ops::Range<usize>,
}

impl Place {
    /// The SM's next reply, if it has come by a cycle.
    #[inline]
    fn arrival<'a>(&self, arrivals: &'a [(u64, Packet)], cycle: u64) -> Option<&'a Packet> {
        if self.arrivals.is_empty() {
            return None;
        }
        let (arrives_at, reply) = arrivals.get(self.arrivals.start)?;
        (*arrives_at <= cycle).then_some(reply)
    }
}

impl AloneWindows {
    /// How many cycles a window can have that begins in a cycle; 0 if it is not worth it.
    pub fn plan(
        &mut self,
        now: Cycle,
        most_cycles: u64,
        asleep_until: &[Cycle],
        side: &MemorySide,
        free_reply_places: impl FnOnce() -> usize,
    ) -> u64 {
        if now.0 < self.rests_until {
            return 0;
        }
        let awake = asleep_until.iter().filter(|&&until| until <= now).count();
        if SMS_OF_TWO_AWAKE * awake >= 2 * asleep_until.len() {
            let known = side.known_cycles().min(most_cycles).min(MOST_CYCLES as u64);
            // Whatever comes, an SM has room for it.
            let cycles = known.min(free_reply_places() as u64);
            if cycles >= LEAST_CYCLES {
                return cycles;
            }
        }
        self.rests_until = now.0 + REST_CYCLES;
        0
    }

    /// Runs a window of `cycles` cycles.
    pub fn run(
        &mut self,
        cycles: u64,
        start: &WindowStart,
        sms: &mut TickingSms<'_, '_>,
        (side, clocks): (&mut MemorySide, &mut Clocks),
    ) -> Result<WindowReport, Box<Fault>> {
        let first = start.now.core.0;
        let memory = sms.program.memory;
        sms.receive(side, start.now.core, memory);
        self.foretell(side, sms.sms.len(), first, cycles);
        let mut runner = Runner {
            sms,
            first,
            end: Moment::start_of(first + cycles),
            cycles,
            places: &mut self.places,
            arrivals: &self.arrivals,
            outputs: &mut self.outputs,
            is_calm: None,
            unsure_until: &mut self.unsure_until,
            fault: None,
        };
        runner.run();
        if let Some(fault) = runner.fault {
            // The state of the machine is thrown away.
            *self = Self::default();
            return Err(fault);
        }
        for (cycle, output) in (first..first + cycles).zip(&mut self.outputs) {
            self.desk[0].leave(cycle, output);
        }
        let mut follower = Follower::new(side, clocks, memory, &self.desk, start);
        let _is_over = (first..first + cycles).any(|cycle| !follower.run(cycle));
        Ok(follower.finish(first + cycles - 1))
    }

    /// Finds out what the SMs will get, and what their queues are like.
    fn foretell(&mut self, side: &MemorySide, sms: usize, first: u64, cycles: u64) {
        self.places.clear();
        self.arrivals.clear();
        for sm in 0..sms {
            let begin = self.arrivals.len();
            side.for_each_arrival(sm, cycles - 1, |later, reply| self.arrivals.push((first + later, reply)));
            self.places.push(Place {
                waits_at: Moment::NEVER,
                queue: QueueAhead::new(first, side.request_queue(sm)),
                arrivals: begin..self.arrivals.len(),
            });
        }
    }
}

/// The SMs in a window.
struct Runner<'w, 'a, 'p> {
    sms: &'w mut TickingSms<'a, 'p>,
    first: u64,
    cycles: u64,
    /// Where the window ends, or an SM failed.
    end: Moment,
    places: &'w mut [Place],
    arrivals: &'w [(u64, Packet)],
    outputs: &'w mut [CycleOutput; MOST_CYCLES],
    /// Whether no SM writes in this window, once an SM has asked.
    is_calm: Option<bool>,
    unsure_until: &'w mut u64,
    /// Why the SM at `end` cannot go on.
    fault: Option<Box<Fault>>,
}

impl Runner<'_, '_, '_> {
    /// All SMs through the window.
    fn run(&mut self) {
        for sm in 0..self.places.len() {
            self.run_sm(sm, self.first, false);
        }
        loop {
            let (mut moment, mut next) = (Moment::NEVER, 0);
            for (sm, place) in self.places.iter().enumerate() {
                if place.waits_at < moment {
                    (moment, next) = (place.waits_at, sm);
                }
            }
            if moment >= self.end {
                return;
            }
            if moment.is_end_of_cycle() {
                self.launch_blocks(moment);
            } else {
                self.run_sm(next, moment.cycle(), true);
            }
        }
    }

    /// Steps an SM from a cycle on, until it must wait; `has_turn` says that it need not in that cycle.
    fn run_sm(&mut self, index: usize, from: u64, mut has_turn: bool) {
        let mut cycle = from;
        let waits_at = loop {
            if Moment::of(cycle, index) >= self.end {
                break Moment::NEVER;
            }
            let arrival = self.places[index].arrival(self.arrivals, cycle);
            // The replies of the first cycle have been taken.
            let receives = cycle > self.first && (arrival.is_some() || self.sms.sms[index].replies() > 0);
            let is_due = self.sms.asleep_until[index].0 <= cycle;
            if is_due || receives {
                if !has_turn && !self.may_run(index) {
                    break Moment::of(cycle, index);
                }
                has_turn = false;
                if receives {
                    self.sms.receive_at(index, Cycle(cycle), || arrival.copied());
                    self.places[index].arrivals.start += usize::from(arrival.is_some());
                }
                if let Err(fault) = self.step(index, cycle) {
                    self.end = Moment::of(cycle, index);
                    self.fault = Some(fault);
                    break Moment::NEVER;
                }
            }
            if self.sms.blocks.has_more() && self.sms.sms[index].has_room_for_block() {
                break Moment::end_of(cycle);
            }
            cycle += 1;
        };
        self.places[index].waits_at = waits_at;
    }

    #[inline]
    fn step(&mut self, index: usize, cycle: u64) -> Result<(), Box<Fault>> {
        let place = &mut self.places[index];
        place.queue.step_to(cycle);
        let output = &mut self.outputs[(cycle - self.first) as usize % MOST_CYCLES];
        let mut outbox = Outbox { queue: &mut place.queue, sent: &mut output.sent, sm: index as u16 };
        let ended = self.sms.step_sm(index, Cycle(cycle), &mut outbox)?;
        output.blocks_ended += u64::from(ended);
        Ok(())
    }

    /// Whether an SM's next cycle can come before earlier ones of others.
    #[inline]
    fn may_run(&mut self, index: usize) -> bool {
        match self.sms.sms[index].sharing() {
            Sharing::Nothing | Sharing::MayFail => true,
            Sharing::Reads => self.is_calm(),
            Sharing::Writes => false,
        }
    }

    fn is_calm(&mut self) -> bool {
        if let Some(is_calm) = self.is_calm {
            return is_calm;
        }
        let is_calm = self.first >= *self.unsure_until && self.find_out_whether_calm();
        if !is_calm && self.first >= *self.unsure_until {
            *self.unsure_until = self.first + REST_CYCLES * self.cycles;
        }
        self.is_calm = Some(is_calm);
        is_calm
    }

    /// Whether no SM can write before the window ends; SMs that have run ahead had been calm up to where they are.
    fn find_out_whether_calm(&self) -> bool {
        let timing = self.sms.program.timing;
        if self.sms.blocks.has_more() && u64::from(timing.instructions_to_write(0)) < self.cycles {
            return false;
        }
        let is_calm = |sm: &Sm| sm.cycles_without_write(timing, self.cycles) >= self.cycles;
        self.sms.sms.iter().all(is_calm)
    }

    /// SMs with room at the end of a cycle get thread blocks in turn, and go on.
    fn launch_blocks(&mut self, moment: Moment) {
        let cycle = moment.cycle();
        let mut waiting = NodeSet::default();
        for (sm, place) in self.places.iter().enumerate() {
            if place.waits_at == moment {
                waiting.insert(sm);
            }
        }
        self.sms.launch_blocks(Cycle(cycle), |sm, _| waiting.contains(sm));
        waiting.for_each(|sm| self.run_sm(sm, cycle + 1, false));
    }
}
