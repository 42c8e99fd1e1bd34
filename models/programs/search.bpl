// A linear search in a map. What is found is there; what is not found may still be elsewhere.

procedure search(m: [int]int, n, key: int) returns (at: int)
  requires n >= 0;
{
  at := 0;
  while (at < n)
    invariant 0 <= at && at <= n;
  {
    if (m[at] == key) { break; }
    at := at + 1;
  }
  assert at < n ==> m[at] == key;
  assert at == n ==> m[n] != key;   // wrong: the search ends before
}
