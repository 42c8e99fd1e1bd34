; The numbers of Fibonacci as a relation. Unsafe: the seventh is 13.
(set-logic HORN)
(declare-fun Fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (and (<= 0 n) (<= n 1)) (Fib n n))))
(assert (forall ((n Int) (a Int) (b Int))
  (=> (and (> n 1) (Fib (- n 1) a) (Fib (- n 2) b)) (Fib n (+ a b)))))
(assert (forall ((n Int) (f Int)) (=> (and (Fib n f) (= n 7)) (not (= f 13)))))
(check-sat)
