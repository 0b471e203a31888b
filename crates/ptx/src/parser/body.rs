//! The code between `{` and `}`: scopes, declarations, labels, instructions.

use super::registers::RegisterIds;
use super::targets::{Place, Reference, Target, Targets};
use super::{MAX_NESTING, Parsed, Parser};
use crate::ast::{
    Body, BranchTable, BranchTableId, CallTable, CallTableId, Label, LabelId, Linkage, Operand, Performance,
    Prototype, PrototypeId, Span,
};
use crate::diagnostic::Diagnostic;
use crate::isa::{Role, StateSpace};
use crate::scanner::TokenKind;

/// Stands where a label goes until the scope that defines it closes.
pub(super) const UNRESOLVED: LabelId = LabelId(u32::MAX);

/// The function being read.
#[derive(Debug, Default)]
pub(super) struct Code<'src> {
    /// What is finished.
    pub body: Body,
    /// Labels defined and referred to.
    pub targets: Targets<'src>,
    /// Registers named so far.
    pub register_ids: RegisterIds,
    /// Operands of the instruction being read; kept to reuse its memory.
    pub operands: Vec<Operand>,
}

impl<'src> Parser<'src> {
    /// From the opening brace to its closing one.
    pub(super) fn body(&mut self, performance: &mut Performance) -> Body {
        self.code.body = Body::default();
        self.code.register_ids.clear();
        let open = self.advance().span;
        self.code.targets.open_scope();
        let mut depth = 1usize;
        while depth > 0 {
            if self.is_end() {
                self.note(Diagnostic::new(open, "this '{' is never closed"));
                while depth > 0 {
                    depth = self.close_scope(depth);
                }
                break;
            }
            match self.token.kind {
                TokenKind::Punctuation(b'{') => depth = self.open_scope(depth),
                TokenKind::Punctuation(b'}') => {
                    self.advance();
                    depth = self.close_scope(depth);
                }
                _ => {
                    if let Err(diagnostic) = self.statement(performance) {
                        self.recover_in_body(*diagnostic);
                    }
                }
            }
        }
        std::mem::take(&mut self.code.body)
    }

    fn open_scope(&mut self, depth: usize) -> usize {
        if depth >= MAX_NESTING {
            let message = format!("scopes are nested deeper than {MAX_NESTING} levels");
            self.note(Diagnostic::new(self.token.span, message));
            if let Err(diagnostic) = self.skip_braces() {
                self.note(*diagnostic);
            }
            return depth;
        }
        self.advance();
        self.names.open_scope();
        self.code.targets.open_scope();
        depth + 1
    }

    /// Closes the innermost scope and settles its labels.
    fn close_scope(&mut self, depth: usize) -> usize {
        if depth > 1 {
            self.names.close_scope();
        }
        let body = &mut self.code.body;
        let mut mismatched = Vec::new();
        let undefined = self.code.targets.close_scope(|reference, target| {
            if !fill_in(body, reference.place, target) {
                mismatched.push(reference);
            }
        });
        for Reference { name, span, .. } in mismatched {
            self.note(Diagnostic::new(
                span,
                format!("'{name}' is not the kind of label this instruction takes"),
            ));
        }
        for Reference { name, span, .. } in undefined {
            let message = format!("label '{name}' is not defined in this function");
            self.note(Diagnostic::new(span, message));
        }
        depth - 1
    }

    fn statement(&mut self, performance: &mut Performance) -> Parsed<()> {
        match self.token.kind {
            TokenKind::Punctuation(b';') => {
                self.advance();
                Ok(())
            }
            TokenKind::Word if self.is_dotted() => self.directive(performance),
            TokenKind::Word if self.ahead.kind == TokenKind::Punctuation(b':') => self.label(),
            TokenKind::Word | TokenKind::Punctuation(b'@') => self.instruction(),
            _ => self.expected("an instruction, a label or a declaration"),
        }
    }

    fn directive(&mut self, performance: &mut Performance) -> Parsed<()> {
        let word = self.text();
        match word {
            ".reg" => {
                self.advance();
                self.register_declaration()
            }
            ".loc" | ".file" => {
                self.skip_rest_of_line(self.token.span.line);
                Ok(())
            }
            ".section" => self.section(),
            ".pragma" => {
                self.advance();
                let strings = self.pragma_strings()?;
                if strings.iter().any(|string| string == "nounroll") {
                    self.code.body.kept_loops.push(self.code.body.instructions.len() as u32);
                }
                performance.pragmas.extend(strings);
                Ok(())
            }
            _ => self.local_variables(),
        }
    }

