//! What the standard allows, as tables: types, state spaces, modifiers, special registers, opcodes.
//!
//! A new opcode is one row in `isa/table.rs`; a new suffix is one row in `isa/modifier.rs`.

/// A set of the variants of an enum that has at most 64 and lists them in `ALL`, as a bit mask.
macro_rules! bit_set {
    ($(#[$doc:meta])* $set:ident of $member:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub struct $set(u64);

        impl $set {
            /// The set of the listed members.
            pub const fn of(members: &[$member]) -> $set {
                let mut mask = 0;
                let mut i = 0;
                while i < members.len() {
                    mask |= 1 << members[i] as u32;
                    i += 1;
                }
                $set(mask)
            }

            /// Whether the set has `member`.
            pub const fn contains(self, member: $member) -> bool {
                self.0 >> member as u32 & 1 == 1
            }

            /// Members in the order of the enum.
            pub fn iter(self) -> impl Iterator<Item = $member> {
                $member::ALL.iter().copied().filter(move |member| self.contains(*member))
            }
        }
    };
}

mod modifier;
mod opcode;
mod shape;
mod special;
mod table;
mod types;
mod unit;
mod variant;

pub use modifier::{
    Bounds, CacheOp, Compare, Direction, Fragment, Geometry, Kind, KindSet, Layout, LevelOfDetail,
    MatrixShape, Modifier, Modifiers, Operation, Overflow, PermuteMode, PrefetchLevel, Product, Property,
    Query, Repeat, Rounding, Scope, Semantics, ShuffleMode, TexelComponent, Types, VectorWidth, VoteMode,
};
pub use opcode::{Opcode, OpcodeInfo, TypeList};
pub use shape::{Role, Shape};
pub use special::SpecialRegister;
pub use types::{ScalarType, StateSpace, TypeSet};
pub use unit::{UnitClass, UnitRule};
pub use variant::{VariantError, read_variant};
