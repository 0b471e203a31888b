//! Do wmma, mma and ldmatrix give the product that a plain triple loop gives?
#![expect(clippy::unwrap_used, reason = "tests")]

use half::{bf16, f16};
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::Launch;

/// Runs `body` in one warp with the buffers as parameters `%d1`, `%d2`, … and returns the last one.
fn run(body: &str, buffers: &[Vec<u8>]) -> Vec<u8> {
    let parameters: Vec<String> = (0..buffers.len()).map(|index| format!(".param .u64 p{index}")).collect();
    let loads: Vec<String> =
        (0..buffers.len()).map(|index| format!("ld.param.u64 %d{}, [p{index}];", index + 1)).collect();
    let loads = loads.join("\n");
    let ptx = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k({})\n{{\n\
         .reg .b32 %a<9>;\n.reg .b32 %b<9>;\n.reg .b32 %c<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<16>;\n\
         .reg .f64 %x<9>;\n.reg .f64 %y<5>;\n.reg .f64 %z<5>;\n.shared .align 16 .b8 tile[1024];\n{loads}\n{body}\nret;\n}}\n",
        parameters.join(", ")
    );
    let mut device = Functional::new();
    let module = device.load_module(&ptx).unwrap();
    let mut addresses = Vec::new();
    for buffer in buffers {
        let address = device.alloc(buffer.len() as u64).unwrap();
        device.copy_in(address, buffer).unwrap();
        addresses.push(address);
    }
    let arguments = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
    device.launch(&module.kernels["k"], &Launch::new([1; 3], [32, 1, 1], arguments)).unwrap();
    let mut result = vec![0; buffers.last().unwrap().len()];
    device.copy_out(*addresses.last().unwrap(), &mut result).unwrap();
    result
}

