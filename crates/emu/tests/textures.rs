//! Does `tex` read what is bound, as CUDA's rules for coordinates, filters and edges say?

use shrinkwarp_emu::device::{Device, DeviceError};
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::{Addressing, ChannelKind, Filter, TexelFormat, Texture};

const FLOATS: TexelFormat = TexelFormat { channels: 1, channel_bits: 32, kind: ChannelKind::Float };

/// A kernel that fetches one texel for each thread; coordinates lie at `in`, four words to a thread.
fn kernel(fetch: &str) -> String {
    format!(
        ".version 7.8
.target sm_70
.address_size 64
.global .texref image;
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 object)
{{
    .reg .b32 %r<8>;
    .reg .b32 %v<8>;
    .reg .b64 %d<8>;
    ld.param.u64 %d1, [out];
    ld.param.u64 %d2, [in];
    ld.param.u64 %d3, [object];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d4, %r1, 16;
    add.s64 %d1, %d1, %d4;
    add.s64 %d2, %d2, %d4;
    ld.global.v4.u32 {{%r2, %r3, %r4, %r5}}, [%d2];
    {fetch}
    st.global.v4.u32 [%d1], {{%v1, %v2, %v3, %v4}};
    ret;
}}
"
    )
}

const LINE: &str = "tex.1d.v4.f32.f32 {%v1, %v2, %v3, %v4}, [image, {%r2}];";
const PLANE: &str = "tex.2d.v4.f32.f32 {%v1, %v2, %v3, %v4}, [%d3, {%r2, %r3}];";

/// What each thread got, with the texture bound to the reference and as an object.
fn fetch(
    instruction: &str,
    texels: &[u8],
    texture: impl Fn(u64) -> Texture,
    coordinates: &[[u32; 4]],
) -> Result<Vec<[u32; 4]>, DeviceError> {
    let mut device = Functional::new();
    let module = device.load_module(&kernel(instruction))?;
    let address = device.alloc(texels.len() as u64)?;
    device.copy_in(address, texels)?;
    device.bind_texture(module.variables["image"].address, texture(address))?;
    let object = device.create_texture(texture(address))?;
    let bytes = 16 * coordinates.len();
    let (out, input) = (device.alloc(bytes as u64)?, device.alloc(bytes as u64)?);
    device.copy_in(input, &little_endian(&coordinates.concat()))?;
    let parameters = [out, input, object].iter().flat_map(|value| value.to_le_bytes()).collect();
    let launch = Launch::new([1; 3], [coordinates.len() as u32, 1, 1], parameters);
    device.launch(&module.kernels["k"], &launch)?;
    let mut result = vec![0; bytes];
    device.copy_out(out, &mut result)?;
    let words: Vec<u32> = result.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok(words.as_chunks::<4>().0.to_vec())
}

fn little_endian(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn at(x: f32, y: f32) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), 0, 0]
}

/// The first channel of each fetch.
fn reds(texels: &[[u32; 4]]) -> Vec<f32> {
    texels.iter().map(|texel| f32::from_bits(texel[0])).collect()
}

#[test]
fn a_reference_reads_the_line_it_is_bound_to() {
    let texels = floats(&[10.0, 20.0, 30.0, 40.0]);
    let coordinates = [-2.0, 0.0, 1.9, 2.0, 7.0].map(|x| at(x, 0.0));
    let result = fetch(LINE, &texels, |address| Texture::line(address, 4, FLOATS), &coordinates).unwrap();
    assert_eq!(reds(&result), [10.0, 10.0, 20.0, 30.0, 40.0]);
    // Channels that the texel lacks: 0, 0 and 1.
    assert_eq!(result[0][1..], [0, 0, 1f32.to_bits()]);
}

