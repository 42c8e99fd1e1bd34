// Division in a loop: the digits of a number.

procedure main(number: int)
  requires number > 0;
{
  var rest, count: int;
  rest, count := number, 0;
  while (rest > 0)
    invariant rest >= 0;
  {
    assert 0 <= rest mod 10 && rest mod 10 <= 9;
    rest, count := rest div 10, count + 1;
  }
  assert count >= 1;
  assert count != 2;     // wrong for 10
}
