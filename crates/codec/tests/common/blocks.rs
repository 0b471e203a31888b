//! Blocks shaped like the data that codecs meet, and at the edges where codecs go wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use shrinkwarp_codec::{BlockBytes, BlockCodec, registry};

/// The words of the largest block; smaller blocks are its beginning.
const WORDS: usize = 32;

/// A 128-byte block of one of the shapes below.
pub fn block() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 4 * WORDS),
        vec(-500i32..500, WORDS).prop_map(words32),
        vec(-8i32..8, WORDS).prop_map(words32),
        int16_pairs(),
        pointers(),
        zero_runs(),
        vec(any::<u32>().prop_map(f32::from_bits), WORDS).prop_map(|floats| floats32(&floats)),
        smooth_floats(),
        vec(any::<u64>().prop_map(f64::from_bits), WORDS / 2).prop_map(|floats| floats64(&floats)),
        vec(prop_oneof![Just(i32::MIN), Just(i32::MAX), Just(0), Just(-1)], WORDS).prop_map(words32),
        vec(boundary(), WORDS).prop_map(words32),
        near_base(),
        few_words(),
        any::<u64>().prop_map(|value| value.to_le_bytes().repeat(WORDS / 2)),
        any::<u8>().prop_map(|byte| vec![byte; 4 * WORDS]),
        Just(vec![0xff; 4 * WORDS]),
    ]
}

/// `count` blocks of every shape, the same in every run: what trained codecs are trained on.
pub fn sample(count: usize) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let shape = block();
    (0..count).flat_map(|_| shape.new_tree(&mut runner).unwrap().current()).collect()
}

/// Every codec at every block size, with each value of each parameter; trained ones trained on nothing and on a
/// sample.
pub fn every_codec() -> Vec<(String, Box<dyn BlockCodec>)> {
    let sample = sample(128);
    let mut codecs = Vec::new();
    for entry in registry::ENTRIES {
        let mut specs = vec![entry.name.to_owned()];
        for param in entry.params {
            specs.extend(
                param.allowed[1..].iter().map(|value| format!("{}:{}={value}", entry.name, param.key)),
            );
        }
        for &block in entry.blocks {
            for text in &specs {
                add_codec(&mut codecs, text, block, &sample);
            }
        }
    }
    codecs
}

fn add_codec(codecs: &mut Vec<(String, Box<dyn BlockCodec>)>, text: &str, block: BlockBytes, sample: &[u8]) {
    let spec = registry::CodecSpec::parse(text, block).unwrap();
    codecs.push((format!("{text} at {block}"), spec.build(&[])));
    if spec.is_trained() {
        codecs.push((format!("{text} at {block}, trained"), spec.build(sample)));
    }
}

/// Values around the limits of the narrow widths, where an off-by-one hides.
fn boundary() -> impl Strategy<Value = i32> {
    let limit = prop_oneof![
        Just(8),
        Just(-8),
        Just(127),
        Just(-128),
        Just(255),
        Just(32767),
        Just(-32768),
        Just(65535),
        Just(0)
    ];
    (limit, -2i32..=2).prop_map(|(limit, offset)| limit + offset)
}

fn int16_pairs() -> impl Strategy<Value = Vec<u8>> {
    vec(-100i16..100, 2 * WORDS)
        .prop_map(|halves| halves.iter().flat_map(|half| half.to_le_bytes()).collect())
}

fn pointers() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(0), (0u64..1 << 20).prop_map(|offset| 0x7f3a_4c00_0000 + 8 * offset)], WORDS / 2)
        .prop_map(|pointers| pointers.iter().flat_map(|pointer| pointer.to_le_bytes()).collect())
}

/// A run of 7, 8, 9 or 32 zero words somewhere among small values.
fn zero_runs() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![Just(7), Just(8), Just(9), Just(WORDS)];
    (length, 0..WORDS, vec(-300i32..300, WORDS)).prop_map(|(length, start, mut words)| {
        let end = (start + length).min(WORDS);
        words[start..end].fill(0);
        words32(words)
    })
}

fn smooth_floats() -> impl Strategy<Value = Vec<u8>> {
    (-1000.0f32..1000.0, -0.01f32..0.01).prop_map(|(start, step)| {
        floats32(&std::array::from_fn::<f32, WORDS, _>(|i| start + step * i as f32))
    })
}

/// One base with deltas of one, two or four bytes, or whole words that wrap around.
fn near_base() -> impl Strategy<Value = Vec<u8>> {
    let deltas = prop_oneof![Just(128i64), Just(1 << 15), Just(1 << 31)];
    (any::<u64>(), deltas, vec(any::<(i64, bool)>(), WORDS / 2)).prop_map(|(base, limit, picks)| {
        let value = |(noise, is_immediate): (i64, bool)| {
            let delta = noise.rem_euclid(2 * limit) - limit;
            if is_immediate { delta as u64 } else { base.wrapping_add(delta as u64) }
        };
        picks.into_iter().flat_map(|pick| value(pick).to_le_bytes()).collect()
    })
}

/// Words drawn from a handful, and neighbours that share their upper bytes: what dictionaries live on.
fn few_words() -> impl Strategy<Value = Vec<u8>> {
    (vec(any::<u32>(), 1..5), vec((any::<prop::sample::Index>(), 0u32..4, any::<u16>()), WORDS)).prop_map(
        |(words, picks)| {
            let word = |(index, kind, noise): (prop::sample::Index, u32, u16)| {
                let known = *index.get(&words);
                match kind {
                    0 => known & !0xff | u32::from(noise & 0xff),
                    1 => known & !0xffff | u32::from(noise),
                    _ => known,
                }
            };
            picks.into_iter().flat_map(|pick| word(pick).to_le_bytes()).collect()
        },
    )
}

fn words32(words: Vec<i32>) -> Vec<u8> {
    words.into_iter().flat_map(i32::to_le_bytes).collect()
}

fn floats32(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

fn floats64(floats: &[f64]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}
