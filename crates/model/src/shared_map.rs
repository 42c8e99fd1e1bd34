//! Ordered maps whose copies share what they have in common, so that a copy costs nothing and a
//! change costs a path: a run that writes an array a million times and keeps old states is cheap.
//!
//! Weight-balanced trees (Nievergelt and Reingold 1973; Adams 1992), with the parameters ⟨3, 2⟩
//! that Hirai and Yamamoto (2011) showed to be right for insertion and deletion. A node that no
//! other copy shares is changed in place.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A map from keys to values, in the order of keys.
#[derive(Clone)]
pub(crate) struct SharedMap<K, V> {
    root: Link<K, V>,
}

type Link<K, V> = Option<Arc<Node<K, V>>>;

#[derive(Clone)]
struct Node<K, V> {
    key: K,
    value: V,
    /// How many nodes this tree has.
    size: usize,
    left: Link<K, V>,
    right: Link<K, V>,
}

/// One tree beside another may be up to this many times as heavy.
const BALANCED: usize = 3;
/// A heavy tree whose inner part is at least this many times as heavy as its outer part is rotated
/// twice.
const INNER: usize = 2;

fn weight<K, V>(link: &Link<K, V>) -> usize {
    link.as_ref().map_or(1, |node| node.size + 1)
}

impl<K, V> SharedMap<K, V> {
    /// Without entries.
    pub(crate) fn new() -> SharedMap<K, V> {
        SharedMap { root: None }
    }

    /// The entries in the order of keys.
    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        let mut iter = Iter { above: Vec::new() };
        iter.descend(&self.root);
        iter
    }

    /// Whether both are one and the same tree.
    pub(crate) fn is_same(&self, other: &SharedMap<K, V>) -> bool {
        match (&self.root, &other.root) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl<K: Clone + Ord, V: Clone> SharedMap<K, V> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let mut at = &self.root;
        while let Some(node) = at {
            at = match key.cmp(&node.key) {
                Ordering::Less => &node.left,
                Ordering::Greater => &node.right,
                Ordering::Equal => return Some(&node.value),
            };
        }
        None
    }

    /// Gives a key its value, in place of the one that it has.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        insert(&mut self.root, key, value);
    }

    /// Takes a key out.
    pub(crate) fn remove(&mut self, key: &K) {
        if self.get(key).is_some() {
            remove(&mut self.root, key);
        }
    }
}

fn insert<K: Clone + Ord, V: Clone>(link: &mut Link<K, V>, key: K, value: V) {
    let Some(node) = link else {
        *link = Some(Arc::new(Node { key, value, size: 1, left: None, right: None }));
        return;
    };
    let node = Arc::make_mut(node);
    match key.cmp(&node.key) {
        Ordering::Less => insert(&mut node.left, key, value),
        Ordering::Greater => insert(&mut node.right, key, value),
        Ordering::Equal => node.value = value,
    }
    node.balance();
}

/// Takes out a key that is there.
fn remove<K: Clone + Ord, V: Clone>(link: &mut Link<K, V>, key: &K) {
    let Some(shared) = link else { return };
    let node = Arc::make_mut(shared);
    match key.cmp(&node.key) {
        Ordering::Less => remove(&mut node.left, key),
        Ordering::Greater => remove(&mut node.right, key),
        Ordering::Equal => {
            let Some(next) = first(&node.right) else {
                *link = node.left.take();
                return;
            };
            // The next key takes the place.
            (node.key, node.value) = (next.key.clone(), next.value.clone());
            let next = node.key.clone();
            remove(&mut node.right, &next);
        }
    }
    node.balance();
}

/// The node with the least key.
fn first<K, V>(link: &Link<K, V>) -> Option<&Node<K, V>> {
    let mut node = link.as_deref()?;
    while let Some(left) = node.left.as_deref() {
        node = left;
    }
    Some(node)
}

impl<K: Clone, V: Clone> Node<K, V> {
    /// Puts it in order after one of its trees has become larger or smaller by one.
    fn balance(&mut self) {
        let (left, right) = (weight(&self.left), weight(&self.right));
        if right > BALANCED * left {
            let heavy = Arc::make_mut(self.right.as_mut().expect("heavier than another"));
            if weight(&heavy.left) >= INNER * weight(&heavy.right) {
                heavy.rotate_right();
            }
            self.rotate_left();
        } else if left > BALANCED * right {
            let heavy = Arc::make_mut(self.left.as_mut().expect("heavier than another"));
            if weight(&heavy.right) >= INNER * weight(&heavy.left) {
                heavy.rotate_left();
            }
            self.rotate_right();
        } else {
            self.count();
        }
    }

    fn count(&mut self) {
        self.size = weight(&self.left) + weight(&self.right) - 1;
    }

    /// The right tree's root becomes the root.
    fn rotate_left(&mut self) {
        let mut below = self.right.take().expect("a tree to the right");
        let inner = Arc::make_mut(&mut below);
        self.right = inner.left.take();
        self.count();
        std::mem::swap(self, inner);
        self.left = Some(below);
        self.count();
    }

    /// The left tree's root becomes the root.
    fn rotate_right(&mut self) {
        let mut below = self.left.take().expect("a tree to the left");
        let inner = Arc::make_mut(&mut below);
        self.left = inner.right.take();
        self.count();
        std::mem::swap(self, inner);
        self.right = Some(below);
        self.count();
    }
}

/// The entries of a map in order.
pub(crate) struct Iter<'a, K, V> {
    /// The nodes that come next, each with what is right of it, the last one first.
    above: Vec<&'a Node<K, V>>,
}

impl<'a, K, V> Iter<'a, K, V> {
    fn descend(&mut self, mut link: &'a Link<K, V>) {
        while let Some(node) = link {
            self.above.push(node);
            link = &node.left;
        }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        let node = self.above.pop()?;
        self.descend(&node.right);
        Some((&node.key, &node.value))
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SharedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeMap;

    /// Sizes are right and no tree is too heavy; gives the number of nodes.
    fn check(link: &Link<u64, u64>) -> usize {
        let Some(node) = link else { return 0 };
        let (left, right) = (weight(&node.left), weight(&node.right));
        assert!(left <= BALANCED * right && right <= BALANCED * left, "{left} beside {right}");
        assert_eq!(node.size, check(&node.left) + check(&node.right) + 1);
        node.size
    }

    #[test]
    fn as_a_map_of_std_and_copies_stay_as_they_are() {
        let mut dice = Random::new(1);
        let (mut map, mut known) = (SharedMap::new(), BTreeMap::new());
        let mut copies = Vec::new();
        for round in 0..4_000 {
            let (key, value) = (dice.word() % 300, dice.word());
            // More is added at first, more is taken out later.
            if dice.below(4_000) > round {
                map.insert(key, value);
                known.insert(key, value);
            } else {
                map.remove(&key);
                known.remove(&key);
            }
            assert_eq!(check(&map.root), known.len());
            assert_eq!(map.get(&key), known.get(&key));
            if round % 97 == 0 {
                copies.push((map.clone(), known.clone()));
            }
        }
        assert!(copies.iter().any(|(_, known)| known.len() > 100));
        for (map, known) in copies {
            assert!(map.iter().eq(known.iter()));
            assert!(map.is_same(&map.clone()));
        }
    }

    #[test]
    fn keys_in_order_keep_it_balanced() {
        let mut map = SharedMap::new();
        for key in 0..1_000 {
            map.insert(key, key);
            check(&map.root);
        }
        for key in 0..1_000 {
            map.remove(&key);
            check(&map.root);
        }
        assert!(map.iter().next().is_none());
    }
}
