//! Declarations.

use super::Parser;
use crate::lexer::Token;
use crate::source::{Fault, Outcome};
use crate::syntax::{
    Constants, Function, Implementation, Name, Procedure, Signature, TypeItem, TypeText, Variables,
};

impl<'s> Parser<'_, 's> {
    pub(super) fn declaration(&mut self) -> Outcome<()> {
        let start = self.here();
        let Token::Word(word) = self.peek() else {
            return Err(self.unexpected("a declaration"));
        };
        if !matches!(
            word,
            "type" | "const" | "function" | "axiom" | "var" | "procedure" | "implementation"
        ) {
            return Err(self.unexpected("a declaration"));
        }
        self.advance();
        let attributes = self.attributes()?;
        // Attributes that give a type or a function a meaning of its own.
        let has = |name: &str| attributes.iter().any(|attribute| attribute.name == name);
        if has("datatype") || has("constructor") || has("builtin") && word == "type" {
            return Err(Fault::unsupported(start, "datatypes and builtin types"));
        }
        match word {
            "type" => self.types(),
            "const" => self.constants(),
            "function" => {
                let name = self.name("the function's name")?;
                let mut function = self.function(name)?;
                function.attributes = attributes;
                self.file.functions.push(function);
                Ok(())
            }
            "axiom" => {
                let axiom = self.clause(start, true)?;
                self.file.axioms.push(axiom);
                Ok(())
            }
            "var" => {
                let variables = self.variables()?;
                self.file.globals.extend(variables);
                self.expect(";")
            }
            "procedure" => self.procedure(),
            _ => {
                let signature = self.signature()?;
                let body = self.body()?;
                self.file.implementations.push(Implementation { signature, body });
                Ok(())
            }
        }
    }

    /// `a, b: int, c: bool`, at least one.
    pub(super) fn variables(&mut self) -> Outcome<Vec<Variables<'s>>> {
        let mut groups = Vec::new();
        loop {
            self.attributes()?;
            let names = self.names("a name")?;
            self.expect(":")?;
            let of = self.type_text()?;
            if self.is_word("where") {
                let fault = Fault::unsupported(self.here(), "`where` clauses");
                return Err(fault.hint("write `assume` or `requires` instead"));
            }
            groups.push(Variables { names, of });
            if !self.eat(",") {
                return Ok(groups);
            }
        }
    }

    fn types(&mut self) -> Outcome<()> {
        if self.peek() == Token::Name("finite") && matches!(self.peek_second(), Token::Name(_)) {
            return Err(Fault::unsupported(self.here(), "finite types"));
        }
        loop {
            let name = self.name("the type's name")?;
            if matches!(self.peek(), Token::Name(_)) {
                return Err(Fault::unsupported(self.here(), "types with arguments"));
            }
            let synonym = if self.eat("=") { Some(self.type_text()?) } else { None };
            self.file.types.push(TypeItem { name, synonym });
            if !self.eat(",") {
                return self.expect(";");
            }
        }
    }

    fn constants(&mut self) -> Outcome<()> {
        let is_unique = self.eat("unique");
        let names = self.names("the constant's name")?;
        self.expect(":")?;
        let of = self.type_text()?;
        if matches!(self.peek(), Token::Name("extends" | "complete")) {
            return Err(Fault::unsupported(self.here(), "partial orders"));
        }
        let variables = Variables { names, of };
        self.file.constants.push(Constants { is_unique, variables });
        self.expect(";")
    }

    fn function(&mut self, name: Name<'s>) -> Outcome<Function<'s>> {
        self.no_type_parameters()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.eat(")") {
            parameters.push(self.function_parameter()?);
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        let result: TypeText<'s> = if self.eat("returns") {
            self.expect("(")?;
            let (_, result) = self.function_parameter()?;
            self.expect(")")?;
            result
        } else {
            self.expect(":")?;
            self.type_text()?
        };
        let body = if self.eat("{") {
            let body = self.expression()?;
            self.expect("}")?;
            Some(body)
        } else {
            self.expect(";")?;
            None
        };
        Ok(Function { attributes: Vec::new(), name, parameters, result, body })
    }

    /// `name: type` or `type`.
    fn function_parameter(&mut self) -> Outcome<(Option<Name<'s>>, TypeText<'s>)> {
        self.attributes()?;
        let is_named = matches!(self.peek(), Token::Name(_));
        let name = match is_named && self.peek_second() == Token::Sign(":") {
            true => Some(self.name("the parameter's name")?),
            false => None,
        };
        if name.is_some() {
            self.expect(":")?;
        }
        Ok((name, self.type_text()?))
    }

    fn no_type_parameters(&self) -> Outcome<()> {
        match self.is_sign("<") {
            true => Err(Fault::unsupported(self.here(), "type parameters")),
            false => Ok(()),
        }
    }

    fn signature(&mut self) -> Outcome<Signature<'s>> {
        let name = self.name("the procedure's name")?;
        self.no_type_parameters()?;
        let parameters = self.formals()?;
        let results = if self.eat("returns") { self.formals()? } else { Vec::new() };
        Ok(Signature { name, parameters, results })
    }

    fn formals(&mut self) -> Outcome<Vec<Variables<'s>>> {
        self.expect("(")?;
        if self.eat(")") {
            return Ok(Vec::new());
        }
        let formals = self.variables()?;
        self.expect(")")?;
        Ok(formals)
    }

    fn procedure(&mut self) -> Outcome<()> {
        let signature = self.signature()?;
        let is_declared_only = self.eat(";");
        let (requires, ensures, modifies) = (Vec::new(), Vec::new(), Vec::new());
        let mut procedure = Procedure { signature, requires, ensures, modifies, body: None };
        loop {
            let start = self.here();
            if self.eat("modifies") {
                self.attributes()?;
                if !self.is_sign(";") {
                    procedure.modifies.extend(self.names("a global variable")?);
                }
                self.expect(";")?;
                continue;
            }
            let is_free = self.eat("free");
            if self.eat("requires") {
                procedure.requires.push(self.clause(start, is_free)?);
            } else if self.eat("ensures") {
                procedure.ensures.push(self.clause(start, is_free)?);
            } else if is_free {
                return Err(self.unexpected("`requires` or `ensures`"));
            } else {
                break;
            }
        }
        if !is_declared_only {
            procedure.body = Some(self.body()?);
        }
        self.file.procedures.push(procedure);
        Ok(())
    }
}