#[test]
fn integer_coordinates_name_texels_and_read_zero_outside() {
    let texels = little_endian(&[5, 6, u32::MAX]);
    let format = TexelFormat { kind: ChannelKind::Signed, ..FLOATS };
    let instruction = "tex.1d.v4.s32.s32 {%v1, %v2, %v3, %v4}, [image, {%r2}];";
    let coordinates = [0u32, 2, 3, u32::MAX].map(|x| [x, 0, 0, 0]);
    let result =
        fetch(instruction, &texels, |address| Texture::line(address, 3, format), &coordinates).unwrap();
    assert_eq!(result.iter().map(|texel| texel[0] as i32).collect::<Vec<_>>(), [5, -1, 0, 0]);
}

#[test]
fn an_object_reads_a_plane_with_weights_of_distance() {
    let texels = floats(&[0.0, 4.0, 8.0, 16.0]);
    let texture = |address| Texture { filter: Filter::Linear, ..Texture::plane(address, 2, 2, FLOATS) };
    // The centre of a texel is that texel; the corner between all four is their mean; a quarter to the right of
    // the first centre is a quarter of the way.
    let coordinates = [at(0.5, 0.5), at(1.5, 1.5), at(1.0, 1.0), at(0.75, 0.5), at(0.5, 1.0), at(-3.0, 0.5)];
    let result = fetch(PLANE, &texels, texture, &coordinates).unwrap();
    assert_eq!(reds(&result), [0.0, 16.0, 7.0, 1.0, 4.0, 0.0]);
}

#[test]
fn normalised_coordinates_wrap_mirror_or_end() {
    let texels = floats(&[1.0, 2.0, 3.0, 4.0]);
    let coordinates = [0.0, 0.99, 1.0, 1.3, -0.01].map(|x| at(x, 0.0));
    for (addressing, expected) in [
        (Addressing::Wrap, [1.0, 4.0, 1.0, 2.0, 4.0]),
        (Addressing::Mirror, [1.0, 4.0, 4.0, 3.0, 1.0]),
        (Addressing::Clamp, [1.0, 4.0, 4.0, 4.0, 1.0]),
        (Addressing::Border, [1.0, 4.0, 0.0, 0.0, 0.0]),
    ] {
        let texture = |address| Texture {
            addressing,
            has_normalised_coordinates: true,
            ..Texture::line(address, 4, FLOATS)
        };
        let result = fetch(LINE, &texels, texture, &coordinates).unwrap();
        assert_eq!(reds(&result), expected, "{addressing:?}");
    }
}

#[test]
fn bytes_read_as_fractions_or_as_they_are() {
    let format = TexelFormat { channels: 4, channel_bits: 8, kind: ChannelKind::Unsigned };
    let texels = [0, 51, 102, 255];
    let fractions = |address| Texture { reads_normalised: true, ..Texture::line(address, 1, format) };
    let result = fetch(LINE, &texels, fractions, &[at(0.0, 0.0)]).unwrap();
    assert_eq!(result[0].map(f32::from_bits), [0.0, 0.2, 0.4, 1.0]);
    let instruction = "tex.1d.v4.u32.f32 {%v1, %v2, %v3, %v4}, [image, {%r2}];";
    let plain = fetch(instruction, &texels, |address| Texture::line(address, 1, format), &[at(0.0, 0.0)]);
    assert_eq!(plain.unwrap()[0], [0, 51, 102, 255]);
}

#[test]
fn volumes_and_layers_choose_a_slice() {
    let texels = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let texture = |address| Texture { depth: 2, ..Texture::plane(address, 2, 2, FLOATS) };
    let volume = "tex.3d.v4.f32.f32 {%v1, %v2, %v3, %v4}, [%d3, {%r2, %r3, %r4, %r4}];";
    let coordinates = [[1.0f32, 0.0, 1.0, 0.0].map(f32::to_bits)];
    assert_eq!(reds(&fetch(volume, &texels, texture, &coordinates).unwrap()), [6.0]);
    let layered = "tex.a2d.v4.f32.f32 {%v1, %v2, %v3, %v4}, [%d3, {%r2, %r3, %r4, %r4}];";
    let coordinates = [0u32, 1, 9].map(|layer| [layer, 0f32.to_bits(), 1f32.to_bits(), 0]);
    assert_eq!(reds(&fetch(layered, &texels, texture, &coordinates).unwrap()), [3.0, 7.0, 7.0]);
}

