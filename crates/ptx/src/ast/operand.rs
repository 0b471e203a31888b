//! What an instruction works on.

use crate::isa::SpecialRegister;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`super::Body::registers`].
    RegId;
    /// Index into [`super::Body::labels`].
    LabelId;
    /// Index into a list of variables; the [`Symbol`] says which.
    VariableId;
    /// Index into [`super::Module::functions`].
    FunctionId;
    /// Index into [`super::Body::branch_tables`].
    BranchTableId;
    /// Index into [`super::Body::call_tables`].
    CallTableId;
    /// Index into [`super::Body::prototypes`].
    PrototypeId;
}

/// One operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// `%r1`
    Register(RegId),
    /// `5`, `0f3F800000`, `WARP_SZ`
    Immediate(Immediate),
    /// `%tid.x`
    Special(SpecialRegister),
    /// `name` or `name+8`: an address as a value (`mov`, `cvta`) or a parameter in a call.
    Symbol(Symbol, i64),
    /// `[%rd1+8]`
    Address(Address),
    /// `[tex, sampler, {x, y}]` or `[surface, {x}]`
    Texture(Box<TextureAddress>),
    /// `{%f1, %f2, _, 0}`: registers, immediates and sinks.
    Vector(Box<[Operand]>),
    /// `!%p1`
    NotPredicate(RegId),
    /// `%p1|%p2`: two destinations; `None` is `_`.
    Pair(Option<RegId>, Option<RegId>),
    /// `_`: the result is dropped.
    Sink,
    /// A branch target.
    Label(LabelId),
    /// The `.branchtargets` list of a `brx.idx`.
    BranchTable(BranchTableId),
    /// The `.calltargets` list of an indirect call.
    CallTable(CallTableId),
    /// The `.callprototype` of an indirect call.
    Prototype(PrototypeId),
    /// `(a, b)` of a call; a call always has the operands returns, callee, arguments and, when indirect, a
    /// prototype or a call table. Absent lists are empty.
    List(Box<[Operand]>),
}

/// A literal. Integers keep 64 bits; the instruction's type says how many count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immediate {
    /// Integer, as two's complement.
    Integer(u64),
    /// `0f…`: the bits of an IEEE single.
    F32(u32),
    /// `0d…` or a decimal literal: the bits of an IEEE double.
    F64(u64),
}

/// Something with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A module-level variable.
    Global(VariableId),
    /// A function.
    Function(FunctionId),
    /// A formal parameter of the enclosing function.
    Parameter(VariableId),
    /// A return parameter of the enclosing function.
    Return(VariableId),
    /// A variable declared in the enclosing body.
    Local(VariableId),
}

/// `[base + offset]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the offset is added to.
    pub base: AddressBase,
    /// Constant byte offset.
    pub offset_bytes: i64,
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    /// A register.
    Register(RegId),
    /// A named variable or parameter.
    Symbol(Symbol),
    /// `[64]`: nothing; the offset is the address.
    Absolute,
}

/// The bracket of a texture or surface instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureAddress {
    /// The texture or surface: a reference by name, or a handle in a register.
    pub texture: Operand,
    /// A separate sampler, in independent mode.
    pub sampler: Option<Operand>,
    /// Coordinates: a vector or a single register.
    pub coordinates: Operand,
}
