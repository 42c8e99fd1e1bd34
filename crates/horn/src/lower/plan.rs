//! Which predicate of each clause is its source, and which clauses a procedure needs.

use crate::clauses::Clauses;

/// The choices for a set of clauses.
pub(super) struct Plan {
    /// For each clause the position of its source in the body.
    sources: Vec<Option<usize>>,
    /// For each predicate the clauses with it as head.
    by_head: Vec<Vec<usize>>,
    /// Whether each predicate depends on itself.
    is_recursive: Vec<bool>,
}

impl Plan {
    /// Heuristic: the source is a predicate that depends on the head (so that a loop becomes a
    /// loop, not a recursion); else one that few clauses combine with others (those that many do
    /// are summaries of procedures); else the first.
    pub(super) fn new(clauses: &Clauses) -> Plan {
        let count = clauses.predicates.len();
        let (mut by_head, mut combined) = (vec![Vec::new(); count], vec![0usize; count]);
        let mut successors = vec![Vec::new(); count];
        for (index, clause) in clauses.clauses.iter().enumerate() {
            if let Some(head) = &clause.head {
                by_head[head.predicate].push(index);
                for atom in &clause.body {
                    successors[atom.predicate].push(head.predicate);
                }
            }
            if clause.body.len() > 1 {
                clause.body.iter().for_each(|atom| combined[atom.predicate] += 1);
            }
        }
        let components = components(&successors);
        let mut sizes = vec![0usize; count];
        components.iter().for_each(|&component| sizes[component] += 1);
        let is_recursive =
            (0..count).map(|p| sizes[components[p]] > 1 || successors[p].contains(&p)).collect();
        let source = |clause: &crate::clauses::Clause| {
            let head = clause.head.as_ref().map(|head| components[head.predicate]);
            let body = clause.body.iter().enumerate();
            let best = body.min_by_key(|(at, atom)| {
                let is_outside = Some(components[atom.predicate]) != head;
                (is_outside, combined[atom.predicate], *at)
            });
            best.map(|(at, _)| at)
        };
        let sources = clauses.clauses.iter().map(source).collect();
        Plan { sources, by_head, is_recursive }
    }

    /// The position of a clause's source in its body.
    pub(super) fn source(&self, clause: usize) -> Option<usize> {
        self.sources[clause]
    }

    /// Whether a predicate depends on itself.
    pub(super) fn is_recursive(&self, predicate: usize) -> bool {
        self.is_recursive[predicate]
    }

    /// The clauses from which a predicate follows through sources, or from which the queries do; in
    /// order.
    pub(super) fn slice(&self, clauses: &Clauses, predicate: Option<usize>) -> Vec<usize> {
        let mut is_needed = vec![false; self.by_head.len()];
        let mut found: Vec<usize> = Vec::new();
        let mut stack: Vec<usize> = predicate.into_iter().collect();
        let source_of =
            |index: usize| Some(clauses.clauses[index].body[self.sources[index]?].predicate);
        if predicate.is_none() {
            let queries = clauses.clauses.iter().enumerate().filter(|(_, c)| c.head.is_none());
            found.extend(queries.map(|(index, _)| index));
            stack.extend(found.iter().filter_map(|&index| source_of(index)));
        }
        while let Some(predicate) = stack.pop() {
            if !std::mem::replace(&mut is_needed[predicate], true) {
                found.extend(&self.by_head[predicate]);
                stack.extend(self.by_head[predicate].iter().filter_map(|&index| source_of(index)));
            }
        }
        found.sort_unstable();
        found
    }
}

/// The strongly connected component of each node, by Tarjan's algorithm with an explicit stack.
fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = successors.len();
    let (mut order, mut low) = (vec![NONE; count], vec![NONE; count]);
    let mut component = vec![NONE; count];
    let (mut path, mut number, mut found) = (Vec::new(), 0, 0);
    for root in 0..count {
        let mut stack = if order[root] == NONE { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, next)) = stack.pop() {
            if next == 0 {
                (order[node], low[node]) = (number, number);
                number += 1;
                path.push(node);
            }
            match successors[node].get(next) {
                Some(&other) => {
                    stack.push((node, next + 1));
                    if order[other] == NONE {
                        stack.push((other, 0));
                    } else if component[other] == NONE {
                        low[node] = low[node].min(order[other]);
                    }
                }
                None => {
                    if low[node] == order[node] {
                        while let Some(member) = path.pop() {
                            component[member] = found;
                            if member == node {
                                break;
                            }
                        }
                        found += 1;
                    }
                    if let Some(&(parent, _)) = stack.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_found() {
        let same = |graph: &[Vec<usize>], a: usize, b: usize| {
            let found = components(graph);
            found[a] == found[b]
        };
        let graph = [vec![1], vec![2, 3], vec![0], vec![4], vec![3, 5], vec![]];
        for (a, b, expected) in
            [(0, 1, true), (0, 2, true), (3, 4, true), (0, 3, false), (4, 5, false)]
        {
            assert_eq!(same(&graph, a, b), expected, "{a} {b}");
        }
    }
}
