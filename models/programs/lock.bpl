// A lock that procedures take and give back. Both check how they are called.

var locked: bool;
var owner: int;

procedure take(who: int)
  modifies locked, owner;
{
  assert !locked;
  locked, owner := true, who;
}

procedure give(who: int)
  modifies locked, owner;
{
  assert locked && owner == who;
  locked, owner := false, 0;
}

procedure ULTIMATE.start()
  modifies locked, owner;
{
  var work: int;
  locked := false;
  while (*)
  {
    havoc work;
    call take(work);
    if (work > 0) { work := work - 1; } else { work := 0; }
    call give(work);     // wrong: the number has changed meanwhile
  }
}
