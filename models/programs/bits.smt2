; A bit-vector that is shifted to the left from 1 has one bit, or none at the end.
(set-logic HORN)
(declare-fun Inv ((_ BitVec 8)) Bool)
(assert (Inv #x01))
(assert (forall ((x (_ BitVec 8))) (=> (Inv x) (Inv (bvshl x #x01)))))
(assert (forall ((x (_ BitVec 8))) (=> (and (Inv x) (not (= (bvand x (bvsub x #x01)) #x00))) false)))
(check-sat)
