//! Kernels and device functions: the header; the body is in `body.rs`.

use super::names::Binding;
use super::{Parsed, Parser};
use crate::ast::{
    Function, FunctionId, FunctionKind, Linkage, Performance, Span, Symbol, Variable, VariableId,
};
use crate::diagnostic::Diagnostic;
use crate::isa::StateSpace;

impl<'src> Parser<'src> {
    /// After `.entry`.
    pub(super) fn entry(&mut self, linkage: Linkage) -> Parsed<()> {
        let (name, span) = self.expect_name("the name of a kernel")?;
        let parameters = self.parameter_list()?;
        self.finish_function(FunctionKind::Kernel, linkage, (name, span), Vec::new(), parameters)
    }

    /// After `.func`.
    pub(super) fn func(&mut self, linkage: Linkage) -> Parsed<()> {
        if self.take_word(".attribute") {
            self.attribute()?;
        }
        let returns = self.parameter_list()?;
        let name = self.expect_name("the name of a function")?;
        let parameters = self.parameter_list()?;
        self.finish_function(FunctionKind::Device, linkage, name, returns, parameters)
    }

    fn finish_function(
        &mut self,
        kind: FunctionKind,
        linkage: Linkage,
        (name, span): (&'src str, Span),
        returns: Vec<(&'src str, Variable)>,
        parameters: Vec<(&'src str, Variable)>,
    ) -> Parsed<()> {
        let mut performance = Performance::default();
        let is_noreturn = self.performance(&mut performance)?;
        let id = self.function_id(name, span)?;
        let names_of =
            |list: &[(&'src str, Variable)]| list.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let (return_names, parameter_names) = (names_of(&returns), names_of(&parameters));
        let variables =
            |list: Vec<(&'src str, Variable)>| list.into_iter().map(|(_, variable)| variable).collect();
        let mut function = Function {
            kind,
            name: name.to_string(),
            linkage,
            parameters: variables(parameters),
            returns: variables(returns),
            performance,
            is_noreturn,
            body: None,
            span,
        };
        if !self.is_punctuation(b'{') {
            self.place_function(id, function);
            return self.expect_semicolon("or '{' after the function header");
        }
        // Every file that uses a template has a weak copy of it: the first one stays.
        let is_second = |known: &Function| {
            known.body.is_some() && known.linkage != Linkage::Weak && linkage != Linkage::Weak
        };
        if self.module.functions.get(id.index()).is_some_and(is_second) {
            let message = format!("'{name}' is already defined");
            self.note(Diagnostic::new(span, message).with_hint("rename one of the two"));
        }
        // The body may call the function itself, so its header must be known before.
        self.place_function(id, function.clone());
        self.names.open_scope();
        self.bind_parameters(&return_names, &function.returns, Symbol::Return);
        self.bind_parameters(&parameter_names, &function.parameters, Symbol::Parameter);
        function.body = Some(self.body(&mut function.performance));
        self.names.close_scope();
        self.place_function(id, function);
        Ok(())
    }

    /// The id of a function, new or declared before.
    fn function_id(&mut self, name: &'src str, span: Span) -> Parsed<FunctionId> {
        match self.names.look_up(name) {
            Some(Binding::Symbol(Symbol::Function(id))) => Ok(id),
            Some(_) => {
                let message = format!("'{name}' already names something else in this module");
                Err(Box::new(Diagnostic::new(span, message).with_hint("rename one of the two")))
            }
            None => {
                let id = FunctionId(self.module.functions.len() as u32);
                self.names.bind(name, Binding::Symbol(Symbol::Function(id)));
                Ok(id)
            }
        }
    }

    /// A definition replaces a declaration, never the other way round.
    fn place_function(&mut self, id: FunctionId, function: Function) {
        match self.module.functions.get_mut(id.index()) {
            Some(known) if known.body.is_none() => *known = function,
            Some(_) => {}
            None => self.module.functions.push(function),
        }
    }

    fn bind_parameters(
        &mut self,
        names: &[&'src str],
        variables: &[Variable],
        symbol: fn(VariableId) -> Symbol,
    ) {
        for (index, (name, variable)) in names.iter().zip(variables).enumerate() {
            if variable.space == StateSpace::Register {
                let message = format!("'{name}' is a register parameter, which only code without an ABI has");
                self.note(Diagnostic::new(variable.span, message).with_hint("declare it as .param"));
                continue;
            }
            let symbol = Binding::Symbol(symbol(VariableId(index as u32)));
            if self.names.bind(name, symbol).is_some() && *name != "_" {
                self.note(Diagnostic::new(variable.span, format!("two parameters are called '{name}'")));
            }
        }
    }

    /// Directives between header and body. Says whether `.noreturn` was among them.
    fn performance(&mut self, performance: &mut Performance) -> Parsed<bool> {
        let mut is_noreturn = false;
        while self.is_dotted() {
            let word = self.text();
            if word == ".pragma" {
                self.advance();
                performance.pragmas.extend(self.pragma_strings()?);
                continue;
            }
            let token = self.advance();
            match word {
                ".maxntid" => performance.max_threads = Some(self.extent()?),
                ".reqntid" => performance.required_threads = Some(self.extent()?),
                ".reqnctapercluster" => performance.required_cluster = Some(self.extent()?),
                ".minnctapersm" => performance.min_blocks_per_sm = Some(self.limit()?),
                ".maxnctapersm" => performance.max_blocks_per_sm = Some(self.limit()?),
                ".maxnreg" => performance.max_registers = Some(self.limit()?),
                ".maxclusterrank" => performance.max_cluster_rank = Some(self.limit()?),
                ".noreturn" => is_noreturn = true,
                ".explicitcluster" | ".blocksareclusters" => {}
                ".abi_preserve" | ".abi_preserve_control" => {
                    self.limit()?;
                }
                _ => {
                    let message = format!("'{word}' is not a directive of a function header");
                    let hint = "known: .maxntid, .reqntid, .minnctapersm, .maxnreg, .pragma, .noreturn";
                    return Err(Box::new(Diagnostic::new(token.span, message).with_hint(hint)));
                }
            }
        }
        Ok(is_noreturn)
    }

    /// `x`, `x, y` or `x, y, z`; missing ones are 1.
    fn extent(&mut self) -> Parsed<[u32; 3]> {
        let mut extent = [1; 3];
        extent[0] = self.limit()?;
        for size in &mut extent[1..] {
            if !self.take_punctuation(b',') {
                break;
            }
            *size = self.limit()?;
        }
        Ok(extent)
    }

    fn limit(&mut self) -> Parsed<u32> {
        let span = self.token.span;
        let value = self.integer_constant("a number")?;
        u32::try_from(value)
            .map_err(|_| Box::new(Diagnostic::new(span, format!("{value} is too large here"))))
    }
}
