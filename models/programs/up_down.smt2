; One variable goes down while another goes up. Safe, but only by a relation: x + y = n.
(set-logic HORN)
(declare-fun Loop (Int Int Int) Bool)
(assert (forall ((n Int)) (=> (>= n 0) (Loop n n 0))))
(assert (forall ((n Int) (x Int) (y Int))
  (=> (and (Loop n x y) (> x 0)) (Loop n (- x 1) (+ y 1)))))
(assert (forall ((n Int) (x Int) (y Int))
  (=> (and (Loop n x y) (<= x 0)) (= y n))))
(check-sat)
