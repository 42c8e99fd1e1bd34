; McCarthy's function: two calls of itself in one clause. Safe: it is 91 up to 101.
(set-logic HORN)
(define-fun limit () Int 100)
(declare-fun M (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n limit) (M n (- n 10)))))
(assert (forall ((n Int) (m Int) (r Int))
  (=> (and (<= n limit) (M (+ n 11) m) (M m r)) (M n r))))
(assert (forall ((n Int) (r Int)) (=> (and (M n r) (<= n 101)) (= r 91))))
(check-sat)
