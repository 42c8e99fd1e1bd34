//! What is known about each property, and which one is next. All threads that decide properties one
//! by one share it.

use super::local::LocalProof;
use pedra_model::proof::BitProof;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A class of properties that waits for its turn. Those that were tried least come first, of these
/// the ones with small cones: no property waits for a hard one.
pub(crate) type Ticket = (u32, usize, usize);

/// The state of all questions.
pub(crate) struct Board {
    /// How often a class was tried, the size of its cones, and its number.
    queue: BTreeSet<Ticket>,
    /// For each property its local proof.
    local: Vec<Option<LocalProof>>,
    /// For each property a proof of it that rests on nothing.
    whole: Vec<Option<Arc<BitProof>>>,
}

impl Board {
    /// All classes wait.
    pub(crate) fn new(properties: usize, classes: impl Iterator<Item = Ticket>) -> Board {
        let (local, whole) = (vec![None; properties], vec![None; properties]);
        Board { queue: classes.collect(), local, whole }
    }

    /// The class whose turn it is.
    pub(crate) fn next(&mut self) -> Option<Ticket> {
        self.queue.pop_first()
    }

    /// A class has to wait for another turn.
    pub(crate) fn wait(&mut self, ticket: Ticket) {
        self.queue.insert(ticket);
    }

    /// Whether there is a proof of a property, be it local.
    pub(crate) fn is_proved(&self, property: usize) -> bool {
        self.local[property].is_some() || self.whole[property].is_some()
    }

    /// Whether there is a proof of a property that rests on nothing.
    pub(crate) fn is_whole(&self, property: usize) -> bool {
        self.whole[property].is_some()
    }

    /// Keeps a local proof of a property, and of those that it implies as well.
    pub(crate) fn keep(&mut self, property: usize, proof: LocalProof) {
        for &other in &proof.implied {
            self.local[other].get_or_insert_with(|| proof.clone());
        }
        self.local[property] = Some(proof);
    }

    /// Sets of properties whose local proofs assume none outside the set, each with the proof
    /// that they are together. `num_vars` is the number of variables of the system.
    pub(crate) fn close(&mut self, num_vars: usize) -> Vec<(Vec<usize>, Arc<BitProof>)> {
        let mut closed = Vec::new();
        for property in self.complete() {
            if self.whole[property].is_some() {
                continue;
            }
            let set = self.closure(property);
            let joined = Arc::new(self.join(&set, num_vars));
            for &member in &set {
                self.whole[member].get_or_insert_with(|| joined.clone());
            }
            closed.push((set, joined));
        }
        closed
    }

    /// The properties with local proofs that rest, directly or not, on such properties alone: the
    /// greatest fixpoint.
    fn complete(&self) -> Vec<usize> {
        let waiting = |p: &usize| self.local[*p].is_some() && self.whole[*p].is_none();
        let mut list: Vec<usize> = (0..self.local.len()).filter(waiting).collect();
        let mut is_in: Vec<bool> = (0..self.local.len()).map(|p| self.is_proved(p)).collect();
        loop {
            let before = list.len();
            list.retain(|&p| {
                let proof = self.local[p].as_ref().expect("filtered");
                let stays = proof.needs.iter().all(|&need| is_in[need]);
                is_in[p] = stays;
                stays
            });
            if list.len() == before {
                return list;
            }
        }
    }

    /// A property of a complete set and all that its proof rests on.
    fn closure(&self, property: usize) -> Vec<usize> {
        let mut set = vec![property];
        let mut at = 0;
        while at < set.len() {
            if let (None, Some(proof)) = (&self.whole[set[at]], &self.local[set[at]]) {
                for &need in &proof.needs {
                    if !set.contains(&need) {
                        set.push(need);
                    }
                }
            }
            at += 1;
        }
        set
    }

    /// `⋀ Inv`, as one proof of a closed set of properties.
    fn join(&self, set: &[usize], num_vars: usize) -> BitProof {
        let proofs = set.iter().map(|&p| match (&self.whole[p], &self.local[p]) {
            (Some(whole), _) => whole,
            (None, Some(local)) => &local.proof,
            (None, None) => unreachable!("the set is closed"),
        });
        let mut joined: Option<BitProof> = None;
        let mut seen: Vec<&Arc<BitProof>> = Vec::new();
        for proof in proofs {
            if seen.iter().any(|known| Arc::ptr_eq(known, proof)) {
                continue;
            }
            seen.push(proof);
            joined = Some(match joined {
                None => (**proof).clone(),
                Some(joined) => joined.join(proof, num_vars).expect("no simple paths"),
            });
        }
        let mut properties = set.to_vec();
        properties.sort_unstable();
        BitProof { properties, ..joined.expect("a set is not empty") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::lit::Var;

    fn local(clause: usize, needs: &[usize]) -> LocalProof {
        let proof = BitProof {
            properties: vec![clause],
            clauses: vec![vec![Var::new(clause + 1).lit()]],
            k: 1,
            ..BitProof::default()
        };
        LocalProof { proof: Arc::new(proof), needs: needs.to_vec(), implied: Vec::new() }
    }

    #[test]
    fn local_proofs_wait_for_what_they_rest_on() {
        let mut board = Board::new(5, std::iter::empty());
        board.keep(0, local(0, &[1]));
        board.keep(3, local(3, &[4]));
        assert!(board.close(9).is_empty());
        board.keep(1, local(1, &[0, 2]));
        assert!(board.close(9).is_empty() && board.is_proved(1));
        board.keep(2, local(2, &[]));
        let closed = board.close(9);
        // 0, 1 and 2 together; 3 still waits for 4.
        assert_eq!(closed.len(), 1);
        assert_eq!((&closed[0].1.properties, closed[0].1.clauses.len()), (&vec![0, 1, 2], 3));
        assert!(board.close(9).is_empty() && !board.is_proved(4));
        board.keep(4, local(4, &[2]));
        let sets: Vec<Vec<usize>> = board.close(9).into_iter().map(|(set, _)| set).collect();
        assert_eq!(sets, [[3, 4, 2]]);
    }

    #[test]
    fn implied_properties_have_the_same_proof() {
        let mut board = Board::new(3, std::iter::empty());
        board.keep(0, LocalProof { implied: vec![2], ..local(0, &[]) });
        let closed = board.close(9);
        let proved: Vec<usize> = closed.iter().flat_map(|(set, _)| set.clone()).collect();
        assert_eq!(proved, [0, 2]);
        assert!(closed.iter().all(|(_, proof)| proof.clauses.len() == 1));
    }

    #[test]
    fn those_tried_least_come_first() {
        let mut board = Board::new(3, [(0, 9, 0), (0, 2, 1), (0, 5, 2)].into_iter());
        let first = board.next().expect("three wait");
        board.wait((first.0 + 1, first.1, first.2));
        let order: Vec<usize> = std::iter::from_fn(|| board.next()).map(|t| t.2).collect();
        assert_eq!((first.2, order), (1, vec![2, 0, 1]));
    }
}
