//! The tableau: rows `Σ cⱼ·xⱼ = 0` with integer factors.
//!
//! Each row has one *basic* variable that occurs in no other row; all other variables of rows
//! are *nonbasic* and have a value. The value of a basic variable follows from its row.
//!
//! Two deviations from Dutertre and de Moura, both since all our variables are integers and all
//! bounds are, too. Nonbasic variables start at 0 and are only ever moved to a bound, so *their
//! values are integers*; and rows are kept with coprime integer factors, the basic one positive,
//! in place of rational factors and 1. So with `sum = Σ cⱼ·xⱼ` over the nonbasic variables the
//! value of the basic one is `−sum / c`, and no fraction is ever computed: an elimination step
//! is `p·a − q·b` on machine words, and the greatest common divisor is taken once a row.
//!
//! Rows come when a form is first bounded and go with [`Tableau::clear`]: over hundreds of
//! thousands of queries, most forms are of no concern to the query at hand.

use super::int::Int;
use super::linear::{IntVar, Terms, content, merge};

/// A row.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) basic: IntVar,
    /// All terms, that of the basic variable included.
    pub(super) terms: Terms,
    /// The sum over the nonbasic variables.
    pub(super) sum: Int,
}

/// Where a variable is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In no row as yet; a form has no value then, a variable has one.
    Nonbasic,
    /// A form without row.
    Absent,
    /// The basic variable of this row.
    Basic(u32),
}

/// Rows, columns, values.
#[derive(Clone, Default)]
pub(super) struct Tableau {
    pub(super) rows: Vec<Row>,
    /// For each variable the rows in which it occurs.
    columns: Vec<Vec<u32>>,
    places: Vec<Place>,
    /// The values of nonbasic variables.
    values: Vec<Int>,
    /// Terms touched, weighed by their size: a measure of work that can be repeated.
    pub(super) work: u64,
    /// The terms of a row before they changed; kept to save allocations.
    before: Terms,
}

impl Row {
    /// The factor of a variable that occurs.
    pub(super) fn factor(&self, var: IntVar) -> &Int {
        let place = self.terms.binary_search_by_key(&var, |&(var, _)| var);
        &self.terms[place.expect("the variable occurs in the row")].1
    }

    /// The factor of the basic variable; positive.
    pub(super) fn scale(&self) -> &Int {
        self.factor(self.basic)
    }
}

