// Nested loops, a break out of both, and a number that is the same on all ways.

procedure main(rows, columns: int)
  requires 0 <= rows && 0 <= columns;
{
  var i, j, seen: int;
  i, seen := 0, 0;
  all: while (i < rows)
    invariant 0 <= i && i <= rows;
  {
    j := 0;
    while (j < columns)
      invariant 0 <= j && j <= columns;
    {
      j, seen := j + 1, seen + 1;
      if (seen == 4) { break all; }
    }
    i := i + 1;
  }
  assert seen <= 4;
  assert i < rows ==> seen == 4;
  assert seen == 4 ==> i < rows;
  assert seen == 4 ==> j == 4;         // wrong: the rows may be shorter
}
