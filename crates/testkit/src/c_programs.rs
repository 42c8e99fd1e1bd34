//! Random C programs, for comparing the C front end with a compiler.
//!
//! A program is one function without parameters that returns a checksum of all its variables. It
//! uses all integer types, their conversions and operators, arrays, structs, pointers, calls,
//! static variables, and every kind of control flow; it always ends. It does nothing that C leaves
//! undefined, but for signed arithmetic that wraps around, which compilers can be told to do
//! (`-fwrapv`). Nothing depends on the order in which operands are evaluated: side effects are
//! whole statements, or stand where C has a sequence point.

use crate::random::Random;
use std::fmt::Write;

/// A statement, or several inside another one.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    Line(String),
    Block(String, Vec<Item>, String),
}

/// A random program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CProgram {
    /// Its number: all its names at file scope end with it.
    pub number: u64,
    declarations: Vec<String>,
    items: Vec<Item>,
    checksum: Vec<String>,
}

const TYPES: [&str; 12] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

const CONSTANTS: [&str; 24] = [
    "0",
    "1",
    "2",
    "(-1)",
    "3u",
    "7",
    "'a'",
    "127",
    "128",
    "(-128)",
    "255",
    "256",
    "32767",
    "65535u",
    "0x7fffffff",
    "0x80000000",
    "2147483648",
    "(-2147483647 - 1)",
    "4294967295u",
    "5l",
    "0xful",
    "0x7fffffffffffffffll",
    "0xffffffffffffffffull",
    "sizeof(long)",
];

/// Makes a random program.
pub fn random_c_program(random: &mut Random, number: u64) -> CProgram {
    let mut maker = Maker {
        random,
        number,
        variables: Vec::new(),
        locked: Vec::new(),
        labels: 0,
        loops: 0,
        has_objects: false,
    };
    maker.make()
}

impl CProgram {
    /// The name of its function.
    pub fn entry(&self) -> String {
        format!("run_{}", self.number)
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = self.declarations.join("\n");
        write!(text, "\nunsigned long long {}(void) {{\n", self.entry()).expect("a string");
        let mut stack: Vec<std::slice::Iter<'_, Item>> = vec![self.items.iter()];
        let mut tails: Vec<&str> = Vec::new();
        while let Some(items) = stack.last_mut() {
            match items.next() {
                Some(Item::Line(line)) => text.push_str(line),
                Some(Item::Block(head, inner, tail)) => {
                    text.push_str(head);
                    stack.push(inner.iter());
                    tails.push(tail);
                }
                None => {
                    stack.pop();
                    text.push_str(tails.pop().unwrap_or_default());
                }
            }
            text.push('\n');
        }
        text.push_str("unsigned long long h_ = 0;\n");
        for value in &self.checksum {
            writeln!(text, "h_ = h_ * 1000003 + (unsigned long long)({value});").expect("a string");
        }
        text.push_str("return h_;\n}\n");
        text
    }

    /// Smaller programs: with one statement less, or with a block's statements in its place. Not
    /// all of them are programs.
    pub fn smaller(&self) -> Vec<CProgram> {
        let mut found = Vec::new();
        let with = |items: Vec<Item>| CProgram { items, ..self.clone() };
        let mut paths: Vec<Vec<usize>> = (0..self.items.len()).map(|i| vec![i]).collect();
        while let Some(path) = paths.pop() {
            let mut without = self.items.clone();
            if let Item::Block(_, inner, _) = remove(&mut without, &path) {
                paths.extend((0..inner.len()).map(|i| [&path[..], &[i]].concat()));
                let mut opened = self.items.clone();
                insert(&mut opened, &path, inner);
                found.push(with(opened));
            }
            found.push(with(without));
        }
        for index in 0..self.checksum.len() {
            let mut fewer = self.clone();
            fewer.checksum.remove(index);
            found.push(fewer);
        }
        found
    }
}