impl Tableau {
    /// A further variable, or a further form, which has no row as yet.
    pub(super) fn add(&mut self, is_form: bool) {
        self.places.push(if is_form { Place::Absent } else { Place::Nonbasic });
        self.columns.push(Vec::new());
        self.values.push(Int::ZERO);
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    #[inline]
    pub(super) fn place(&self, var: IntVar) -> Place {
        self.places[var.index()]
    }

    /// The value of a nonbasic variable.
    #[inline]
    pub(super) fn value(&self, var: IntVar) -> &Int {
        debug_assert_eq!(self.place(var), Place::Nonbasic);
        &self.values[var.index()]
    }

    /// The value of a variable as a fraction with a positive denominator, not reduced; `None`
    /// for a form without row.
    pub(super) fn fraction(&self, var: IntVar) -> Option<(Int, Int)> {
        match self.place(var) {
            Place::Absent => None,
            Place::Nonbasic => Some((self.value(var).clone(), Int::ONE)),
            Place::Basic(row) => {
                let row = &self.rows[row as usize];
                Some((-&row.sum, row.scale().clone()))
            }
        }
    }

    /// The number of rows in which a variable occurs.
    pub(super) fn column_len(&self, var: IntVar) -> usize {
        self.columns[var.index()].len()
    }

    /// Gives a form its row: `form − Σ definition = 0`, basic variables replaced.
    pub(super) fn add_row(&mut self, form: IntVar, definition: &[(IntVar, Int)]) {
        debug_assert_eq!(self.place(form), Place::Absent);
        let mut terms: Terms = definition.iter().map(|(var, factor)| (*var, -factor)).collect();
        terms.push((form, Int::ONE));
        terms.sort_unstable_by_key(|&(var, _)| var);
        for (var, _) in definition {
            if let Place::Basic(row) = self.place(*var) {
                terms = self.eliminate(terms, *var, row as usize);
            }
        }
        let number = self.rows.len() as u32;
        self.places[form.index()] = Place::Basic(number);
        let mut sum = Int::ZERO;
        for (var, factor) in &terms {
            self.columns[var.index()].push(number);
            if *var != form {
                sum = &sum + &(factor * &self.values[var.index()]);
            }
        }
        self.work += terms.len() as u64;
        self.rows.push(Row { basic: form, terms, sum });
        self.normalise(number as usize);
    }

    /// `terms` without the basic variable of a row.
    fn eliminate(&mut self, terms: Terms, var: IntVar, row: usize) -> Terms {
        let row = &self.rows[row];
        let place = terms.binary_search_by_key(&var, |&(var, _)| var);
        let Ok(place) = place else { return terms };
        let (own, scale) = (&terms[place].1, row.scale());
        let gcd = own.gcd(scale);
        let (p, q) = (scale.div_floor(&gcd), own.div_floor(&gcd));
        let mut result = Vec::with_capacity(terms.len() + row.terms.len());
        merge(&terms, &p, &row.terms, &q, |var, factor| result.push((var, factor)));
        self.work += result.len() as u64;
        result
    }

    /// Makes the factors of a row coprime and the basic one positive.
    fn normalise(&mut self, number: usize) {
        let row = &mut self.rows[number];
        let gcd = content(&row.terms);
        let is_negative = row.scale().is_negative();
        if gcd.is_one() && !is_negative {
            return;
        }
        let divisor = if is_negative { -&gcd } else { gcd };
        for (_, factor) in &mut row.terms {
            *factor = factor.div_floor(&divisor);
        }
        row.sum = row.sum.div_floor(&divisor);
    }

    /// Moves a nonbasic variable, and shows the basic variables that move with it.
    pub(super) fn move_to(&mut self, var: IntVar, value: Int, mut moved: impl FnMut(IntVar)) {
        debug_assert_eq!(self.place(var), Place::Nonbasic);
        let delta = &value - &self.values[var.index()];
        self.values[var.index()] = value;
        for &number in &self.columns[var.index()] {
            let row = &mut self.rows[number as usize];
            row.sum = &row.sum + &(row.factor(var) * &delta);
            moved(row.basic);
        }
        self.work += self.columns[var.index()].len() as u64;
    }

    /// Exchanges the basic variable of a row with a nonbasic one of it, and gives the former
    /// the value. Shows all variables whose value may have changed and that are basic now.
    pub(super) fn pivot(
        &mut self,
        number: usize,
        entering: IntVar,
        value: Int,
        mut moved: impl FnMut(IntVar),
    ) {
        let mut pivot = std::mem::replace(
            &mut self.rows[number],
            Row { basic: entering, terms: Vec::new(), sum: Int::ZERO },
        );
        let leaving = pivot.basic;
        let old = std::mem::replace(&mut self.values[entering.index()], Int::ZERO);
        // From now on sums go without the entering and with the leaving variable.
        let entered = Int::cross(pivot.factor(leaving), &value, pivot.factor(entering), &old);
        pivot.sum = &pivot.sum + &entered;
        pivot.basic = entering;
        self.places[entering.index()] = Place::Basic(number as u32);
        self.places[leaving.index()] = Place::Nonbasic;
        self.values[leaving.index()] = value;
        if pivot.scale().is_negative() {
            pivot.terms.iter_mut().for_each(|(_, factor)| *factor = -&*factor);
            pivot.sum = -&pivot.sum;
        }
        let column = std::mem::take(&mut self.columns[entering.index()]);
        for &other in &column {
            if other as usize != number {
                self.reduce_row(other as usize, &pivot, &old);
                moved(self.rows[other as usize].basic);
            }
        }
        self.columns[entering.index()].push(number as u32);
        self.rows[number] = pivot;
        moved(entering);
    }

    /// Eliminates the new basic variable of `pivot`, whose value was `old`, from a row.
    fn reduce_row(&mut self, number: usize, pivot: &Row, old: &Int) {
        let entering = pivot.basic;
        let (own, scale) = (self.rows[number].factor(entering).clone(), pivot.scale());
        let gcd = own.gcd(scale);
        // `p` is positive, so the factor of the row's basic variable stays so.
        let (p, q) = (scale.div_floor(&gcd), own.div_floor(&gcd));
        let row = &mut self.rows[number];
        let mut before = std::mem::take(&mut self.before);
        std::mem::swap(&mut before, &mut row.terms);
        row.terms.clear();
        let mut work = 0;
        merge(&before, &p, &pivot.terms, &q, |var, factor| {
            work += factor.limbs();
            row.terms.push((var, factor));
        });
        let sum = &row.sum - &(&own * old);
        row.sum = Int::cross(&p, &sum, &q, &pivot.sum);
        self.work += work;
        self.update_columns(number, &before, entering);
        self.normalise(number);
        self.before = before;
    }

    /// Brings the columns up to date after the terms of a row have changed. The column of
    /// `entering` is the caller's.
    fn update_columns(&mut self, number: usize, before: &[(IntVar, Int)], entering: IntVar) {
        let Tableau { rows, columns, .. } = self;
        let after = &rows[number].terms;
        let (mut i, mut j) = (0, 0);
        while i < before.len() || j < after.len() {
            let old = before.get(i).map(|&(var, _)| var);
            let new = after.get(j).map(|&(var, _)| var);
            let var = [old, new].into_iter().flatten().min().expect("one is left");
            i += (old == Some(var)) as usize;
            j += (new == Some(var)) as usize;
            if old == new || var == entering {
                continue;
            }
            let column = &mut columns[var.index()];
            if new == Some(var) {
                column.push(number as u32);
            } else {
                let at = column.iter().position(|&row| row as usize == number);
                column.swap_remove(at.expect("the column knows the row"));
            }
        }
    }

    /// Removes all rows. Variables keep their values where these are integers.
    pub(super) fn clear(&mut self, mut is_form: impl FnMut(IntVar) -> bool) {
        for row in std::mem::take(&mut self.rows) {
            for (var, _) in &row.terms {
                self.columns[var.index()].clear();
                let place = &mut self.places[var.index()];
                if let Place::Basic(_) = place {
                    self.values[var.index()] = (-&row.sum).div_floor(row.scale());
                }
                *place = if is_form(*var) { Place::Absent } else { Place::Nonbasic };
            }
        }
    }

    /// Whether rows, columns and sums fit together; for assertions.
    #[cfg(test)]
    pub(super) fn is_sound(&self) -> bool {
        let holds = |(number, row): (usize, &Row)| {
            let sum = row
                .terms
                .iter()
                .filter(|(var, _)| *var != row.basic)
                .fold(Int::ZERO, |sum, (var, factor)| &sum + &(factor * self.value(*var)));
            sum == row.sum
                && row.scale().is_positive()
                && content(&row.terms).is_one()
                && self.place(row.basic) == Place::Basic(number as u32)
                && row.terms.is_sorted_by(|(a, _), (b, _)| a < b)
                && row.terms.iter().all(|(var, _)| {
                    let column = &self.columns[var.index()];
                    column.iter().filter(|&&row| row as usize == number).count() == 1
                })
        };
        let entries: usize = self.rows.iter().map(|row| row.terms.len()).sum();
        entries == self.columns.iter().map(Vec::len).sum::<usize>()
            && self.rows.iter().enumerate().all(holds)
    }
}
