// One loop moves a number from x to y. The invariant is x + y == n.

procedure main(n: int)
  requires n >= 0;
{
  var x, y: int;
  x, y := n, 0;
  while (x > 0)
  {
    x, y := x - 1, y + 1;
  }
  assert y == n;
  assert y != 3;         // wrong for n == 3
}
