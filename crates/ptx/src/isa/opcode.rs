//! What a row of the opcode table holds. The rows are in `table.rs`.

use super::modifier::KindSet;
use super::shape::Shape;
use super::types::TypeSet;
use super::unit::UnitRule;

pub use super::table::Opcode;

/// One row of the opcode table.
#[derive(Debug)]
pub struct OpcodeInfo {
    /// Mnemonic as the standard spells it; may contain dots (`bar.sync`).
    pub mnemonic: &'static str,
    /// Operands.
    pub shape: Shape,
    /// Types after the mnemonic.
    pub types: TypeList,
    /// Suffixes that must be there.
    pub needs: KindSet,
    /// Suffixes that may be there.
    pub allows: KindSet,
    /// Execution unit.
    pub unit: UnitRule,
}

/// The types an opcode takes: a set for each position.
#[derive(Clone, Copy, Debug)]
pub struct TypeList {
    /// Allowed types by position.
    pub sets: &'static [TypeSet],
    /// Positions that must be filled.
    pub required: usize,
}

impl Opcode {
    /// The opcode whose mnemonic is the longest dotted prefix of `name`, and the suffixes that remain.
    pub fn from_name(name: &str) -> Option<(Opcode, &str)> {
        let mut end = name.len();
        loop {
            let prefix = &name[..end];
            if let Some(opcode) = Opcode::from_mnemonic(prefix) {
                return Some((opcode, &name[end..]));
            }
            end = prefix.rfind('.')?;
        }
    }

    /// The opcode of exactly that mnemonic, or of an alternative spelling of it.
    pub fn from_mnemonic(mnemonic: &str) -> Option<Opcode> {
        let row = |name: &str| Opcode::ALL.iter().copied().find(|opcode| opcode.info().mnemonic == name);
        row(mnemonic).or_else(|| {
            let (_, canonical) = SYNONYMS.iter().find(|(alternative, _)| *alternative == mnemonic)?;
            row(canonical)
        })
    }

    /// Whether control may go elsewhere than to the next instruction (calls come back, so they are not here).
    pub fn is_branch(self) -> bool {
        matches!(self, Opcode::Bra | Opcode::BrxIdx)
    }

    /// Whether a thread that executes it leaves the function or the kernel.
    pub fn leaves(self) -> bool {
        matches!(self, Opcode::Ret | Opcode::Exit | Opcode::Trap)
    }
}

/// Later spellings of older mnemonics with the same meaning.
const SYNONYMS: [(&str, &str); 6] = [
    ("bar.cta.sync", "bar.sync"),
    ("bar.cta.arrive", "bar.arrive"),
    ("bar.cta.red", "bar.red"),
    ("barrier.cta.sync", "barrier.sync"),
    ("barrier.cta.arrive", "barrier.arrive"),
    ("barrier.cta.red", "barrier.red"),
];
