//! Do loads from an approximable region, and only they, see values without their least significant bits?
#![expect(clippy::unwrap_used, reason = "a failure names the line")]

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::{ChannelKind, FloatFormat, TexelFormat, Texture};

/// Every bit of every word set, so that each cleared bit shows.
const ONES: [u8; 64] = [0xff; 64];
const CLEARED_12: u32 = 0xffff_f000;

/// What one thread's four registers hold after `body`; `%d1` is the input, a region where `bits` is given.
fn run(body: &str, bits: Option<u32>) -> [u32; 4] {
    let source = format!(
        ".version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 object, .param .u64 out)
{{
    .reg .b32 %r<8>;
    .reg .b16 %h<4>;
    .reg .b64 %d<8>;
    .shared .align 16 .b8 staging[16];
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [object];
    ld.param.u64 %d3, [out];
    {body}
    st.global.v4.u32 [%d3], {{%r1, %r2, %r3, %r4}};
    ret;
}}
"
    );
    let mut device = Functional::new();
    let module = device.load_module(&source).unwrap();
    let bytes = ONES.len() as u64;
    let input = match bits {
        Some(bits) => device.alloc_approximable(bytes, FloatFormat::F32, bits).unwrap(),
        None => device.alloc(bytes).unwrap(),
    };
    device.copy_in(input, &ONES).unwrap();
    let format = TexelFormat { channels: 4, channel_bits: 32, kind: ChannelKind::Unsigned };
    let object = device.create_texture(Texture::line(input, 4, format)).unwrap();
    let out = device.alloc(16).unwrap();
    let parameters = [input, object, out].iter().flat_map(|value| value.to_le_bytes()).collect();
    device.launch(&module.kernels["k"], &Launch::new([1; 3], [1; 3], parameters)).unwrap();
    let mut result = [0; 16];
    device.copy_out(out, &mut result).unwrap();
    let mut kept = [0; 64];
    device.copy_out(input, &mut kept).unwrap();
    assert_eq!(kept[..48], ONES[..48], "the host reads the exact bytes back");
    std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| result[4 * word + byte])))
}

/// One row a way to load four words.
const LOADS: [(&str, &str); 6] = [
    ("vector", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1+16];"),
    (
        "scalar",
        "ld.global.f32 %r1, [%d1]; ld.global.nc.f32 %r2, [%d1+4]; ld.global.u32 %r3, [%d1+8]; ld.global.u32 %r4, [%d1+12];",
    ),
    ("generic", "ld.u32 %r1, [%d1]; ld.u32 %r2, [%d1+4]; ld.u64 %d4, [%d1+8]; mov.b64 {%r3, %r4}, %d4;"),
    (
        "halves",
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; ld.global.u16 %h1, [%d1]; ld.global.u16 %h2, [%d1+2]; mov.b32 %r1, {%h1, %h2};",
    ),
    ("texture", "mov.u32 %r5, 1; tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%d2, {%r5}];"),
    (
        "asynchronous copy",
        "mov.u32 %r5, staging; cp.async.cg.shared.global [%r5], [%d1], 16; cp.async.wait_all; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];",
    ),
];

#[test]
fn every_kind_of_load_clears_the_bits_of_a_region() {
    for (name, body) in LOADS {
        assert_eq!(run(body, Some(12)), [CLEARED_12; 4], "{name}");
    }
}

#[test]
fn memory_that_is_no_region_is_never_touched() {
    for (name, body) in LOADS {
        assert_eq!(run(body, None), [u32::MAX; 4], "{name}");
    }
}

#[test]
fn atomics_work_on_the_exact_value_where_memory_is() {
    let swap = |word: u32, offset: u32| format!("atom.global.exch.b32 %r{word}, [%d1+{offset}], 7;");
    let body = [swap(1, 48), swap(2, 52), swap(3, 56), swap(4, 60)].concat();
    assert_eq!(run(&body, Some(12)), [u32::MAX; 4]);
}

#[test]
fn stores_keep_all_bits_and_reading_them_back_loses_some() {
    let body = "mov.u32 %r5, 0x3fffffff; st.global.u32 [%d1+60], %r5; ld.global.u32 %r1, [%d1+60];
        atom.global.or.b32 %r2, [%d1+60], 0; mov.u32 %r3, 0; mov.u32 %r4, 0;";
    assert_eq!(run(body, Some(20)), [0x3ff0_0000, 0x3fff_ffff, 0, 0]);
}
