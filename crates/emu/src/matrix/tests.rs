use super::*;

fn fragment(ty: MatrixType, rows: u16, columns: u16, placement: Placement, registers: u32) -> Fragment {
    Fragment::new(ty, rows, columns, placement, (0..registers).collect())
}

/// How many lanes hold each element.
fn holders(fragment: &Fragment) -> Vec<u32> {
    let mut count = vec![0; fragment.elements()];
    for lane in 0..LANES {
        for register in 0..fragment.registers.len() {
            for part in 0..fragment.ty.per_register() as usize {
                let (row, column) = fragment.place(lane, register, part);
                count[row * usize::from(fragment.columns) + column] += 1;
            }
        }
    }
    count
}

#[test]
fn every_element_of_an_mma_fragment_has_one_holder() {
    use MatrixType::{Bf16, F16, F32, F64, S8, Tf32};
    use Placement::{Left, Right, Sum};
    for fragment in [
        fragment(F16, 16, 16, Left, 4),
        fragment(F16, 16, 8, Right, 2),
        fragment(Bf16, 16, 8, Left, 2),
        fragment(Bf16, 8, 8, Right, 1),
        fragment(Tf32, 16, 8, Left, 4),
        fragment(Tf32, 8, 8, Right, 2),
        fragment(S8, 16, 32, Left, 4),
        fragment(S8, 32, 8, Right, 2),
        fragment(F32, 16, 8, Sum, 4),
        fragment(F64, 8, 4, Left, 1),
        fragment(F64, 16, 16, Left, 8),
        fragment(F64, 4, 8, Right, 1),
        fragment(F64, 16, 8, Right, 4),
        fragment(F64, 8, 8, Sum, 2),
        fragment(F64, 16, 8, Sum, 4),
        fragment(F16, 16, 8, Sum, 2),
    ] {
        assert!(holders(&fragment).iter().all(|&count| count == 1), "{fragment:?}");
    }
}

#[test]
fn every_element_of_a_wmma_fragment_has_as_many_holders_as_the_others() {
    for (rows, columns, copies) in [(16, 16, 2), (8, 16, 4), (32, 16, 1), (16, 32, 1), (16, 8, 4)] {
        let fragment = fragment(MatrixType::F16, rows, columns, Placement::InOrder, 8);
        assert!(holders(&fragment).iter().all(|&count| count == copies), "{fragment:?}");
    }
}

#[test]
fn fragments_lie_as_the_standard_draws_them() {
    // Figures of the standard for m16n8k16 with .f16: lane 5 is member 1 of group 1.
    let left = fragment(MatrixType::F16, 16, 16, Placement::Left, 4);
    let places: Vec<_> = (0..4).map(|register| left.place(5, register, 1)).collect();
    assert_eq!(places, [(1, 3), (9, 3), (1, 11), (9, 11)]);
    let right = fragment(MatrixType::F16, 16, 8, Placement::Right, 2);
    assert_eq!((right.place(5, 0, 0), right.place(5, 1, 1)), ((2, 1), (11, 1)));
    let sum = fragment(MatrixType::F32, 16, 8, Placement::Sum, 4);
    let places: Vec<_> = (0..4).map(|register| sum.place(5, register, 0)).collect();
    assert_eq!(places, [(1, 2), (1, 3), (9, 2), (9, 3)]);
}

fn product(factor: MatrixType, sum: MatrixType, saturates: bool) -> MatrixProduct {
    MatrixProduct {
        d: fragment(sum, 16, 8, Placement::Sum, 4),
        a: fragment(factor, 16, 16, Placement::Left, 4),
        b: fragment(factor, 16, 8, Placement::Right, 2),
        c: fragment(sum, 16, 8, Placement::Sum, 4),
        saturates,
    }
}

