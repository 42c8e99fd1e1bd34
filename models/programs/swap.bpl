// Maps: swapping two elements twice changes nothing, whatever the indices are.

procedure swap(m: [int]int, i, j: int) returns (r: [int]int)
{
  r := m[i := m[j]][j := m[i]];
}

procedure main(m: [int]int, i, j: int)
{
  var a, b: [int]int;
  call a := swap(m, i, j);
  assert a[i] == m[j] && a[j] == m[i];
  call b := swap(a, i, j);
  assert b == m;
  assert a != m;         // wrong, for i == j at least
}
