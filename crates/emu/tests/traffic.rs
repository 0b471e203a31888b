//! What does a timing model hear of textures and matrices?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use shrinkwarp_emu::effects::{Effects, MemoryAccess};
use shrinkwarp_emu::exec::step;
use shrinkwarp_emu::inst::{AccessDirection, Space};
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::load::load;
use shrinkwarp_emu::memory::{ChannelKind, Memory, TexelFormat, Texture};
use shrinkwarp_emu::thread_block::ThreadBlock;

/// A kernel around `body`; its one parameter is in `%d1`, the lane in `%r1`.
fn ptx(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.global .texref image;\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<16>;\n.reg .b64 %d<4>;\n\
         ld.param.u64 %d1, [p];\nmov.u32 %r1, %laneid;\n{body}\nret;\n}}\n"
    )
}

/// The first access outside the parameters, with its addresses. The buffer of 4096 bytes holds a texture of 8-bit
/// texels, 64 to a row.
fn traffic(body: &str) -> (MemoryAccess, [u64; 32], u64) {
    let mut memory = Memory::default();
    let module = load(&shrinkwarp_ptx::parse(&ptx(body)).unwrap(), &mut memory).unwrap();
    let buffer = memory.alloc(4096).unwrap();
    let format = TexelFormat { channels: 1, channel_bits: 8, kind: ChannelKind::Unsigned };
    memory.bind_texture(module.variables["image"].address, Texture::plane(buffer, 64, 64, format)).unwrap();
    let kernel = Arc::clone(&module.kernels["k"]);
    let launch = Launch::new([1; 3], [32, 1, 1], buffer.to_le_bytes().to_vec());
    let (mut block, mut effects) = (ThreadBlock::default(), Effects::default());
    block.start(&kernel, &launch, [0; 3]);
    loop {
        step(&kernel, &launch, &mut block, 0, &memory, &mut effects).unwrap();
        match effects.access {
            Some(access) if access.space != Space::Parameter => return (access, effects.addresses, buffer),
            _ => assert!(!effects.warp_finished, "no access was reported"),
        }
    }
}

#[test]
fn a_fetch_reports_the_texel_of_every_lane() {
    let fetch = "shr.u32 %r2, %r1, 1;\ntex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [image, {%r2, %r1}];";
    let (access, addresses, buffer) = traffic(fetch);
    let expected = MemoryAccess {
        space: Space::Texture,
        kind: AccessDirection::Load,
        bytes_per_lane: 1,
        lanes: u32::MAX,
    };
    assert_eq!(access, expected);
    for (lane, address) in addresses.into_iter().enumerate() {
        assert_eq!(address, buffer + 64 * lane as u64 + lane as u64 / 2);
    }
}

#[test]
fn a_guarded_fetch_reports_its_lanes_only() {
    let fetch = ".reg .pred %p1;\nsetp.lt.u32 %p1, %r1, 5;\n\
                 @%p1 tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [image, {%r1}];";
    assert_eq!(traffic(fetch).0.lanes, 0b1_1111);
}

#[test]
fn rows_of_a_matrix_come_from_the_lanes_that_give_their_addresses() {
    let fetch = "shl.b32 %r2, %r1, 5;\ncvt.u64.u32 %d2, %r2;\nadd.u64 %d2, %d1, %d2;\n\
                 ldmatrix.sync.aligned.m8n8.x2.b16 {%r3, %r4}, [%d2];";
    let (access, addresses, buffer) = traffic(fetch);
    assert_eq!((access.space, access.bytes_per_lane, access.lanes), (Space::Global, 16, 0xffff));
    assert_eq!(addresses[15], buffer + 15 * 32);
}

#[test]
fn a_matrix_load_reports_every_byte_once() {
    // 16 rows of 32 bytes, 64 elements (128 bytes) apart: two lanes to a row.
    let fetch = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 \
                 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%d1], 64;";
    let (access, addresses, buffer) = traffic(fetch);
    assert_eq!((access.space, access.bytes_per_lane, access.lanes), (Space::Global, 16, u32::MAX));
    for (lane, address) in addresses.into_iter().enumerate() {
        assert_eq!(address, buffer + 128 * (lane as u64 / 2) + 16 * (lane as u64 % 2));
    }
}
