//! What a PTX file said, with every name resolved to an index.
//!
//! A [`Module`] owns variables and functions; a [`Function`] with a [`Body`] owns registers, variables and a flat
//! list of [`Instruction`]s. Nested `{ }` scopes are gone: two registers of the same name in two scopes have two
//! [`RegId`]s.

mod function;
mod instruction;
mod layout;
mod module;
mod operand;
mod span;
mod variable;

pub use function::{
    Body, BranchTable, CallTable, Function, FunctionKind, Label, Performance, Prototype, Register,
};
pub use instruction::{Guard, Instruction, Variant};
pub use layout::Layout;
pub use module::Module;
pub use operand::{
    Address, AddressBase, BranchTableId, CallTableId, FunctionId, Immediate, LabelId, Operand, PrototypeId,
    RegId, Symbol, TextureAddress, VariableId,
};
pub use span::Span;
pub use variable::{Initializer, Linkage, Relocation, Variable, VariableType};
