; A byte that grows by three. Unsafe, since it wraps around: after 86 steps it is 2.
(set-logic HORN)
(declare-fun Loop ((_ BitVec 8)) Bool)
(assert (Loop #x00))
(assert (forall ((x (_ BitVec 8))) (=> (Loop x) (Loop (bvadd x #x03)))))
(assert (forall ((x (_ BitVec 8))) (=> (and (Loop x) (= x (_ bv2 8))) false)))
(check-sat)
