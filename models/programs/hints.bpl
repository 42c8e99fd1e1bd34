// Loop invariants are checked where the loop begins: before it and after each turn.

procedure turns(n: int)
{
  var i, s: int;
  i, s := 0, 0;
  while (i < n)
    invariant 0 <= i;
    invariant s + 1 >= i;
    invariant s < 6;     // wrong after four turns
  {
    s := s + i;
    i := i + 1;
  }
}

procedure entry(n: int)
{
  var i: int;
  i := n;
  while (i > 0)
    invariant i <= n;
    invariant i >= 0;    // wrong before the first turn, if n is negative
  {
    i := i - 1;
  }
  assert i <= 0;
}