    fn local_variables(&mut self) -> Parsed<()> {
        let linkage = if self.take_word(".extern") { Linkage::Extern } else { Linkage::Internal };
        let space = self.text().strip_prefix('.').and_then(StateSpace::from_spelling);
        let Some(space) = space.filter(|space| *space != StateSpace::Register) else {
            return self.expected("a directive such as .reg, .shared, .local or .param");
        };
        self.advance();
        self.variables(space, linkage, false)
    }

    /// `name:` and, for the three kinds of table, the directive after it.
    fn label(&mut self) -> Parsed<()> {
        let (name, span) = self.expect_name("a label")?;
        self.advance();
        let target = match self.text() {
            ".branchtargets" => self.branch_targets(name)?,
            ".calltargets" => self.call_targets(name)?,
            ".callprototype" => self.call_prototype(name)?,
            _ => {
                let instruction = self.code.body.instructions.len() as u32;
                self.code.body.labels.push(Label { name: name.to_string(), instruction });
                Target::Label(LabelId(self.code.body.labels.len() as u32 - 1))
            }
        };
        if !self.code.targets.define(name, target) {
            let message = format!("label '{name}' is already defined in this scope");
            self.note(Diagnostic::new(span, message).with_hint("rename one of the two"));
        }
        Ok(())
    }

    fn branch_targets(&mut self, name: &str) -> Parsed<Target> {
        self.advance();
        let mut names = vec![self.expect_name("a label")?];
        while self.take_punctuation(b',') {
            names.push(self.expect_name("a label")?);
        }
        let table = self.code.body.branch_tables.len();
        let labels = vec![UNRESOLVED; names.len()];
        self.code.body.branch_tables.push(BranchTable { name: name.to_string(), labels });
        for (entry, (name, span)) in names.into_iter().enumerate() {
            self.code.targets.refer(Reference { name, span, place: Place::Table { table, entry } });
        }
        self.expect_semicolon("after .branchtargets")?;
        Ok(Target::BranchTable(BranchTableId(table as u32)))
    }

    fn call_targets(&mut self, name: &str) -> Parsed<Target> {
        self.advance();
        let mut functions = Vec::new();
        loop {
            let (callee, span) = self.expect_name("the name of a function")?;
            functions.push(self.known_function(callee, span)?);
            if !self.take_punctuation(b',') {
                break;
            }
        }
        let id = CallTableId(self.code.body.call_tables.len() as u32);
        self.code.body.call_tables.push(CallTable { name: name.to_string(), functions });
        self.expect_semicolon("after .calltargets")?;
        Ok(Target::CallTable(id))
    }

    fn call_prototype(&mut self, name: &str) -> Parsed<Target> {
        self.advance();
        let returns = self.parameter_list()?;
        self.expect_name("'_' in the place of the function's name")?;
        let parameters = self.parameter_list()?;
        while self.take_word(".noreturn") || self.take_word(".abi_preserve") {}
        let id = PrototypeId(self.code.body.prototypes.len() as u32);
        self.code.body.prototypes.push(Prototype {
            name: name.to_string(),
            returns: returns.into_iter().map(|(_, variable)| variable).collect(),
            parameters: parameters.into_iter().map(|(_, variable)| variable).collect(),
        });
        self.expect_semicolon("after .callprototype")?;
        Ok(Target::Prototype(id))
    }

    /// Notes a use of a label by operand `operand` of the instruction being read.
    pub(super) fn refer(&mut self, name: &'src str, span: Span, operand: usize) {
        let instruction = self.code.body.instructions.len();
        self.code.targets.refer(Reference { name, span, place: Place::Operand { instruction, operand } });
    }
}

/// Puts the target where the reference is; `false` when it is of the wrong kind.
fn fill_in(body: &mut Body, place: Place, target: Target) -> bool {
    match (place, target) {
        (Place::Table { table, entry }, Target::Label(label)) => {
            body.branch_tables[table].labels[entry] = label;
            true
        }
        (Place::Table { .. }, _) => false,
        (Place::Operand { instruction, operand }, target) => {
            // A mistake later in the statement dropped the instruction, or another one has its place now.
            let Some(instruction) = body.instructions.get_mut(instruction) else { return true };
            let role = instruction.opcode().info().shape.role(operand);
            let is_label = matches!(target, Target::Label(_));
            match instruction.operands.get_mut(operand) {
                Some(slot @ Operand::Label(UNRESOLVED)) => *slot = target.operand(),
                _ => return true,
            }
            (role == Role::Label) == is_label
        }
    }
}
