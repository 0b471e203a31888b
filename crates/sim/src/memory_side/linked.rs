//! A DRAM edge when memory lies behind links: what moves between controllers, links and vaults.

use shrinkwarp_emu::memory::Memory;

use super::MemorySide;
use crate::base::Cycle;
use crate::link::Links;
use crate::partition::Partition;

impl MemorySide {
    /// What is due arrives; each vault hands on at most one packet at each of its four places, the last place of the round trip
    /// first; then packets leave.
    pub(super) fn step_linked(&mut self, now: Cycle, dram_now: Cycle, memory: &Memory) {
        let Some(links) = &mut self.links else { return };
        let are_links_empty = links.is_empty();
        if !are_links_empty {
            links.deliver(dram_now);
        }
        for (vault, partition) in self.partitions.iter_mut().enumerate() {
            if are_links_empty && partition.is_dram_quiet(now) {
                continue;
            }
            take_answer(links, vault, partition, dram_now);
            partition.controller.step_channel(dram_now, memory);
            send_answer(links, vault, partition, dram_now);
            take_request(links, vault, partition, dram_now);
            partition.take_miss(now);
            let due = partition.controller.front_due(now);
            if due.is_some_and(|packet| links.can_send_request(vault, packet))
                && let Some(packet) = partition.controller.pop_due()
            {
                links.send_request(vault, packet, memory, dram_now);
            }
        }
        if !links.is_empty() {
            links.transmit(dram_now);
        }
    }
}

/// From the link to the slice that waits.
fn take_answer(links: &mut Links, vault: usize, partition: &mut Partition, dram_now: Cycle) {
    let answer = links.front_answer(vault, dram_now);
    if answer.is_some_and(|answer| partition.has_room_for_answer(answer))
        && let Some(answer) = links.pop_answer(vault)
    {
        partition.take_answer(answer);
    }
}

/// From the vault to the link.
fn send_answer(links: &mut Links, vault: usize, partition: &mut Partition, dram_now: Cycle) {
    let answer = partition.controller.front_return();
    if answer.is_some_and(|answer| links.can_send_answer(vault, answer))
        && let Some(answer) = partition.controller.pop_linked()
    {
        links.send_answer(vault, answer, dram_now);
    }
}

/// From the link to the vault.
fn take_request(links: &mut Links, vault: usize, partition: &mut Partition, dram_now: Cycle) {
    if partition.controller.is_queue_full() || links.front_request(vault, dram_now).is_none() {
        return;
    }
    if let Some(packet) = links.pop_request(vault) {
        partition.controller.push_linked(packet, links.is_merged(&packet));
    }
}
