//! Which kind of execution unit an instruction occupies. How many there are and how long they take is the
//! machine's business.

use super::types::{ScalarType, TypeClass};

/// Kind of execution unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnitClass {
    /// Integer and logic.
    Integer,
    /// Single and half precision floating point.
    Single,
    /// Double precision floating point.
    Double,
    /// Reciprocals, roots, sine, exponentials, division.
    Special,
    /// Matrix multiply-accumulate.
    Tensor,
    /// Loads, stores, atomics, prefetches.
    Memory,
    /// Texture and surface accesses.
    Texture,
    /// Branches, calls, returns.
    Control,
    /// Barriers and fences.
    Barrier,
}

impl UnitClass {
    /// Every class, in order.
    pub const ALL: [UnitClass; 9] = [
        UnitClass::Integer,
        UnitClass::Single,
        UnitClass::Double,
        UnitClass::Special,
        UnitClass::Tensor,
        UnitClass::Memory,
        UnitClass::Texture,
        UnitClass::Control,
        UnitClass::Barrier,
    ];

    /// Lower-case name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            UnitClass::Integer => "integer",
            UnitClass::Single => "single",
            UnitClass::Double => "double",
            UnitClass::Special => "special",
            UnitClass::Tensor => "tensor",
            UnitClass::Memory => "memory",
            UnitClass::Texture => "texture",
            UnitClass::Control => "control",
            UnitClass::Barrier => "barrier",
        }
    }
}

/// How a table row names its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitRule {
    /// Integer, single or double, as the (first) type says.
    ByType,
    /// Always this one.
    Always(UnitClass),
}

impl UnitRule {
    /// The unit for an instruction of that first type.
    pub fn of(self, first_type: Option<ScalarType>) -> UnitClass {
        match (self, first_type) {
            (UnitRule::Always(unit), _) => unit,
            (UnitRule::ByType, Some(ScalarType::F64)) => UnitClass::Double,
            (UnitRule::ByType, Some(ty)) if ty.is_float() => UnitClass::Single,
            (UnitRule::ByType, Some(ty)) => match ty.class() {
                TypeClass::Float => UnitClass::Single,
                _ => UnitClass::Integer,
            },
            (UnitRule::ByType, None) => UnitClass::Integer,
        }
    }
}
