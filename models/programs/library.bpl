// No start: each procedure may be the first, with any globals. What main never does to half, a
// user of the library may.

var size: int;

procedure grow()
  modifies size;
{
  size := size + 1;
  assert size > old(size);
}

procedure half() returns (h: int)
{
  h := size div 2;
  assert size >= 0 ==> h >= 0;
  assert h >= 0;         // wrong if it is called first
}

procedure main()
  modifies size;
{
  var h: int;
  size := 0;
  while (*) { call grow(); }
  call h := half();
  assert h <= size;      // h was not negative, or half has failed
}
