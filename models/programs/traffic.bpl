// States of a declared type, told apart by unique constants; an axiom for another constant.

type light;
const unique red, green, yellow: light;
const longest: int;
axiom 2 <= longest && longest < 6;

procedure main()
{
  var now: light;
  var seconds: int;
  now, seconds := red, 0;
  while (*)
    invariant now == red || now == green || now == yellow;
    invariant 0 <= seconds && seconds <= longest;
  {
    if (seconds < longest)
    {
      seconds := seconds + 1;
    }
    else
    {
      now := if now == red then green else if now == green then yellow else red;
      seconds := 0;
    }
  }
  assert now == green ==> now != red;
  assert seconds < 5;    // wrong: the longest phase may have 5 seconds
}
