// A ball between two walls. What keeps it there is where it will be next, and that its speed is
// at most one; seen from the walls alone, it is x + y, x + 2y, x + 3y ≤ 60, and so on.
procedure main()
{
  var x, y : int;
  x := 0;
  y := 1;
  while (*)
  {
    x := x + y;
    if (x >= 60 || x <= -40) { y := -y; }
    assert x <= 60;
    assert x >= -40;
  }
}
