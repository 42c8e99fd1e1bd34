; Two loops in one predicate, with the program counter in two bits. Safe: what is counted
; up is counted down.
(set-logic HORN)
(declare-fun State (Bool Bool (_ BitVec 32) (_ BitVec 32) (_ BitVec 32)) Bool)
(assert (forall ((n (_ BitVec 32)) (x (_ BitVec 32)) (y (_ BitVec 32)))
  (State false false n x y)))
(assert (forall ((p Bool) (q Bool) (n (_ BitVec 32)) (x (_ BitVec 32)) (y (_ BitVec 32))
                 (r Bool) (s Bool) (m (_ BitVec 32)) (u (_ BitVec 32)) (v (_ BitVec 32)))
  (=> (and (State p q n x y)
           (or ; the beginning
               (and (not p) (not q) (not r) s (= m n) (= u #x00000000) (= v #x00000000)
                    (bvslt n #x7fff0000))
               ; counts up
               (and (not p) q (not r) s (= m n) (= u (bvadd x #x00000001)) (= v (bvadd y #x00000001))
                    (bvslt x n))
               (and (not p) q r (not s) (= m n) (= u x) (= v y) (not (bvslt x n)))
               ; counts down
               (and p (not q) r (not s) (= m n) (= u (bvsub x #x00000001)) (= v (bvsub y #x00000001))
                    (not (= x #x00000000)))
               (and p (not q) r s (= m n) (= u x) (= v y) (= x #x00000000))))
      (State r s m u v))))
(assert (forall ((n (_ BitVec 32)) (x (_ BitVec 32)) (y (_ BitVec 32)))
  (=> (and (State true true n x y) (not (= y #x00000000))) false)))
(check-sat)
