; Two counters that move together, or not at all: their difference is kept.
(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(assert (forall ((x Int)) (=> (>= x 0) (Inv x (+ x 3)))))
(assert (forall ((x Int) (y Int)) (=> (Inv x y) (Inv (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (Inv x y) (Inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x y) (not (= y (+ x 3)))) false)))
(check-sat)
