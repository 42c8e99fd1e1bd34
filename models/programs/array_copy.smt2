; What was stored last is what is read. Safe.
(set-logic HORN)
(declare-fun Loop ((Array Int Int) Int Bool) Bool)
(assert (Loop ((as const (Array Int Int)) 0) 0 false))
(assert (forall ((a (Array Int Int)) (i Int) (b Bool))
  (=> (Loop a i b) (let ((j (+ i 1))) (Loop (store a j (* 2 j)) j true)))))
(assert (forall ((a (Array Int Int)) (i Int) (b Bool))
  (=> (and (Loop a i b) (or b (= i 0))) (= (select a i) (+ i i)))))
(check-sat)
