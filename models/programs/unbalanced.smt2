; A search tree may have seven nodes, which takes a derivation with three levels.
(set-logic HORN)
(declare-fun Tree (Int) Bool)
(assert (Tree 0))
(assert (forall ((a Int) (b Int)) (=> (and (Tree a) (Tree b)) (Tree (+ a b 1)))))
(assert (forall ((n Int)) (=> (and (Tree n) (= n 7)) false)))
(check-sat)
