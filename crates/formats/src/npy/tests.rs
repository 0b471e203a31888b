//! Are headers read as NumPy writes them, and lies refused?

use super::*;

/// A version 1.0 file with this dictionary and this number of zero bytes as data.
fn file(dictionary: &str, data_bytes: usize) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&[1, 0]);
    file.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    file.extend_from_slice(dictionary.as_bytes());
    file.resize(file.len() + data_bytes, 0);
    file
}

fn read(file: &[u8]) -> Result<Header, InputError> {
    Header::read(&mut &*file, file.len() as u64, None)
}

#[test]
fn a_plain_header_is_understood() {
    let dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n";
    let header = read(&file(dictionary, 48)).unwrap();
    assert_eq!((header.dtype, &header.shape[..], header.data_len), (Dtype::F32, &[3, 4][..], 48));
    assert_eq!(header.data_offset, 10 + dictionary.len() as u64);
    assert!(!header.is_big_endian);
}

#[test]
fn scalars_vectors_and_other_kinds_are_understood() {
    let cases = [
        ("<f8", "()", 8, Dtype::F64, false),
        (">i2", "(5,)", 10, Dtype::I16, true),
        ("|b1", "(7,)", 7, Dtype::U8, false),
        ("<c16", "(2,)", 32, Dtype::F64, false),
        ("<M8[ns]", "(2,)", 16, Dtype::I64, false),
        (">u1", "(2L,)", 2, Dtype::U8, false),
    ];
    for (descr, shape, bytes, dtype, is_big_endian) in cases {
        let dictionary = format!("{{'shape': {shape}, 'fortran_order': True, 'descr': \"{descr}\"}}");
        let header = read(&file(&dictionary, bytes)).unwrap();
        assert_eq!((header.dtype, header.is_big_endian), (dtype, is_big_endian), "{descr}");
    }
}

#[test]
fn nameless_elements_take_the_type_the_user_gives() {
    let bytes = file("{'descr': '<V2', 'fortran_order': False, 'shape': (3,)}", 6);
    let header = Header::read(&mut &*bytes, bytes.len() as u64, Some(Dtype::Bf16)).unwrap();
    assert_eq!(header.dtype, Dtype::Bf16);
    assert_eq!(read(&bytes).unwrap_err().way_out, Some(crate::WayOut::GiveElementType));
}

#[test]
fn each_lie_in_a_header_is_named() {
    let cases = [
        ("{'descr': '<f4', 'shape': (3,)}", "shape [3] of f32 needs more than the 8 bytes"),
        ("{'descr': '<f4', 'shape': (1,)}", "4 bytes follow the array"),
        ("{'descr': '<f4', 'shape': (18446744073709551615, 8)}", "needs more than"),
        ("{'descr': '<f4', 'shape': (99999999999999999999,)}", "not a number below 2^64"),
        ("{'descr': '|O', 'shape': (1,)}", "\"|O\" is not supported"),
        ("{'descr': [('a', '<f4')], 'shape': (1,)}", "records of several fields"),
        ("{'shape': (1,)}", "no 'descr'"),
        ("{'descr': '<f4'}", "no 'shape'"),
        ("{'descr': '<f4", "does not end"),
        ("[]", "expected {"),
    ];
    for (dictionary, expected) in cases {
        let error = read(&file(dictionary, 8)).unwrap_err().to_string();
        assert!(error.contains(expected), "{dictionary}: {error}");
    }
}

#[test]
fn every_truncation_is_an_error() {
    let whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8);
    for len in 0..whole.len() {
        assert!(read(&whole[..len]).is_err(), "{len}");
    }
}

#[test]
fn big_endian_elements_come_out_little_endian() {
    let mut out = Vec::new();
    Swapping::new(&[1u8, 2, 3, 4, 5, 6][..], 2).read_to_end(&mut out).unwrap();
    assert_eq!(out, [2, 1, 4, 3, 6, 5]);
}
