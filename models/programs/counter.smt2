; A counter that stops at ten. Safe: 0 <= x <= 10.
(set-logic HORN)
(declare-fun Loop (Int) Bool)
; x := 0
(assert (forall ((x Int)) (=> (= x 0) (Loop x))))
; while (x < 10) x := x + 1
(assert (forall ((x Int) (y Int)) (=> (and (Loop x) (< x 10) (= y (+ x 1))) (Loop y))))
; assert x = 10 after the loop
(assert (forall ((x Int)) (=> (and (Loop x) (>= x 10) (distinct x 10)) false)))
(check-sat)
