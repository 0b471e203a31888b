//! Module level: directives, variables, functions.

use super::{Parsed, Parser};
use crate::ast::Linkage;
use crate::diagnostic::Diagnostic;
use crate::isa::StateSpace;
use crate::scanner::TokenKind;

impl Parser<'_> {
    /// The whole file.
    pub(super) fn module(&mut self) {
        while !self.is_end() {
            // A stray brace takes nothing else with it.
            if self.is_punctuation(b'}') {
                let diagnostic = self.expected_here("a directive");
                self.note(diagnostic.with_hint("this '}' closes nothing"));
                self.advance();
                continue;
            }
            if let Err(diagnostic) = self.module_item() {
                self.recover_in_module(*diagnostic);
            }
        }
    }

    fn module_item(&mut self) -> Parsed<()> {
        if self.take_punctuation(b';') {
            return Ok(());
        }
        if !self.is_dotted() {
            return self.expected("a directive such as .entry, .func or .global");
        }
        let token = self.token;
        match self.text() {
            ".version" => self.version(),
            ".target" => self.target(),
            ".address_size" => self.address_size(),
            ".file" | ".loc" => {
                self.skip_rest_of_line(token.span.line);
                Ok(())
            }
            ".section" => self.section(),
            ".pragma" => {
                self.advance();
                self.pragma_strings()?;
                Ok(())
            }
            ".alias" => self.alias(),
            _ => self.linked_item(),
        }
    }

    /// A function or variable with its linkage words before it.
    fn linked_item(&mut self) -> Parsed<()> {
        let mut linkage = Linkage::Internal;
        loop {
            linkage = match self.text() {
                ".visible" => Linkage::Visible,
                ".extern" => Linkage::Extern,
                ".weak" => Linkage::Weak,
                ".common" => Linkage::Common,
                _ => break,
            };
            self.advance();
        }
        if self.take_word(".entry") {
            return self.entry(linkage);
        }
        if self.take_word(".func") {
            return self.func(linkage);
        }
        let space = self.text().strip_prefix('.').and_then(StateSpace::from_spelling);
        match space {
            Some(StateSpace::Register | StateSpace::Parameter | StateSpace::SharedCluster) | None => {
                self.expected("a directive such as .entry, .func or .global")
            }
            Some(space) => {
                self.advance();
                self.variables(space, linkage, true)
            }
        }
    }

    fn version(&mut self) -> Parsed<()> {
        self.advance();
        self.begin_file();
        let parts = if self.token.kind == TokenKind::Number { self.text().split_once('.') } else { None };
        let numbers = parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let Some(version) = numbers else { return self.expected("a version such as 7.8") };
        self.module.version = version;
        self.advance();
        Ok(())
    }

    /// `.version` begins a file. Files that follow each other are linked: what has no linkage in one has no name in the next.
    fn begin_file(&mut self) {
        let functions = self.module.functions.iter().map(|function| (function.linkage, &function.name));
        let globals = self.module.globals.iter().map(|variable| (variable.linkage, &variable.name));
        for (_, name) in functions.chain(globals).filter(|(linkage, _)| *linkage == Linkage::Internal) {
            self.names.forget(name);
        }
        self.module.target.clear();
    }

    fn target(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            let (name, _) = self.expect_name("a target such as sm_70")?;
            self.module.target.push(name.to_string());
            if !self.take_punctuation(b',') {
                return Ok(());
            }
        }
    }

    fn address_size(&mut self) -> Parsed<()> {
        self.advance();
        self.module.address_size_bits = match self.text() {
            "32" => 32,
            "64" => 64,
            _ => return self.expected("an address size of 32 or 64"),
        };
        self.advance();
        Ok(())
    }

    /// `.section .debug_str { … }`: debug information, skipped to the closing brace.
    pub(super) fn section(&mut self) -> Parsed<()> {
        let line = self.advance().span.line;
        while self.is_dotted() && self.token.span.line == line {
            self.advance();
        }
        if !self.is_punctuation(b'{') {
            self.skip_rest_of_line(self.previous.line);
        }
        if self.is_punctuation(b'{') { self.skip_braces() } else { Ok(()) }
    }

    /// From `{` to its `}`.
    pub(super) fn skip_braces(&mut self) -> Parsed<()> {
        let open = self.token.span;
        let mut depth = 0usize;
        while !self.is_end() {
            match self.advance().kind {
                TokenKind::Punctuation(b'{') => depth += 1,
                TokenKind::Punctuation(b'}') if depth <= 1 => return Ok(()),
                TokenKind::Punctuation(b'}') => depth -= 1,
                _ => {}
            }
        }
        Err(Box::new(Diagnostic::new(open, "this '{' is never closed")))
    }

    /// `"a", "b";` after `.pragma`.
    pub(super) fn pragma_strings(&mut self) -> Parsed<Vec<String>> {
        let mut strings = Vec::new();
        loop {
            if self.token.kind != TokenKind::Text {
                return self.expected("a string after .pragma");
            }
            strings.push(self.text().trim_matches('"').to_string());
            self.advance();
            if !self.take_punctuation(b',') {
                break;
            }
        }
        self.expect_semicolon("after .pragma")?;
        Ok(strings)
    }

    fn alias(&mut self) -> Parsed<()> {
        self.advance();
        let (alias, _) = self.expect_name("the name of an alias")?;
        self.expect_punctuation(b',', "after the alias")?;
        let (name, span) = self.expect_name("the name of a function")?;
        let Some(function) = self.names.function(name) else {
            return Err(Box::new(Diagnostic::new(
                span,
                format!("'{name}' is not a function of this module"),
            )));
        };
        self.module.aliases.push((alias.to_string(), function));
        self.expect_semicolon("after .alias")
    }
}
