// Two procedures that call each other, and one that keeps its locals over a call of itself.

procedure even(n: int) returns (yes: bool)
  requires n >= 0;
  ensures yes == (n mod 2 == 0);
{
  if (n == 0) { yes := true; return; }
  call yes := odd(n - 1);
}

procedure odd(n: int) returns (yes: bool)
  requires n >= 0;
  ensures yes == (n mod 2 == 1);
{
  if (n == 0) { yes := false; return; }
  call yes := even(n - 1);
}

procedure sum(n: int) returns (s: int)
  ensures n >= 0 ==> s >= n;
  ensures s != 6;        // wrong: 1 + 2 + 3
{
  var kept: int;
  kept := n;
  if (n <= 0) { s := 0; return; }
  call s := sum(n - 1);
  assert kept == n;
  s := s + kept;
}
