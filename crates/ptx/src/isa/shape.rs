//! Operand shapes: how many operands an opcode takes and which of them it writes.
//!
//! The table spells a shape as the standard does, e.g. `"d, a, b{, c}"`. One letter is one operand:
//!
//! | letter       | meaning                                                                      |
//! |--------------|------------------------------------------------------------------------------|
//! | `d`          | written: a register, a vector, a pair `p|q`, `_`, or the returns of a call    |
//! | `x`          | read and written                                                             |
//! | `[a]`        | an address; its base register is read                                        |
//! | `t`          | a label                                                                      |
//! | `f`          | a function or a register holding one                                         |
//! | `l`          | a `.branchtargets`, `.calltargets` or `.callprototype` name                   |
//! | other letter | read                                                                         |
//!
//! Operands in `{ }` may be left out; several optional operands are left out from the right.

/// What an instruction does with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Written only.
    Destination,
    /// Read and written.
    Updated,
    /// Read.
    Source,
    /// A memory address; the registers in it are read.
    Address,
    /// A branch target.
    Label,
    /// A callee.
    Callee,
    /// A table of targets or a prototype.
    Table,
}

impl Role {
    /// Whether registers of this operand are written.
    pub const fn is_written(self) -> bool {
        matches!(self, Role::Destination | Role::Updated)
    }
}

/// Most operands an instruction of the table has.
const MAX_OPERANDS: usize = 10;

/// The operands of an opcode.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// As the table spells it.
    pub text: &'static str,
    roles: [Role; MAX_OPERANDS],
    required: u8,
    total: u8,
}

impl Shape {
    /// Reads the table's spelling at compile time.
    pub const fn parse(text: &'static str) -> Shape {
        let bytes = text.as_bytes();
        let mut shape = Shape { text, roles: [Role::Source; MAX_OPERANDS], required: 0, total: 0 };
        let mut is_optional = false;
        let mut is_address = false;
        let mut i = 0;
        while i < bytes.len() {
            match bytes[i] {
                b'{' => is_optional = true,
                b'[' => is_address = true,
                b']' => is_address = false,
                letter if letter.is_ascii_lowercase() => {
                    shape.roles[shape.total as usize] = role_of(letter, is_address);
                    shape.total += 1;
                    shape.required += !is_optional as u8;
                }
                _ => {}
            }
            i += 1;
        }
        shape
    }

    /// What happens to the operand at `position`; operands beyond the shape are read.
    pub const fn role(&self, position: usize) -> Role {
        if position < self.total as usize { self.roles[position] } else { Role::Source }
    }

    /// Whether an instruction may have `count` operands.
    pub const fn accepts(&self, count: usize) -> bool {
        count >= self.required as usize && count <= self.total as usize
    }
}

const fn role_of(letter: u8, is_address: bool) -> Role {
    match letter {
        _ if is_address => Role::Address,
        b'd' => Role::Destination,
        b'x' => Role::Updated,
        b't' => Role::Label,
        b'f' => Role::Callee,
        b'l' => Role::Table,
        _ => Role::Source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_counts_required_and_optional_operands() {
        let shape = Shape::parse("d, [a], b{, c}");
        assert_eq!(
            (0..6).map(|count| shape.accepts(count)).collect::<Vec<_>>(),
            [false, false, false, true, true, false]
        );
        assert_eq!(shape.role(0), Role::Destination);
        assert_eq!(shape.role(1), Role::Address);
        assert_eq!(shape.role(3), Role::Source);
    }
}
