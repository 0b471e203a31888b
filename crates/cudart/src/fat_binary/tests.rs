use proptest::prelude::*;

use super::*;

const PACKINGS: [Packing; 3] = [Packing::Plain, Packing::Lz4, Packing::Zstd];

fn ptx(architecture: u32) -> Ptx {
    let text = format!(".version 6.0\n.target sm_{architecture}\n.address_size 64\n").repeat(9);
    Ptx::new(architecture, text)
}

#[test]
fn every_packing_gives_the_text_back() {
    for packing in PACKINGS {
        let binary = write(&[ptx(70)], packing).unwrap();
        assert_eq!(read_ptx(&binary).as_ref(), Ok(&ptx(70)), "{packing:?}");
    }
}

#[test]
fn the_newest_of_several_entries_is_taken_and_machine_code_is_passed_over() {
    let mut binary = write(&[ptx(52), ptx(80), ptx(90), ptx(61)], Packing::Lz4).unwrap();
    assert_eq!(read_ptx(&binary).unwrap().architecture, 90);
    let third = 16 + 2 * (binary.len() - 16) / 4;
    binary[third] = 2;
    assert_eq!(read_ptx(&binary).unwrap().architecture, 80);
}

#[test]
fn machine_code_alone_is_an_error_that_says_how_to_compile() {
    let mut binary = write(&[ptx(86)], Packing::Plain).unwrap();
    binary[16] = 2;
    let error = read_ptx(&binary).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no PTX, only sm_86; compile with -gencode arch=compute_70,code=compute_70"
    );
}

#[test]
fn every_truncation_is_an_error() {
    for packing in PACKINGS {
        let binary = write(&[ptx(70), ptx(75)], packing).unwrap();
        for end in 0..binary.len() {
            assert!(read_ptx(&binary[..end]).is_err(), "{packing:?} cut at {end}");
        }
    }
}

#[test]
fn a_length_beyond_reason_is_refused_before_anything_is_expanded() {
    let mut binary = write(&[ptx(70)], Packing::Zstd).unwrap();
    binary[16 + 56..16 + 64].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = read_ptx(&binary).unwrap_err();
    assert!(matches!(error, FatBinaryError::BadCompression { at_byte: 16, .. }), "{error}");
}

proptest! {
    #[test]
    fn any_bytes_behind_a_header_give_an_answer(mut bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut binary = MAGIC.to_le_bytes().to_vec();
        binary.extend([1, 0, 16, 0]);
        binary.extend((bytes.len() as u64).to_le_bytes());
        binary.append(&mut bytes);
        let _ = read_ptx(&binary);
    }

    #[test]
    fn a_changed_byte_gives_an_answer(
        packing in prop::sample::select(&PACKINGS[..]), at in any::<prop::sample::Index>(), value in any::<u8>(),
    ) {
        let mut binary = write(&[ptx(70), ptx(75)], packing).unwrap();
        let at = at.index(binary.len());
        binary[at] = value;
        if let Ok(found) = read_ptx(&binary) {
            prop_assert!(found.text.len() <= ptx(70).text.len() + 1, "{}", found.text.len());
        }
    }
}
