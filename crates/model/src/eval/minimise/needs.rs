//! What of each term's value is needed, and how an operator passes that on to its arguments.
//!
//! The rule for every operator: if the arguments keep the bits that are asked for here, the
//! ternary operator ([`crate::eval::ternary`]) gives the needed bits of the result.

use crate::bv::Bv;
use crate::eval::words::WordSimulator;
use crate::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use crate::value::{ArrayValue, TernaryBv, TernaryValue};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The part of a value that is needed.
#[derive(Clone)]
pub(super) enum Need {
    /// These bits of a bit-vector.
    Bits(Bv),
    /// Of an array these bits of the elements at these indices.
    Elements(BTreeMap<Bv, Bv>),
    /// The whole array, or all of what has no bits.
    Whole,
}

impl Need {
    /// The part of a value that is needed; the rest becomes unknown.
    pub(super) fn keep(&self, value: &TernaryValue) -> TernaryValue {
        match self {
            Need::Bits(bits) => TernaryValue::Bv(value.as_bv().restricted(bits)),
            Need::Whole => value.clone(),
            Need::Elements(elements) => {
                let array = value.as_array();
                let unknown = TernaryBv::unknown(array.default_element().width());
                let mut kept = ArrayValue::new(array.index_width(), unknown);
                for (at, bits) in elements {
                    kept.set(at.clone(), array.get(at).restricted(bits));
                }
                TernaryValue::Array(kept)
            }
        }
    }
}

/// The needs of all terms in one step.
pub(super) struct Needs<'a> {
    terms: &'a Terms,
    of: Vec<Option<Need>>,
}