#[test]
fn a_product_is_the_sum_over_k() {
    let half = |value: usize| u32::from(f16::from_f32(value as f32).to_bits());
    let a = std::array::from_fn(|index| half(index % 7));
    let b = std::array::from_fn(|index| half(index % 5));
    let c = std::array::from_fn(|index| (index as f32).to_bits());
    let out = product(MatrixType::F16, MatrixType::F32, false).compute(&a, &b, &c);
    for row in 0..16 {
        for column in 0..8 {
            let index = row * 8 + column;
            let sum: usize = (0..16).map(|k| (row * 16 + k) % 7 * ((k * 8 + column) % 5)).sum();
            assert_eq!(f32::from_bits(out[index]), (sum + index) as f32);
        }
    }
}

#[test]
fn every_half_becomes_the_single_that_it_is() {
    for half in 0..=u16::MAX {
        let ours = MatrixType::F16.to_single(u32::from(half));
        assert_eq!(ours.to_bits(), f16::from_bits(half).to_f32().to_bits(), "{half:#x}");
    }
}

#[test]
fn sums_are_rounded_after_each_product_in_the_order_of_k() {
    use proptest::prelude::*;
    let element =
        |bits: u32, index: usize| bits.wrapping_mul(0x9e37_79b9).rotate_left(index as u32 * 7) ^ bits >> 9;
    proptest!(|(seed: u32, factor in prop::sample::select(vec![MatrixType::F16, MatrixType::Bf16, MatrixType::Tf32]))| {
        let mask = u32::MAX >> (32 - factor.bits());
        let [a, b, c]: [[u32; MAX_ELEMENTS]; 3] = std::array::from_fn(|matrix| {
            std::array::from_fn(|index| {
                let bits = element(seed ^ matrix as u32, index);
                if matrix == 2 { bits } else { bits & mask }
            })
        });
        let product = product(factor, MatrixType::F32, false);
        let out = product.compute(&a, &b, &c);
        for (index, &out) in out.iter().enumerate().take(128) {
            let (row, column) = (index / 8, index % 8);
            let mut sum = f32::from_bits(c[index]);
            for k in 0..16 {
                sum += factor.to_single(a[row * 16 + k]) * factor.to_single(b[k * 8 + column]);
            }
            prop_assert!(out == sum.to_bits() || sum.is_nan() && f32::from_bits(out).is_nan());
        }
    });
}

#[test]
fn doubles_are_multiplied_and_added_with_one_rounding() {
    let tiny = 2.0_f64.powi(-30);
    let mut a = [0; MAX_ELEMENTS];
    let mut b = [0; MAX_ELEMENTS];
    (a[0], b[0]) = ((1.0 + tiny).to_bits(), (1.0 - tiny).to_bits());
    let c = [(-1.0_f64).to_bits(); MAX_ELEMENTS];
    let product = MatrixProduct {
        d: fragment(MatrixType::F64, 8, 8, Placement::Sum, 2),
        a: fragment(MatrixType::F64, 8, 4, Placement::Left, 1),
        b: fragment(MatrixType::F64, 4, 8, Placement::Right, 1),
        c: fragment(MatrixType::F64, 8, 8, Placement::Sum, 2),
        saturates: false,
    };
    // Rounded before the sum, the product would be 1 and the result 0.
    let out = product.compute_doubles(&a, &b, &c);
    assert_eq!((f64::from_bits(out[0]), f64::from_bits(out[1])), (-tiny * tiny, -1.0));
}

#[test]
fn integer_sums_saturate_only_when_asked() {
    let factors = [127; MAX_ELEMENTS];
    let start = [i32::MAX as u32; MAX_ELEMENTS];
    let plain = product(MatrixType::S8, MatrixType::S32, false).compute(&factors, &factors, &start);
    assert_eq!(plain[0] as i32, i32::MAX.wrapping_add(16 * 127 * 127));
    let saturated = product(MatrixType::S8, MatrixType::S32, true).compute(&factors, &factors, &start);
    assert_eq!(saturated[0] as i32, i32::MAX);
}
