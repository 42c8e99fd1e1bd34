// A state machine of labels and jumps: two loops that share a block. No while, no if.

procedure ULTIMATE.start()
{
  var even: bool;
  var n: int;

  start:
    even, n := true, 0;
    goto more, done;
  more:
    even := !even;
    n := n + 1;
    goto more, both, done;
  both:
    n := n + 2;
    goto more, done;
  done:
    assert n >= 0;
    assert even == (n mod 2 == 0);
    assert n != 5;       // wrong, in several ways
}
