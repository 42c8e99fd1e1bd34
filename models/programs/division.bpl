// What Boogie says of division: the remainder is never negative, and division by zero is some
// function of the dividend.

procedure main(a, b: int)
{
  assert -7 div 2 == -4 && -7 mod 2 == 1;
  assert 7 div -2 == -3 && 7 mod -2 == 1;
  assert a == 3 * (a div 3) + a mod 3;
  assert a div 0 == b div 0 || a != b;
  assert a div 0 == 0;   // wrong: it may be any number
}