impl<'a> Needs<'a> {
    pub(super) fn new(terms: &'a Terms) -> Needs<'a> {
        Needs { terms, of: vec![None; terms.len()] }
    }

    pub(super) fn clear(&mut self) {
        self.of.fill(None);
    }

    pub(super) fn get(&self, id: TermId) -> Option<&Need> {
        self.of[id.index()].as_ref()
    }

    /// Passes a need on to another term of the same sort.
    pub(super) fn add(&mut self, id: TermId, need: &Need) {
        match need {
            Need::Bits(bits) => self.add_bits(id, bits.clone()),
            Need::Elements(elements) => {
                for (at, bits) in elements {
                    self.add_element(id, at, bits.clone());
                }
            }
            Need::Whole => self.add_all(id),
        }
    }

    /// Needs the whole value.
    pub(super) fn add_all(&mut self, id: TermId) {
        self.of[id.index()] = Some(match self.terms.sort(id) {
            Sort::Bv(width) => Need::Bits(Bv::ones(width)),
            Sort::Array { .. } | Sort::Int => Need::Whole,
        });
    }

    fn bits(&self, id: TermId) -> Bv {
        match &self.of[id.index()] {
            Some(Need::Bits(bits)) => bits.clone(),
            _ => Bv::zero(self.terms.width(id)),
        }
    }

    fn add_bits(&mut self, id: TermId, bits: Bv) {
        if !bits.is_zero() {
            let all = self.bits(id).or(&bits);
            self.of[id.index()] = Some(Need::Bits(all));
        }
    }

    fn add_element(&mut self, array: TermId, at: &Bv, bits: Bv) {
        let need = self.of[array.index()].get_or_insert_with(|| Need::Elements(BTreeMap::new()));
        if let Need::Elements(elements) = need {
            let entry = elements.entry(at.clone()).or_insert_with(|| Bv::zero(bits.width()));
            *entry = entry.or(&bits);
        }
    }

    /// Passes the need of a term on to its arguments, whose values in this step the simulator
    /// knows.
    pub(super) fn propagate(&mut self, id: TermId, values: &WordSimulator<'_>) {
        let Some(need) = self.of[id.index()].clone() else { return };
        let bv = |id: TermId| values.value(id).as_bv().zero_filled();
        let has_bits = |id: TermId| !self.terms.sort(id).has_integers();
        match (self.terms.get(id), need) {
            (Term::Const(_) | Term::Symbol(_), _) => {}
            (&Term::Unary(op, a), Need::Bits(bits)) => self.unary(op, a, bv(a), &bits),
            (&Term::Binary(op, a, b), Need::Bits(bits)) => {
                match (values.value(a), values.value(b)) {
                    (TernaryValue::Bv(x), TernaryValue::Bv(y)) => {
                        self.binary(op, [a, b], [x.zero_filled(), y.zero_filled()], &bits);
                    }
                    (TernaryValue::Array(x), TernaryValue::Array(y)) => {
                        self.array_equal([a, b], x, y);
                    }
                    _ => [a, b].iter().for_each(|&arg| self.add_all(arg)),
                }
            }
            (&Term::Ite(c, t, e), need) => {
                self.add_all(c);
                self.add(if bv(c).is_true() { t } else { e }, &need);
            }
            (&Term::Slice { arg, low, .. }, Need::Bits(bits)) => {
                let spare = self.terms.width(arg) - bits.width();
                self.add_bits(arg, bits.zero_extend(spare).shifted_left(low));
            }
            (&Term::Extend { arg, signed, .. }, Need::Bits(bits)) => {
                let width = self.terms.width(arg);
                self.add_bits(arg, bits.slice(width - 1, 0));
                if signed && bits.highest_one().is_some_and(|i| i >= width) {
                    self.add_bits(arg, sign(width));
                }
            }
            (&Term::Read(array, at), Need::Bits(bits)) if has_bits(array) => {
                self.add_all(at);
                self.add_element(array, bv(at), bits);
            }
            (&Term::ConstArray { value, .. }, Need::Elements(elements)) => {
                elements.into_values().for_each(|bits| self.add_bits(value, bits));
            }
            (&Term::Write(array, at, value), Need::Elements(elements)) => {
                self.add_all(at);
                for (i, bits) in elements {
                    if i == *bv(at) {
                        self.add_bits(value, bits);
                    } else {
                        self.add_element(array, &i, bits);
                    }
                }
            }
            (term, _) => term.args().for_each(|arg| self.add_all(arg)),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: TermId, value: &Bv, bits: &Bv) {
        let width = value.width();
        match op {
            UnaryOp::Not => self.add_bits(a, bits.clone()),
            UnaryOp::Inc | UnaryOp::Dec | UnaryOp::Neg => self.add_bits(a, up_to(bits)),
            UnaryOp::RedAnd => self.deciding_bit(&[a], value.not()),
            UnaryOp::RedOr => self.deciding_bit(&[a], value.clone()),
            UnaryOp::RedXor => self.add_bits(a, Bv::ones(width)),
        }
    }

    /// One of the candidate bits decides, the same in all arguments; if there is none, all bits
    /// are needed. A bit that is needed anyway is preferred.
    fn deciding_bit(&mut self, args: &[TermId], candidates: Bv) {
        let wanted = args.iter().fold(candidates.clone(), |w, &a| w.and(&self.bits(a)));
        let bits = match wanted.lowest_one().or(candidates.lowest_one()) {
            Some(i) => Bv::one(candidates.width()).shifted_left(i),
            None => Bv::ones(candidates.width()),
        };
        for &arg in args {
            self.add_bits(arg, bits.clone());
        }
    }

    fn binary(&mut self, op: BinaryOp, [a, b]: [TermId; 2], [x, y]: [&Bv; 2], bits: &Bv) {
        let both = |needs: &mut Self, left: Bv, right: Bv| {
            needs.add_bits(a, left);
            needs.add_bits(b, right);
        };
        let width = x.width();
        match op {
            BinaryOp::Iff | BinaryOp::Xnor | BinaryOp::Xor => {
                both(self, bits.clone(), bits.clone());
            }
            BinaryOp::And | BinaryOp::Nand => self.choose([a, b], [x.not(), y.not()], bits),
            BinaryOp::Or | BinaryOp::Nor => self.choose([a, b], [x.clone(), y.clone()], bits),
            BinaryOp::Implies => self.choose([a, b], [x.not(), y.clone()], bits),
            BinaryOp::Eq | BinaryOp::Neq => self.deciding_bit(&[a, b], x.xor(y)),
            BinaryOp::Ugt | BinaryOp::Ugte | BinaryOp::Ult | BinaryOp::Ulte | BinaryOp::Usubo => {
                let equal_is_high = matches!(op, BinaryOp::Ugte | BinaryOp::Ult | BinaryOp::Usubo);
                self.order([a, b], [x, y], equal_is_high);
            }
            // With the sign bit flipped, signed order is unsigned order.
            BinaryOp::Sgt | BinaryOp::Sgte | BinaryOp::Slt | BinaryOp::Slte => {
                let equal_is_high = matches!(op, BinaryOp::Sgte | BinaryOp::Slt);
                let (x, y) = (x.xor(&sign(width)), y.xor(&sign(width)));
                self.order([a, b], [&x, &y], equal_is_high);
            }
            // These grow with their arguments: ones make them true, zeros make them false.
            BinaryOp::Uaddo if x.uaddo(y) => both(self, x.clone(), y.clone()),
            BinaryOp::Umulo if x.umulo(y) => both(self, x.clone(), y.clone()),
            BinaryOp::Uaddo | BinaryOp::Umulo => both(self, x.not(), y.not()),
            // A factor whose low bits are all 0 is enough.
            BinaryOp::Mul if x.and(&up_to(bits)).is_zero() => self.add_bits(a, up_to(bits)),
            BinaryOp::Mul if y.and(&up_to(bits)).is_zero() => self.add_bits(b, up_to(bits)),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => both(self, up_to(bits), up_to(bits)),
            BinaryOp::Sll => both(self, bits.srl(y), Bv::ones(width)),
            BinaryOp::Srl => both(self, bits.sll(y), Bv::ones(width)),
            BinaryOp::Sra => {
                // The bits that come from beyond the top are copies of the sign.
                let inside = bits.sll(y);
                let copies = if inside.srl(y) == *bits { Bv::zero(width) } else { sign(width) };
                both(self, inside.or(&copies), Bv::ones(width));
            }
            BinaryOp::Rol => both(self, bits.ror(y), Bv::ones(width)),
            BinaryOp::Ror => both(self, bits.rol(y), Bv::ones(width)),
            BinaryOp::Concat => {
                let low = y.width();
                both(self, bits.slice(bits.width() - 1, low), bits.slice(low - 1, 0));
            }
            BinaryOp::Sdiv
            | BinaryOp::Udiv
            | BinaryOp::Smod
            | BinaryOp::Srem
            | BinaryOp::Urem
            | BinaryOp::Saddo
            | BinaryOp::Sdivo
            | BinaryOp::Smulo
            | BinaryOp::Ssubo => both(self, Bv::ones(width), Bv::ones(y.width())),
        }
    }

    /// Unsigned order, decided by the highest bit that differs. From there upwards the greater
    /// side keeps its ones and the smaller one its zeros: that bounds one from below and the
    /// other from above. `equal_is_high` says which side is to be the greater of equal ones.
    fn order(&mut self, [a, b]: [TermId; 2], [x, y]: [&Bv; 2], equal_is_high: bool) {
        let decisive = Bv::low_ones(x.width(), x.xor(y).highest_one().unwrap_or(0)).not();
        let is_high = if x == y { equal_is_high } else { x.ucmp(y) == Ordering::Greater };
        let [(high, greater), (low, smaller)] =
            if is_high { [(a, x), (b, y)] } else { [(b, y), (a, x)] };
        self.add_bits(high, decisive.and(greater));
        self.add_bits(low, decisive.and(&smaller.not()));
    }

    /// Bitwise conjunction and its kin: where one operand has the controlling value it is
    /// enough, where both have it one of them is, preferably one that is needed anyway.
    fn choose(&mut self, [a, b]: [TermId; 2], [controls_a, controls_b]: [Bv; 2], bits: &Bv) {
        let either = controls_a.and(&controls_b);
        let prefer_b = either.and(&self.bits(b)).and(&self.bits(a).not());
        let only_b = controls_b.and(&controls_a.not()).or(&prefer_b);
        let only_a = controls_a.and(&prefer_b.not());
        self.add_bits(a, bits.and(&only_b.not()));
        self.add_bits(b, bits.and(&only_a.not()));
    }

    /// Arrays that differ do so at some index in some bit; arrays that are equal are needed
    /// as they are.
    fn array_equal(
        &mut self,
        args: [TermId; 2],
        x: &ArrayValue<TernaryBv>,
        y: &ArrayValue<TernaryBv>,
    ) {
        let differing = |at: &Bv| {
            let (x, y) = (x.get(at).zero_filled(), y.get(at).zero_filled());
            let bit = x.xor(y).lowest_one()?;
            Some(Bv::one(x.width()).shifted_left(bit))
        };
        let listed = x.listed(y);
        let unlisted = (!x.is_every_index(listed.len())).then(|| unlisted_index(&listed, x));
        let mut candidates = listed.into_iter().chain(unlisted.as_ref());
        match candidates.find_map(|at| differing(at).map(|bits| (at.clone(), bits))) {
            Some((at, bits)) => args.iter().for_each(|&a| self.add_element(a, &at, bits.clone())),
            None => args.iter().for_each(|&a| self.add_all(a)),
        }
    }
}

/// The least index that a sorted list lacks.
fn unlisted_index(listed: &[&Bv], array: &ArrayValue<TernaryBv>) -> Bv {
    let width = array.index_width();
    let numbered = listed.iter().zip(0u64..);
    let first_gap = numbered.take_while(|(at, i)| at.to_u64() == Some(*i)).count();
    Bv::from_u64(width, first_gap as u64)
}

/// All bits from the lowest up to the highest that is needed: carries only go upwards.
fn up_to(bits: &Bv) -> Bv {
    Bv::low_ones(bits.width(), bits.highest_one().map_or(0, |i| i + 1))
}

fn sign(width: u32) -> Bv {
    Bv::one(width).shifted_left(width - 1)
}