fn registers(name: char, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%{name}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Small integers, so that every product and sum is exact in any order.
fn left(row: usize, k: usize) -> f32 {
    ((row * 5 + k * 3) % 11) as f32 - 5.0
}

fn right(k: usize, column: usize) -> f32 {
    ((k * 7 + column) % 9) as f32 - 4.0
}

fn addend(row: usize, column: usize) -> f32 {
    (row * 32 + column) as f32
}

fn product(row: usize, column: usize, depth: usize) -> f32 {
    (0..depth).map(|k| left(row, k) * right(k, column)).sum::<f32>() + addend(row, column)
}

/// A matrix in memory, rows or columns together.
fn matrix(
    (rows, columns): (usize, usize),
    is_column_major: bool,
    element: impl Fn(usize, usize) -> Vec<u8>,
) -> Vec<u8> {
    let (lines, length) = if is_column_major { (columns, rows) } else { (rows, columns) };
    let place = |line, at| if is_column_major { (at, line) } else { (line, at) };
    (0..lines)
        .flat_map(|line| (0..length).map(move |at| place(line, at)))
        .flat_map(|(row, column)| element(row, column))
        .collect()
}

fn half_bytes(value: f32) -> Vec<u8> {
    f16::from_f32(value).to_le_bytes().to_vec()
}

fn bfloat_bytes(value: f32) -> Vec<u8> {
    bf16::from_f32(value).to_le_bytes().to_vec()
}

fn single_bytes(value: f32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

#[test]
fn wmma_multiplies_in_every_shape_and_layout() {
    for (m, n) in [(16, 16), (8, 32), (32, 8)] {
        for (a_layout, b_layout) in [("row", "col"), ("col", "row"), ("row", "row")] {
            let shape = format!("m{m}n{n}k16");
            let body = format!(
                "wmma.load.a.sync.aligned.{a_layout}.{shape}.global.f16 {a}, [%d1];
                 wmma.load.b.sync.aligned.{b_layout}.{shape}.global.f16 {b}, [%d2];
                 wmma.load.c.sync.aligned.row.{shape}.global.f32 {c}, [%d3];
                 wmma.mma.sync.aligned.{a_layout}.{b_layout}.{shape}.f32.f32 {c}, {a}, {b}, {c};
                 wmma.store.d.sync.aligned.row.{shape}.global.f32 [%d4], {c};",
                a = registers('a', 8),
                b = registers('b', 8),
                c = registers('c', 8),
            );
            let buffers = [
                matrix((m, 16), a_layout == "col", |row, k| half_bytes(left(row, k))),
                matrix((16, n), b_layout == "col", |k, column| half_bytes(right(k, column))),
                matrix((m, n), false, |row, column| single_bytes(addend(row, column))),
                vec![0; m * n * 4],
            ];
            let expected = matrix((m, n), false, |row, column| single_bytes(product(row, column, 16)));
            assert_eq!(run(&body, &buffers), expected, "{shape} {a_layout} {b_layout}");
        }
    }
}

#[test]
fn wmma_takes_bfloats_and_half_sums_and_strides() {
    let body = format!(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {a}, [%d1], 16;
         wmma.load.b.sync.aligned.col.m16n16k16.global.bf16 {b}, [%d2], 16;
         wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {c}, [%d3], 16;
         wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {c}, {a}, {b}, {c};
         wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%d4], {c}, 20;",
        a = registers('a', 4),
        b = registers('b', 4),
        c = registers('c', 8),
    );
    let buffers = [
        matrix((16, 16), false, |row, k| bfloat_bytes(left(row, k))),
        matrix((16, 16), true, |k, column| bfloat_bytes(right(k, column))),
        matrix((16, 16), false, |row, column| single_bytes(addend(row, column))),
        vec![0; 20 * 16 * 4],
    ];
    // Columns of 16 elements, each followed by a gap of 4.
    let expected = matrix((20, 16), true, |row, column| {
        single_bytes(if row < 16 { product(row, column, 16) } else { 0.0 })
    });
    assert_eq!(run(&body, &buffers), expected);
}

/// `mma` with A by rows and B by columns, read with plain loads from the documented places.
fn mma(depth: usize, ty: &str, sum: &str, encode: fn(f32) -> Vec<u8>) -> Vec<u8> {
    let (a_count, b_count) = (depth / 4, depth / 8);
    let (c_count, c_encode): (usize, fn(f32) -> Vec<u8>) =
        if sum == "f16" { (2, half_bytes) } else { (4, single_bytes) };
    // %r1 = group, %r2 = member; addresses of A: group row, of B: group column, 4 bytes to a member.
    let mut body = format!(
        "mov.u32 %r0, %laneid;
         shr.u32 %r1, %r0, 2;
         and.b32 %r2, %r0, 3;
         mad.lo.u32 %r3, %r1, {line}, 0;
         mad.lo.u32 %r3, %r2, 4, %r3;
         cvt.u64.u32 %d5, %r3;
         add.u64 %d1, %d1, %d5;
         add.u64 %d2, %d2, %d5;
         mul.lo.u32 %r4, %r1, {sum_line};
         mad.lo.u32 %r4, %r2, {pair}, %r4;
         cvt.u64.u32 %d6, %r4;
         add.u64 %d3, %d3, %d6;
         add.u64 %d4, %d4, %d6;\n",
        line = depth * 2,
        sum_line = 8 * c_encode(0.0).len(),
        pair = 2 * c_encode(0.0).len(),
    );
    for register in 0..a_count {
        let offset = register % 2 * 8 * depth * 2 + register / 2 * 16;
        body += &format!("ld.global.b32 %a{register}, [%d1+{offset}];\n");
    }
    for register in 0..b_count {
        body += &format!("ld.global.b32 %b{register}, [%d2+{}];\n", register * 16);
    }
    let sum_offset = |register: usize| match c_count {
        2 => register * 8 * 16,
        _ => register / 2 * 8 * 32 + register % 2 * 4,
    };
    for register in 0..c_count {
        body += &format!("ld.global.b32 %c{register}, [%d3+{}];\n", sum_offset(register));
    }
    body += &format!(
        "mma.sync.aligned.m16n8k{depth}.row.col.{sum}.{ty}.{ty}.{sum} {c}, {}, {}, {c};\n",
        registers('a', a_count),
        registers('b', b_count),
        c = registers('c', c_count),
    );
    for register in 0..c_count {
        body += &format!("st.global.b32 [%d4+{}], %c{register};\n", sum_offset(register));
    }
    let size = 16 * 8 * c_encode(0.0).len();
    let buffers = [
        matrix((16, depth), false, |row, k| encode(left(row, k))),
        matrix((depth, 8), true, |k, column| encode(right(k, column))),
        matrix((16, 8), false, |row, column| c_encode(addend(row, column))),
        vec![0; size],
    ];
    run(&body, &buffers)
}

#[test]
fn mma_multiplies_fragments_in_the_documented_places() {
    for depth in [8, 16] {
        let expected = matrix((16, 8), false, |row, column| single_bytes(product(row, column, depth)));
        assert_eq!(mma(depth, "f16", "f32", half_bytes), expected, "f16, k = {depth}");
        assert_eq!(mma(depth, "bf16", "f32", bfloat_bytes), expected, "bf16, k = {depth}");
        let halves = matrix((16, 8), false, |row, column| half_bytes(product(row, column, depth)));
        assert_eq!(mma(depth, "f16", "f16", half_bytes), halves, "f16 sums, k = {depth}");
    }
}

fn double_bytes(value: f32) -> Vec<u8> {
    f64::from(value).to_le_bytes().to_vec()
}

fn double_buffers(m: usize, depth: usize) -> [Vec<u8>; 4] {
    [
        matrix((m, depth), false, |row, k| double_bytes(left(row, k))),
        matrix((depth, 8), true, |k, column| double_bytes(right(k, column))),
        matrix((m, 8), false, |row, column| double_bytes(addend(row, column))),
        vec![0; m * 8 * 8],
    ]
}

/// `mma` of doubles, a register for each, read with plain loads from the documented places.
fn double_mma(m: usize, depth: usize) -> Vec<u8> {
    let (a_count, b_count, c_count) = (m * depth / 32, depth / 4, m / 4);
    let mut body = format!(
        "mov.u32 %r0, %laneid;
         shr.u32 %r1, %r0, 2;
         and.b32 %r2, %r0, 3;
         mul.lo.u32 %r3, %r1, {line};
         mad.lo.u32 %r3, %r2, 8, %r3;
         cvt.u64.u32 %d5, %r3;
         add.u64 %d1, %d1, %d5;
         add.u64 %d2, %d2, %d5;
         mul.lo.u32 %r4, %r1, 64;
         mad.lo.u32 %r4, %r2, 16, %r4;
         cvt.u64.u32 %d6, %r4;
         add.u64 %d3, %d3, %d6;
         add.u64 %d4, %d4, %d6;\n",
        line = depth * 8,
    );
    for register in 0..a_count {
        // The upper and the lower half of the rows in turn, then the next four columns; with eight rows there is no lower half.
        let offset = register % 2 * 8 * depth * 8 + register / 2 * 32;
        body += &format!("ld.global.f64 %x{register}, [%d1+{offset}];\n");
    }
    for register in 0..b_count {
        body += &format!("ld.global.f64 %y{register}, [%d2+{}];\n", register * 32);
    }
    let sum_offset = |register: usize| register / 2 * 512 + register % 2 * 8;
    for register in 0..c_count {
        body += &format!("ld.global.f64 %z{register}, [%d3+{}];\n", sum_offset(register));
    }
    body += &format!(
        "mma.sync.aligned.m{m}n8k{depth}.row.col.f64.f64.f64.f64 {c}, {}, {}, {c};\n",
        registers('x', a_count),
        registers('y', b_count),
        c = registers('z', c_count),
    );
    for register in 0..c_count {
        body += &format!("st.global.f64 [%d4+{}], %z{register};\n", sum_offset(register));
    }
    run(&body, &double_buffers(m, depth))
}

#[test]
fn mma_multiplies_doubles_in_every_shape() {
    for (m, depth) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        let expected = matrix((m, 8), false, |row, column| double_bytes(product(row, column, depth)));
        assert_eq!(double_mma(m, depth), expected, "m{m}n8k{depth}");
    }
}

