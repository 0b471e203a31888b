//! Recursive descent over the tokens of one file.
//!
//! A mistake ends the statement it is in: the parser notes it, skips to the next `;` and goes on, so one run
//! reports many. Nesting is bounded ([`MAX_NESTING`]), so no input can exhaust the stack.

mod body;
mod call;
mod check;
mod expression;
mod function;
mod initializer;
mod instruction;
mod module;
mod names;
mod operand;
mod registers;
mod targets;
mod variable;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::{Module, Span, Variant};
use crate::diagnostic::Diagnostic;
use crate::scanner::{Scanner, Token, TokenKind};
use body::Code;
use names::Names;

/// Deepest nesting of scopes, parentheses and initialiser braces.
const MAX_NESTING: usize = 128;

/// After this many mistakes the rest of the file is not looked at.
const MAX_DIAGNOSTICS: usize = 100;

/// Reads a PTX file: a module whose every name is resolved and every instruction checked against the opcode table,
/// or all the mistakes found, in source order.
///
/// Several files after each other, each from its `.version`, are linked to one module: `.extern` finds what another file
/// defines, of `.weak` functions the first stays, and names without linkage belong to their file.
pub fn parse(source: &str) -> Result<Module, Vec<Diagnostic>> {
    if u32::try_from(source.len()).is_err() {
        let message = "the file is 4 GiB or larger; split it into several modules";
        return Err(vec![Diagnostic::new(Span::default(), message)]);
    }
    let mut parser = Parser::new(source);
    parser.module();
    if parser.diagnostics.is_empty() { Ok(parser.module) } else { Err(parser.diagnostics) }
}

/// A step of parsing: a value, or the mistake that ends the statement.
type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'src> {
    source: &'src str,
    scanner: Scanner<'src>,
    token: Token,
    ahead: Token,
    /// End of the token before `token`.
    previous: Span,
    names: Names<'src>,
    variants: FxHashMap<&'src str, Arc<Variant>>,
    next_serial: u32,
    /// Bytes of all initialisers so far.
    initialized_bytes: u64,
    diagnostics: Vec<Diagnostic>,
    /// The function being read.
    code: Code<'src>,
    module: Module,
}

impl<'src> Parser<'src> {
    fn new(source: &'src str) -> Parser<'src> {
        let mut scanner = Scanner::new(source);
        let token = scanner.next_token();
        let ahead = scanner.next_token();
        Parser {
            source,
            scanner,
            token,
            ahead,
            previous: token.span,
            names: Names::with_predefined(),
            variants: FxHashMap::default(),
            next_serial: 0,
            initialized_bytes: 0,
            diagnostics: Vec::new(),
            code: Code::default(),
            module: Module { address_size_bits: 32, ..Module::default() },
        }
    }

    // Looking.

    fn text(&self) -> &'src str {
        self.token.span.text(self.source)
    }

    fn is_end(&self) -> bool {
        self.token.kind == TokenKind::End || self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    fn is_punctuation(&self, byte: u8) -> bool {
        self.token.kind == TokenKind::Punctuation(byte)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Word && self.text() == word
    }

    /// Whether the token is a word that starts with a dot.
    fn is_dotted(&self) -> bool {
        self.token.kind == TokenKind::Word && self.text().starts_with('.')
    }

    // Moving.

    fn advance(&mut self) -> Token {
        let token = self.token;
        self.previous = token.span;
        self.token = self.ahead;
        self.ahead = self.scanner.next_token();
        token
    }

    fn take_punctuation(&mut self, byte: u8) -> bool {
        let is_there = self.is_punctuation(byte);
        if is_there {
            self.advance();
        }
        is_there
    }

    /// At least one item, separated by commas, up to the closing bracket; `place` says where a comma or that was expected.
    fn items<T>(&mut self, close: u8, place: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        loop {
            items.push(item(self)?);
            if self.take_punctuation(close) {
                return Ok(items);
            }
            self.expect_punctuation(b',', place)?;
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn expect_punctuation(&mut self, byte: u8, after: &str) -> Parsed<()> {
        if self.take_punctuation(byte) {
            return Ok(());
        }
        self.expected(&format!("'{}' {after}", byte as char))
    }

    /// The `;` at the end of a statement. When the next token is on another line, the semicolon was forgotten
    /// and that line is parsed as usual.
    fn expect_semicolon(&mut self, after: &str) -> Parsed<()> {
        if self.take_punctuation(b';') {
            return Ok(());
        }
        let diagnostic = self.expected_here(&format!("';' {after}"));
        if self.token.span.line == self.previous.line {
            return Err(Box::new(diagnostic));
        }
        self.note(diagnostic.with_hint("end the statement with ';'"));
        Ok(())
    }

    /// A plain name: no dots.
    fn expect_name(&mut self, what: &str) -> Parsed<(&'src str, Span)> {
        let text = self.text();
        if self.token.kind != TokenKind::Word || text.contains('.') {
            return self.expected(what);
        }
        Ok((text, self.advance().span))
    }

    // Mistakes.

    /// "expected …, found …" at the current token.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        Err(Box::new(self.expected_here(what)))
    }

    fn expected_here(&self, what: &str) -> Diagnostic {
        let found = match self.token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Unknown if self.text().starts_with('"') => "a string without an end".to_string(),
            _ => format!("'{}'", shorten(self.text())),
        };
        Diagnostic::new(self.token.span, format!("expected {what}, found {found}"))
    }

    fn note(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes the mistake and skips to after the next `;`, or to the `}` that closes the enclosing scope.
    fn recover_in_body(&mut self, diagnostic: Diagnostic) {
        self.note(diagnostic);
        let mut depth = 0usize;
        while !self.is_end() {
            match self.token.kind {
                TokenKind::Punctuation(b'}') if depth == 0 => return,
                TokenKind::Punctuation(b'}') => depth -= 1,
                TokenKind::Punctuation(b'{') => depth += 1,
                TokenKind::Punctuation(b';') if depth == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Notes the mistake and skips to after the next `;`, or over the body of the function it is in.
    fn recover_in_module(&mut self, diagnostic: Diagnostic) {
        self.note(diagnostic);
        let mut depth = 0usize;
        while !self.is_end() {
            match self.advance().kind {
                TokenKind::Punctuation(b'}') if depth == 1 && !self.goes_on_after_brace() => return,
                // A brace that was open before the mistake: that of an initialiser.
                TokenKind::Punctuation(b'}') => depth = depth.saturating_sub(1),
                TokenKind::Punctuation(b'{') => depth += 1,
                TokenKind::Punctuation(b';') if depth == 0 => return,
                _ => {}
            }
        }
    }

    /// Whether the brace just closed was one of an initialiser: no function is followed by these.
    fn goes_on_after_brace(&self) -> bool {
        matches!(self.token.kind, TokenKind::Punctuation(b',' | b';' | b'}'))
    }

    /// Skips what remains of the line `line`: the debug directives that have no `;`.
    fn skip_rest_of_line(&mut self, line: u32) {
        while !self.is_end() && self.token.span.line == line {
            self.advance();
        }
    }

    fn next_serial(&mut self) -> u32 {
        self.next_serial += 1;
        self.next_serial
    }
}

/// The first characters of a long token.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
