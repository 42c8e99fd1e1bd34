//! Reads the scripts that the solver for integers writes (`terms::record_queries`) and asks their
//! questions again. It reads those scripts only, not SMT-LIB at large.

use num_bigint::BigInt;
use pedra_model::blast::BlastOptions;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_solve::SatResult;
use pedra_solve::terms::{TermSolver, Theory};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A solver that goes through a script.
pub struct Script {
    terms: Terms,
    solver: TermSolver,
    names: HashMap<String, TermId>,
    free: HashMap<String, Lit>,
}

/// A text between brackets, or a word.
#[derive(Debug)]
enum Node<'a> {
    Word(&'a str),
    List(Vec<Node<'a>>),
}

fn parse<'a>(text: &mut &'a str) -> Node<'a> {
    *text = text.trim_start();
    if let Some(rest) = text.strip_prefix('(') {
        *text = rest;
        let mut list = Vec::new();
        loop {
            *text = text.trim_start();
            if let Some(rest) = text.strip_prefix(')') {
                *text = rest;
                return Node::List(list);
            }
            list.push(parse(text));
        }
    }
    let end = text.find([' ', '(', ')']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    assert!(!word.is_empty(), "a word");
    *text = rest;
    Node::Word(word)
}

impl<'a> Node<'a> {
    fn word(&self) -> &'a str {
        match self {
            Node::Word(word) => word,
            Node::List(list) => panic!("a word instead of {list:?}"),
        }
    }

    fn list(&self) -> &[Node<'a>] {
        match self {
            Node::List(list) => list,
            Node::Word(word) => panic!("a list instead of {word}"),
        }
    }
}

fn sort(node: &Node) -> Sort {
    let scalar = |node: &Node| match sort(node) {
        Sort::Int => Scalar::Int,
        _ => Scalar::Bv(1),
    };
    match node {
        Node::Word("Int") => Sort::Int,
        Node::Word(_) => Sort::BOOL,
        Node::List(list) => Sort::Array { index: scalar(&list[1]), element: scalar(&list[2]) },
    }
}

impl Script {
    /// Nothing is known yet.
    pub fn new() -> Script {
        Script {
            terms: Terms::new(),
            solver: TermSolver::new(Theory::Integers, &BlastOptions::default()),
            names: HashMap::new(),
            free: HashMap::new(),
        }
    }

    /// Goes through the text; the answers, and the time for each question and the literals that
    /// came since the one before.
    pub fn run(&mut self, text: &str) -> Vec<(SatResult, Duration)> {
        let (mut answers, mut spent) = (Vec::new(), Duration::ZERO);
        let mut temporary: Option<Vec<Vec<Lit>>> = None;
        for mut line in text.lines().filter(|line| !line.starts_with(';')) {
            let node = parse(&mut line);
            let list = node.list();
            match (list[0].word(), &list[1..]) {
                ("declare-const", [name, of]) if name.word().starts_with('v') => {
                    assert_eq!(sort(of), Sort::BOOL);
                    let lit = self.solver.new_lit();
                    self.free.insert(name.word().into(), lit);
                }
                ("declare-const", [name, of]) => {
                    let symbol = self.terms.new_symbol(sort(of));
                    self.names.insert(name.word().into(), symbol);
                }
                ("define-fun", [name, _, of, body]) => {
                    let term = self.term(body, sort(of));
                    self.names.insert(name.word().into(), term);
                    // As in the run: a formula is encoded when it comes up.
                    if sort(of) == Sort::BOOL {
                        self.lit(name, &mut spent);
                    }
                }
                ("assert", [clause]) => {
                    let clause = self.lits(&clause.list()[2..], &mut spent);
                    match &mut temporary {
                        None => self.solver.add_clause(&clause),
                        Some(clauses) => clauses.push(clause),
                    }
                }
                ("push", _) => temporary = Some(Vec::new()),
                ("pop", _) => temporary = None,
                ("check-sat-assuming", [assumed]) => {
                    let assumed = self.lits(assumed.list(), &mut spent);
                    let clauses = temporary.as_deref().unwrap_or_default();
                    let clauses: Vec<&[Lit]> = clauses.iter().map(Vec::as_slice).collect();
                    let start = Instant::now();
                    let answer = self.solver.solve(&assumed, &clauses);
                    answers.push((answer, std::mem::take(&mut spent) + start.elapsed()));
                }
                _ => {}
            }
        }
        answers
    }

    fn lits(&mut self, nodes: &[Node], spent: &mut Duration) -> Vec<Lit> {
        nodes.iter().map(|node| self.lit(node, spent)).collect()
    }

    fn lit(&mut self, node: &Node, spent: &mut Duration) -> Lit {
        match node {
            Node::List(list) => !self.lit(&list[1], spent),
            Node::Word(name) => match self.free.get(*name) {
                Some(&lit) => lit,
                None => {
                    let start = Instant::now();
                    let lit = self.solver.lit(&self.terms, self.names[*name]).expect("linear");
                    *spent += start.elapsed();
                    lit
                }
            },
        }
    }

    fn term(&mut self, node: &Node, of: Sort) -> TermId {
        let list = match node {
            Node::Word("true") => return self.terms.bool(true),
            Node::Word("false") => return self.terms.bool(false),
            Node::Word(name) => {
                let known = self.names.get(*name).copied();
                return known.unwrap_or_else(|| self.number(name));
            }
            Node::List(list) => list,
        };
        if let Sort::Array { index, .. } = of
            && matches!(list[0], Node::List(_))
        {
            let value = self.term(&list[1], of);
            return self.terms.add(Term::ConstArray { index, value }).expect("an array");
        }
        let args: Vec<TermId> = list[1..].iter().map(|arg| self.term(arg, Sort::Int)).collect();
        let terms = &mut self.terms;
        match (list[0].word(), args[..].first().copied(), args[..].get(1).copied()) {
            ("-", Some(a), None) => terms.add(Term::IntNeg(a)).expect("an integer"),
            ("not", Some(a), _) => terms.unary(UnaryOp::Not, a),
            ("ite", Some(a), Some(b)) => terms.ite(a, b, args[2]),
            ("select", Some(a), Some(b)) => terms.read(a, b),
            ("store", Some(a), Some(b)) => terms.write(a, b, args[2]),
            (op, Some(a), Some(b)) => match bit_operator(op) {
                Some(op) => terms.binary(op, a, b),
                None => terms.int_binary(int_operator(op), a, b),
            },
            (op, ..) => panic!("{op} without arguments"),
        }
    }

    fn number(&mut self, text: &str) -> TermId {
        let value: BigInt = text.parse().expect("a name, or a number");
        self.terms.integer(value)
    }
}

fn bit_operator(op: &str) -> Option<BinaryOp> {
    Some(match op {
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "=" => BinaryOp::Eq,
        "distinct" => BinaryOp::Neq,
        _ => return None,
    })
}

fn int_operator(op: &str) -> IntOp {
    let found = IntOp::ALL.into_iter().find(|known| known.name() == op);
    found.unwrap_or_else(|| panic!("{op} is not written"))
}
