// Recursion inside of an argument: the result is larger than both arguments.

procedure ackermann(m: int, n: int) returns (r: int)
{
  var inner: int;
  if (m == 0) { r := n + 1; return; }
  if (n == 0) { call r := ackermann(m - 1, 1); return; }
  call inner := ackermann(m, n - 1);
  call r := ackermann(m - 1, inner);
}

procedure main(m: int, n: int)
{
  var r: int;
  assume m >= 0 && n >= 0;
  call r := ackermann(m, n);
  assert r > n;
  assert r > 0;
  assert r != 7;         // wrong: ackermann(1, 5)
}
