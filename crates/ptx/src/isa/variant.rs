//! Reads `ld.global.v4.f32` against the opcode table.

use shrinkwarp_suggestion::nearest;

use super::modifier::{Kind, MatrixShape, Modifier, Modifiers, WORDS};
use super::opcode::Opcode;
use super::types::{ScalarType, StateSpace};

/// Why a dotted name is not an instruction of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantError {
    /// No opcode of that name.
    UnknownOpcode {
        /// A known mnemonic that is spelt almost like it.
        nearest: Option<&'static str>,
    },
    /// A suffix this opcode does not take.
    Suffix {
        /// The suffix, without the dot.
        suffix: String,
        /// Whether a suffix of the same kind came before it.
        is_repeated: bool,
    },
    /// A suffix kind that must be there is missing.
    Missing {
        /// Spellings that would do.
        spellings: Vec<&'static str>,
    },
    /// Too few types.
    MissingType {
        /// Spellings that would do.
        spellings: Vec<&'static str>,
    },
    /// A type this opcode does not take at that position.
    Type {
        /// The type found.
        found: ScalarType,
        /// Spellings that would do.
        spellings: Vec<&'static str>,
    },
}

/// Opcode and modifiers of a dotted name.
pub fn read_variant(name: &str) -> Result<(Opcode, Modifiers), VariantError> {
    let (opcode, suffixes) = Opcode::from_name(name)
        .ok_or_else(|| VariantError::UnknownOpcode { nearest: nearest_opcode(name) })?;
    let mut modifiers = Modifiers::default();
    for suffix in suffixes.split('.').skip(1) {
        add_suffix(opcode, &mut modifiers, suffix)?;
    }
    check_needs(opcode, &modifiers)?;
    check_types(opcode, &modifiers)?;
    Ok((opcode, modifiers))
}

/// The first meaning of the word that the opcode takes and that is not already there.
fn add_suffix(opcode: Opcode, modifiers: &mut Modifiers, suffix: &str) -> Result<(), VariantError> {
    let allows = opcode.info().allows;
    let mut is_repeated = false;
    for (kind, modifier) in meanings(suffix) {
        if kind.is_some_and(|kind| !allows.contains(kind)) {
            continue;
        }
        if modifiers.add(modifier) {
            return Ok(());
        }
        is_repeated = true;
    }
    if allows.contains(Kind::Anything) {
        modifiers.add(Modifier::Flag(Kind::Anything));
        return Ok(());
    }
    Err(VariantError::Suffix { suffix: suffix.to_string(), is_repeated })
}

/// Everything a word can mean; a type has no kind because the table lists types apart.
fn meanings(word: &str) -> impl Iterator<Item = (Option<Kind>, Modifier)> {
    let fixed = WORDS
        .iter()
        .filter(move |(spelling, ..)| *spelling == word)
        .map(|(_, kind, modifier)| (Some(*kind), *modifier));
    let ty = ScalarType::from_spelling(word).map(|ty| (None, Modifier::Type(ty)));
    let spaces = StateSpace::from_spelling(word).map(|space| {
        [(Some(Kind::Space), Modifier::Space(space)), (Some(Kind::SecondSpace), Modifier::SecondSpace(space))]
    });
    let shape = MatrixShape::from_spelling(word).map(|shape| (Some(Kind::Shape), Modifier::Shape(shape)));
    let is_hint = word.starts_with("L1::") || word.starts_with("L2::") || word == "level::eviction_priority";
    let hint = is_hint.then_some((Some(Kind::Hint), Modifier::Flag(Kind::Hint)));
    fixed.chain(ty).chain(spaces.into_iter().flatten()).chain(shape).chain(hint)
}

fn check_needs(opcode: Opcode, modifiers: &Modifiers) -> Result<(), VariantError> {
    match opcode.info().needs.iter().find(|kind| !modifiers.has(*kind)) {
        Some(kind) => Err(VariantError::Missing { spellings: kind.spellings() }),
        None => Ok(()),
    }
}

fn check_types(opcode: Opcode, modifiers: &Modifiers) -> Result<(), VariantError> {
    let info = opcode.info();
    let spellings_at = |position: usize| -> Vec<&'static str> {
        info.types
            .sets
            .get(position)
            .map_or_else(Vec::new, |set| set.iter().map(ScalarType::spelling).collect())
    };
    for (position, found) in modifiers.types.iter().enumerate() {
        match info.types.sets.get(position) {
            Some(set) if set.contains(found) => {}
            None if info.allows.contains(Kind::Anything) => {}
            _ => return Err(VariantError::Type { found, spellings: spellings_at(position) }),
        }
    }
    let count = modifiers.types.len();
    if count < info.types.required {
        return Err(VariantError::MissingType { spellings: spellings_at(count) });
    }
    Ok(())
}

/// The mnemonic closest to the first word, if at most one letter in three differs.
fn nearest_opcode(name: &str) -> Option<&'static str> {
    /// No mnemonic is longer, and a word of a whole line has no near one.
    const LONGEST: usize = 24;
    let word = name.split('.').next().unwrap_or(name);
    if word.len() > LONGEST {
        return None;
    }
    let mnemonics: Vec<&str> = Opcode::ALL.iter().map(|opcode| opcode.info().mnemonic).collect();
    nearest(word, &mnemonics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Compare, Operation, Product, UnitClass, VoteMode};

    fn read(name: &str) -> (Opcode, Modifiers) {
        read_variant(name).unwrap_or_else(|error| panic!("{name}: {error:?}"))
    }

    #[test]
    fn the_opcode_decides_what_an_ambiguous_suffix_means() {
        assert_eq!(read("mul.lo.s32").1.product, Some(Product::Lo));
        assert_eq!(read("setp.lo.u32").1.compare, Some(Compare::Lo));
        assert_eq!(read("vote.uni.pred").1.vote.map(VoteMode::spelling), Some("uni"));
        assert!(read("bra.uni").1.has(Kind::Uniform));
        assert_eq!(read("bar.red.popc.u32").1.operation, Some(Operation::Popc));
    }

    #[test]
    fn the_order_of_vote_suffixes_does_not_matter() {
        assert_eq!(read("vote.sync.ballot.b32").1, read("vote.ballot.sync.b32").1);
    }

    #[test]
    fn the_unit_follows_the_type() {
        let unit = |name: &str| {
            let (opcode, modifiers) = read(name);
            opcode.info().unit.of(modifiers.ty())
        };
        assert_eq!(unit("add.f64"), UnitClass::Double);
        assert_eq!(unit("add.f32"), UnitClass::Single);
        assert_eq!(unit("add.s32"), UnitClass::Integer);
        assert_eq!(unit("ld.global.f64"), UnitClass::Memory);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(read_variant("setq.eq.s32"), Err(VariantError::UnknownOpcode { nearest: Some("set") }));
        assert!(matches!(read_variant("add.s32.foo"), Err(VariantError::Suffix { is_repeated: false, .. })));
        assert!(matches!(read_variant("add.rn.rn.f32"), Err(VariantError::Suffix { is_repeated: true, .. })));
        assert!(matches!(read_variant("fma.f32"), Err(VariantError::Missing { .. })));
        assert!(matches!(read_variant("add"), Err(VariantError::MissingType { .. })));
        assert!(matches!(read_variant("and.f32"), Err(VariantError::Type { .. })));
    }
}
