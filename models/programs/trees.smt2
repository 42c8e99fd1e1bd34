; The leaves and the inner nodes of a binary tree: two predicates in a body, and one fact.
(set-logic HORN)
(declare-fun Tree (Int Int) Bool)
(assert (Tree 1 0))
(assert (forall ((a Int) (b Int) (c Int) (d Int))
  (=> (and (Tree a b) (Tree c d)) (Tree (+ a c) (+ b d 1)))))
(assert (forall ((leaves Int) (inner Int))
  (=> (and (Tree leaves inner) (not (= leaves (+ inner 1)))) false)))
(check-sat)
