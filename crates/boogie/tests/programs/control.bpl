// Most statements and declarations.
type ref;
type pair = [int]int;
const unique a: ref;
const b: int;
axiom b > 3;
var g, h: int;
function f(x: int): int { x * 2 }
function u(int) returns (int);

procedure p(x: int, m: pair) returns (r: int)
  requires x >= 0;
  free requires f(x) > 1;
  modifies g;
  ensures g == old(g) + r;
{
  var i, j: int;
  var k: pair;
  k := m;
  i, j := 0, x div 3;
  outer: while (i < x)
    invariant i <= x;
  {
    if (*) { k[i] := u(j); break; } else if (i == 3) { break outer; } else { havoc j; }
    i := i + 1;
  }
  goto l, m;
  l: g := g + 1; r := 1; return;
  m: r := if k[i := 1][0] == 2 then 0 else -1;
  g := g + r;
}

procedure q(s: ref) returns (n: int);
  requires s != a;
  modifies h;
  ensures h == old(h) + n;

procedure main(s: ref)
  modifies g, h;
{
  var n: int;
  var m: pair;
  call n := q(s);
  while (*) { call n := p(n, m); }
  assert n mod 2 == 0 || h > n ==> g >= 0;
}