#[test]
fn wmma_multiplies_doubles() {
    for rounding in ["", ".rn"] {
        let body = format!(
            "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {{%x0}}, [%d1];
             wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {{%y0}}, [%d2];
             wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {{%z0, %z1}}, [%d3];
             wmma.mma.sync.aligned.row.col.m8n8k4{rounding}.f64.f64.f64.f64 {{%z0, %z1}}, {{%x0}}, {{%y0}}, {{%z0, %z1}};
             wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%d4], {{%z0, %z1}};"
        );
        let expected = matrix((8, 8), false, |row, column| double_bytes(product(row, column, 4)));
        assert_eq!(run(&body, &double_buffers(8, 4)), expected, "{rounding}");
    }
}

/// Four 8 × 8 matrices of numbered halves in shared memory, read by `ldmatrix` and written lane by lane.
fn ldmatrix(count: usize, suffix: &str) -> Vec<u16> {
    let mut body = format!(
        "mov.u32 %r0, %laneid;
         mov.u32 %r1, tile;
         shl.b32 %r2, %r0, 4;
         cvt.u64.u32 %d5, %r2;
         add.u64 %d5, %d1, %d5;
         add.u32 %r3, %r1, %r2;
         ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%d5];
         st.shared.v4.b32 [%r3], {{%a0, %a1, %a2, %a3}};
         bar.sync 0;
         ldmatrix.sync.aligned.m8n8.x{count}{suffix}.shared.b16 {}, [%r3];
         mul.lo.u32 %r4, %r0, {};
         cvt.u64.u32 %d6, %r4;
         add.u64 %d2, %d2, %d6;\n",
        registers('b', count),
        4 * count
    );
    for register in 0..count {
        body += &format!("st.global.b32 [%d2+{}], %b{register};\n", 4 * register);
    }
    let numbers = (0..256u16).flat_map(u16::to_le_bytes).collect();
    let bytes = run(&body, &[numbers, vec![0; 128 * count]]);
    bytes.as_chunks::<2>().0.iter().map(|half| u16::from_le_bytes(*half)).collect()
}

#[test]
fn ldmatrix_gives_each_lane_two_neighbours_of_each_matrix() {
    for count in [1, 2, 4] {
        for (suffix, is_transposed) in [("", false), (".trans", true)] {
            let result = ldmatrix(count, suffix);
            for (index, &value) in result.iter().enumerate() {
                let (lane, matrix, part) = (index / (2 * count), index / 2 % count, index % 2);
                let (long, short) = (lane % 4 * 2 + part, lane / 4);
                let (row, column) = if is_transposed { (long, short) } else { (short, long) };
                let expected = matrix * 64 + row * 8 + column;
                assert_eq!(usize::from(value), expected, "x{count}{suffix}, lane {lane}");
            }
        }
    }
}

#[test]
fn a_fragment_of_the_wrong_size_is_refused_with_its_line() {
    let ptx = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %a<8>;\n\
               .reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n\
               wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1}, [%d1];\nret;\n}\n";
    let error = Functional::new().load_module(ptx).unwrap_err().to_string();
    assert!(
        error.contains("PTX line 9") && error.contains("8 registers was expected, 2 are given"),
        "{error}"
    );
}