/// The list that holds the item at a path.
fn list_at<'a>(items: &'a mut Vec<Item>, path: &[usize]) -> &'a mut Vec<Item> {
    let mut list = items;
    for &index in &path[..path.len() - 1] {
        let Item::Block(_, inner, _) = &mut list[index] else { unreachable!("paths lead inside") };
        list = inner;
    }
    list
}

fn remove(items: &mut Vec<Item>, path: &[usize]) -> Item {
    list_at(items, path).remove(path[path.len() - 1])
}

fn insert(items: &mut Vec<Item>, path: &[usize], inner: Vec<Item>) {
    let last = path[path.len() - 1];
    list_at(items, path).splice(last..=last, inner);
}

struct Maker<'r> {
    random: &'r mut Random,
    number: u64,
    /// What can be read and assigned.
    variables: Vec<String>,
    /// Counters of loops around: only read.
    locked: Vec<String>,
    labels: usize,
    loops: usize,
    /// Whether arrays, structs and functions can be used here.
    has_objects: bool,
}

impl Maker<'_> {
    fn make(&mut self) -> CProgram {
        let n = self.number;
        let mut declarations = Vec::new();
        let mut globals = Vec::new();
        for index in 0..3 {
            let (ty, value) = (self.ty(), self.constant());
            let linkage = self.random.pick(&["", "static "]);
            declarations.push(format!("{linkage}{ty} g{index}_{n} = {value};"));
            globals.push(format!("g{index}_{n}"));
        }
        let fields = [self.ty(), self.ty(), self.ty()];
        let [a, b, c] = fields;
        declarations.push(format!("struct s_{n} {{ {a} a; {b} b[3]; struct {{ {c} c; }} in; }};"));
        declarations.push(format!("struct r_{n} {{ {c} a; struct {{ {b} c; }} in; }};"));
        declarations.push(format!("enum e_{n} {{ E0_{n}, E1_{n} = 40, E2_{n} }};"));
        declarations.push(format!("typedef {} t_{n};", self.ty()));
        self.variables = globals.clone();
        declarations.extend((0..2).map(|index| self.function(index)));
        let mut items = Vec::new();
        self.variables = globals;
        for index in 0..self.random.between(2, 5) {
            let ty = match self.random.one_in(6) {
                true => format!("t_{n}"),
                false => self.ty().to_owned(),
            };
            let value = self.expression(1);
            items.push(Item::Line(format!("{ty} v{index} = {value};")));
            self.variables.push(format!("v{index}"));
        }
        let (element, value) = (self.ty(), self.constant());
        items.push(Item::Line(format!("{element} arr[4] = {{ 1, {value}, 3 }};")));
        items.push(Item::Line(format!("struct s_{n} x = {{ 5, {{ {value}, 6 }} }}, y = x;")));
        items.push(Item::Line(format!("struct r_{n} w = {{ {value} }}, z[2] = {{ {{ 3 }} }};")));
        self.variables
            .extend(["x.a", "x.b[1]", "x.in.c", "y.a", "w.a", "z[1].in.c"].map(String::from));
        let pointed = self.ty();
        items.push(Item::Line(format!("{pointed} t0 = 1, t1 = 2, *p = &t0;")));
        self.variables.extend(["t0", "t1", "(*p)"].map(String::from));
        self.has_objects = true;
        let count = self.random.between(4, 10);
        items.extend(self.statements(count, 3));
        let mut checksum = self.variables.clone();
        checksum.extend(
            ["arr[0]", "arr[1]", "arr[2]", "arr[3]", "x.b[0]", "y.b[2]", "z[0].a"]
                .map(String::from),
        );
        CProgram { number: n, declarations, items, checksum }
    }

    /// A function of two parameters, with a static variable.
    fn function(&mut self, index: usize) -> String {
        let n = self.number;
        let globals = self.variables.clone();
        let [result, first, second, kept] = [0; 4].map(|_| self.ty());
        self.variables.extend(["a", "b", "s"].map(String::from));
        let value = self.constant();
        let body = self.statements(3, 1);
        let inner = CProgram { number: n, declarations: vec![], items: body, checksum: vec![] };
        let text = inner.text();
        let body = text.split_once("{\n").map_or("", |(_, rest)| rest);
        let body = body.split_once("unsigned long long h_").map_or("", |(body, _)| body);
        let returned = self.expression(2);
        self.variables = globals;
        format!(
            "static {result} f{index}_{n}({first} a, {second} b) {{\nstatic {kept} s = {value};\n\
             {body}return {returned};\n}}"
        )
    }

    fn ty(&mut self) -> &'static str {
        self.random.pick(&TYPES)
    }

    fn constant(&mut self) -> &'static str {
        self.random.pick(&CONSTANTS)
    }

    fn variable(&mut self) -> String {
        let index = self.random.below(self.variables.len());
        self.variables[index].clone()
    }

    /// Something that can be assigned.
    fn target(&mut self) -> String {
        if self.has_objects && self.random.one_in(5) {
            let index = self.expression(1);
            return match self.random.below(3) {
                0 => format!("arr[({index}) & 3]"),
                1 => format!("x.b[(unsigned)({index}) % 3]"),
                _ => format!("z[({index}) & 1].in.c"),
            };
        }
        self.variable()
    }

    /// An expression without side effects.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(8) {
                0 | 1 => self.constant().to_owned(),
                2 if !self.locked.is_empty() => {
                    self.locked[self.random.below(self.locked.len())].clone()
                }
                3 if self.random.one_in(2) => format!("E{}_{}", self.random.below(3), self.number),
                _ => self.variable(),
            };
        }
        let a = self.expression(depth - 1);
        let b = self.expression(depth - 1);
        match self.random.below(16) {
            0 => {
                let op = self.random.pick(&["-", "~", "!", "+"]);
                format!("{op}({a})")
            }
            1 | 2 => format!("(({})({a}))", self.ty()),
            3 => format!("(({a}) {} ((({b}) & 15) + 1))", self.random.pick(&["/", "%"])),
            4 => format!("(({a}) {} (({b}) & 7))", self.random.pick(&["<<", ">>"])),
            5 => format!("(({a}) {} ({b}))", self.random.pick(&["&&", "||"])),
            6 => {
                let c = self.expression(depth - 1);
                format!("(({a}) ? ({b}) : ({c}))")
            }
            7 | 8 => {
                let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("(({a}) {op} ({b}))")
            }
            9 if self.has_objects => match self.random.below(3) {
                0 => format!("arr[({a}) & 3]"),
                1 => format!("x.b[(unsigned)({a}) % 3]"),
                _ => format!("z[({a}) & 1].a"),
            },
            10 => format!("(unsigned long long)sizeof({a})"),
            _ => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("(({a}) {op} ({b}))")
            }
        }
    }

    /// An assignment as an expression; only where a sequence point follows.
    fn effect(&mut self) -> String {
        let (target, value) = (self.target(), self.expression(2));
        match self.random.below(5) {
            0 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("{target} {op}= {value}")
            }
            1 => match self.random.below(3) {
                0 => format!("{target} <<= ({value}) & 7"),
                1 => format!("{target} >>= ({value}) & 7"),
                _ => format!("{target} %= (({value}) & 15) + 1"),
            },
            2 => match self.random.below(4) {
                0 => format!("{target}++"),
                1 => format!("--{target}"),
                2 => format!("++{target}"),
                _ => format!("{target}--"),
            },
            _ => format!("{target} = {value}"),
        }
    }

    fn statements(&mut self, count: usize, depth: usize) -> Vec<Item> {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Item {
        if depth > 0 && self.random.one_in(3) {
            return self.compound(depth - 1);
        }
        let line = match self.random.below(10) {
            0 => {
                // Both operands of a comma, and all of `?:` and `&&`, are sequenced.
                let (first, second, value) = (self.effect(), self.effect(), self.expression(2));
                let kept = self.plain_target();
                match self.random.below(3) {
                    0 => format!("{kept} = ({first}, {second}, {value});"),
                    1 => format!("{kept} = ({value}) ? ({first}, {kept}) : ({second}, {kept});"),
                    _ => format!("{kept} = ({first}, {value}) && ({second}, {kept});"),
                }
            }
            1 if self.has_objects => {
                let (a, b) = (self.expression(2), self.expression(2));
                let function = self.random.below(2);
                format!("{} = f{function}_{}({a}, {b});", self.plain_target(), self.number)
            }
            2 if self.has_objects => self
                .random
                .pick(&[
                    "p = &t1;",
                    "p = p == &t0 ? &t1 : &t0;",
                    "x = y;",
                    "z[0] = w;",
                    "w = z[1];",
                ])
                .to_owned(),
            3 => {
                let (a, value) = (self.plain_target(), self.expression(2));
                let b = std::iter::repeat_with(|| self.plain_target()).find(|b| *b != a);
                format!("{a} = {} = {value};", b.expect("there are others"))
            }
            _ => format!("{};", self.effect()),
        };
        Item::Line(line)
    }

    /// A variable whose place needs no evaluation.
    fn plain_target(&mut self) -> String {
        loop {
            let variable = self.variable();
            if !variable.starts_with("(*") {
                return variable;
            }
        }
    }

    fn compound(&mut self, depth: usize) -> Item {
        let kind = self.random.below(8);
        if kind < 2 {
            let condition = self.expression(2);
            let mut inner = self.statements(2, depth);
            if self.random.one_in(2) {
                inner.push(Item::Line("} else {".into()));
                inner.extend(self.statements(2, depth));
            }
            return Item::Block(format!("if ({condition}) {{"), inner, "}".into());
        }
        if kind == 2 {
            return self.switch(depth);
        }
        if kind == 3 {
            // A jump over statements.
            let (condition, label) = (self.expression(2), self.label());
            let inner = self.statements(2, depth);
            return Item::Block(
                format!("if ({condition}) goto {label};"),
                inner,
                format!("{label}:;"),
            );
        }
        let counter = format!("i{}", self.loops);
        self.loops += 1;
        self.locked.push(counter.clone());
        let mut inner = self.statements(2, depth);
        if kind < 7 && self.random.one_in(3) {
            let condition = self.expression(1);
            let way = self.random.pick(&["break", "continue"]);
            inner.push(Item::Line(format!("if ({condition}) {way};")));
            inner.extend(self.statements(1, 0));
        }
        self.locked.pop();
        let (ty, times) = (self.random.pick(&TYPES[2..]), self.random.between(1, 4));
        let (head, tail) = match kind {
            4 => (
                format!("for ({ty} {counter} = 0; {counter} < {times}; {counter}++) {{"),
                "}".into(),
            ),
            5 => (format!("{{ {ty} {counter} = {times}; while ({counter}-- > 0) {{"), "} }".into()),
            6 => (
                format!("{{ {ty} {counter} = 0; do {{"),
                format!("}} while (++{counter} < {times}); }}"),
            ),
            _ => {
                let label = self.label();
                (
                    format!("{{ {ty} {counter} = 0; {label}:;"),
                    format!("if (++{counter} < {times}) goto {label}; }}"),
                )
            }
        };
        Item::Block(head, inner, tail)
    }

    fn switch(&mut self, depth: usize) -> Item {
        let value = self.expression(2);
        let mut inner = Vec::new();
        for case in 0..3 {
            let label = match case == 2 && self.random.one_in(2) {
                true => "default:;".into(),
                false => format!("case {case}:;"),
            };
            inner.push(Item::Line(label));
            inner.extend(self.statements(1, depth));
            if self.random.one_in(2) {
                inner.push(Item::Line("break;".into()));
            }
        }
        Item::Block(format!("switch (({value}) & 3) {{"), inner, "}".into())
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }
}
