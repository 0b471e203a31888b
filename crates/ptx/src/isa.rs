//! What the standard allows, as tables: types, state spaces, modifiers, special registers, opcodes.
//!
//! A new opcode is one row in `isa/table.rs`; a new suffix is one row in `isa/modifier.rs`.

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
