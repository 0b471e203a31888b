//! Does every packet have the bits that the tables of [`super::super::format`] give it?

use super::*;
use crate::base::{AccessKind, Cycle};

fn blocks(lengths: &[u32]) -> Vec<Transfer> {
    let block = |(handle, &data_bits): (usize, &u32)| {
        let packet = Packet::new(AccessKind::GlobalRead, 0, 128, 0, Cycle(0));
        Transfer { packet: Packet { handle: handle as u32, ..packet }, vault: 0, data_bits }
    };
    lengths.iter().enumerate().map(block).collect()
}

/// Packs until nothing is left: each packet's bits, and the handles complete with it.
fn pack_all(packer: &mut Packer, lengths: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let mut waiting = blocks(lengths).into_iter();
    let mut packets = Vec::new();
    loop {
        let mut complete = Vec::new();
        let bits = packer.pack(|| waiting.next(), &mut complete);
        if bits == 0 {
            return packets;
        }
        packets.push((bits, complete.iter().map(|transfer| transfer.packet.handle).collect()));
    }
}

#[test]
fn seven_to_one_on_an_unpacked_link_costs_384_bits() {
    // 1,024 / 7 = 146.3: two flits, between head and tail.
    let mut packer = Packer::new(Packing::Unpacked, Towards::Gpu);
    assert_eq!(pack_all(&mut packer, &[147]), [(64 + 2 * 128 + 64, vec![0])]);
    assert_eq!(packer.traffic.padding_bits, 256 - 147);
}

#[test]
fn a_raw_block_costs_1152_bits_packed_or_not() {
    for packing in [Packing::Unpacked, Packing::Packed] {
        let mut packer = Packer::new(packing, Towards::Gpu);
        assert_eq!(pack_all(&mut packer, &[1024, 1024]), [(1152, vec![0]), (1152, vec![1])]);
    }
}

#[test]
fn a_packet_without_data_is_head_and_tail() {
    let mut packer = Packer::new(Packing::Packed, Towards::Memory);
    assert_eq!(packer.control(), 128);
    assert_eq!((packer.traffic.control_packets, packer.traffic.sent_bits), (1, 128));
}

#[test]
fn the_papers_example_of_four_blocks_in_two_packets() {
    // A 400, B 10 + 200, C 10 + 150: 770 of 1,024 bits. D of 500 fills the other 254; its rest, 246, follows untagged.
    let mut packer = Packer::new(Packing::Packed, Towards::Gpu);
    let packets = pack_all(&mut packer, &[400, 200, 150, 500]);
    assert_eq!(packets, [(64 + 1024 + 64, vec![0, 1, 2]), (64 + 2 * 128 + 64, vec![3])]);
    let expected = LinkTraffic {
        control_packets: 0,
        data_packets: 2,
        blocks: 4,
        spanning_blocks: 1,
        block_bits: 400 + 200 + 150 + 500,
        tag_bits: 2 * 10,
        head_and_tail_bits: 2 * 128,
        padding_bits: 256 - 246,
        sent_bits: 1152 + 384,
        ..LinkTraffic::default()
    };
    assert_eq!(packer.traffic, expected);
}

#[test]
fn a_write_is_named_by_its_address_too() {
    // 300, then 50 + 300: 650 bits are six flits.
    let mut packer = Packer::new(Packing::Packed, Towards::Memory);
    assert_eq!(pack_all(&mut packer, &[300, 300]), [(64 + 6 * 128 + 64, vec![0, 1])]);
}

#[test]
fn a_block_whose_tag_does_not_fit_begins_the_next_packet() {
    // 1,015 leave 9 bits: a block of 9 would fit without its tag of 10.
    let mut packer = Packer::new(Packing::Packed, Towards::Gpu);
    assert_eq!(pack_all(&mut packer, &[1015, 9]), [(1152, vec![0]), (256, vec![1])]);
    assert_eq!((packer.traffic.tag_bits, packer.traffic.spanning_blocks), (0, 0));
}

#[test]
fn a_masked_block_longer_than_a_packet_spans_two() {
    let mut packer = Packer::new(Packing::Packed, Towards::Memory);
    assert_eq!(pack_all(&mut packer, &[1152]), [(1152, vec![]), (256, vec![0])]);
    let mut packer = Packer::new(Packing::Unpacked, Towards::Memory);
    assert_eq!(pack_all(&mut packer, &[1152]), [(64 + 9 * 128 + 64, vec![0])]);
}

#[test]
fn every_bit_is_accounted_for_and_no_block_is_lost_or_overtaken() {
    for packing in [Packing::Unpacked, Packing::Packed] {
        let mut packer = Packer::new(packing, Towards::Memory);
        let lengths: Vec<u32> = (0..500u32).map(|n| 1 + n * 7919 % 1152).collect();
        let packets = pack_all(&mut packer, &lengths);
        let order: Vec<u32> = packets.iter().flat_map(|(_, handles)| handles.clone()).collect();
        assert_eq!(order, (0..500).collect::<Vec<_>>());
        let traffic = packer.traffic;
        let parts = traffic.block_bits + traffic.tag_bits + traffic.head_and_tail_bits + traffic.padding_bits;
        assert_eq!(traffic.sent_bits, parts);
        assert_eq!(traffic.sent_bits, packets.iter().map(|&(bits, _)| u64::from(bits)).sum::<u64>());
        assert_eq!(traffic.block_bits, lengths.iter().map(|&bits| u64::from(bits)).sum::<u64>());
        assert!(traffic.sent_bits.is_multiple_of(u64::from(FLIT_BITS)));
    }
}