#[test]
fn a_cube_is_six_faces() {
    let texels = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let texture = |address| Texture { depth: 6, ..Texture::plane(address, 1, 1, FLOATS) };
    let cube = "tex.cube.v4.f32.f32 {%v1, %v2, %v3, %v4}, [%d3, {%r2, %r3, %r4, %r4}];";
    let directions = [
        [9.0, 1.0, 1.0],
        [-9.0, 1.0, 1.0],
        [1.0, 9.0, 1.0],
        [1.0, -9.0, 1.0],
        [1.0, 1.0, 9.0],
        [1.0, 1.0, -9.0f32],
    ];
    let coordinates = directions.map(|[x, y, z]| [x.to_bits(), y.to_bits(), z.to_bits(), 0]);
    assert_eq!(reds(&fetch(cube, &texels, texture, &coordinates).unwrap()), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn a_kernel_can_ask_for_the_size() {
    let texture = |address| Texture { depth: 2, ..Texture::plane(address, 4, 3, FLOATS) };
    let instruction = "txq.width.b32 %v1, [image]; txq.height.b32 %v2, [%d3]; txq.array_size.b32 %v3, [%d3]; \
                       txq.normalized_coords.b32 %v4, [%d3];";
    let result = fetch(instruction, &[0; 96], texture, &[[0; 4]]).unwrap();
    assert_eq!(result, [[4, 3, 2, 0]]);
}

#[test]
fn blocks_keep_their_order_when_they_write_what_others_fetch() {
    const BLOCKS: u32 = 1000;
    // Block b writes texel b, plus one, to texel b + 1: in order, they count.
    let ptx = ".version 7.8
.target sm_70
.address_size 64
.global .texref image;
.visible .entry k(.param .u64 texels)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [texels];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d1, %d1, %d2;
    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [image, {%r1}];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%d1+4], %r2;
    ret;
}
";
    let mut device = Functional::new();
    let module = device.load_module(ptx).unwrap();
    let texels = device.alloc(u64::from(BLOCKS + 1) * 4).unwrap();
    let format = TexelFormat { kind: ChannelKind::Unsigned, ..FLOATS };
    let handle = module.variables["image"].address;
    device.bind_texture(handle, Texture::line(texels, BLOCKS + 1, format)).unwrap();
    let launch = Launch::new([BLOCKS, 1, 1], [1; 3], texels.to_le_bytes().to_vec());
    device.launch(&module.kernels["k"], &launch).unwrap();
    let mut last = [0; 4];
    device.copy_out(texels + u64::from(BLOCKS) * 4, &mut last).unwrap();
    assert_eq!(u32::from_le_bytes(last), BLOCKS);
}

#[test]
fn a_handle_that_is_not_bound_stops_the_kernel() {
    let mut device = Functional::new();
    let module = device.load_module(&kernel(PLANE)).unwrap();
    let buffer = device.alloc(64).unwrap();
    let parameters = [buffer, buffer, 0x1234].iter().flat_map(|value: &u64| value.to_le_bytes()).collect();
    let error = device.launch(&module.kernels["k"], &Launch::new([1; 3], [1; 3], parameters)).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("texture handle 0x1234 is not bound to anything"), "{message}");
}

#[test]
fn what_cannot_be_fetched_is_refused_at_load() {
    for (instruction, expected) in [
        ("tld4.r.cube.v4.f32.f32 {%v1, %v2, %v3, %v4}, [%d3, {%r2, %r3, %r4, %r5}];", "cannot be executed"),
        ("tex.2dms.v4.s32.s32 {%v1, %v2, %v3, %v4}, [%d3, {%r1, %r2, %r3, %r4}];", "cannot be executed"),
        ("tex.2d.v4.f32.f32 {%v1, %v2, %v3, %v4}, [%d3, {%r2}];", "needs 2 coordinates"),
    ] {
        let error = Functional::new().load_module(&kernel(instruction)).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("PTX line 18"), "{error}");
    }
}
