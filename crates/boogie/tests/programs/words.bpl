// Bit-vectors, implementations apart from their procedures, a start.
function {:bvbuiltin "bvadd"} add(bv8, bv8) returns (bv8);
function {:bvbuiltin "zero_extend 8"} wide(x: bv8) returns (bv16);
var x: bv8;
var t: [bv8]bool;
implementation q(y: bv8) returns (z: bv8)
{
  z := add(x, y);
  assert t[z] <==> !t[y];
}
procedure q(n: bv8) returns (o: bv8);
  ensures o[4:0] ++ n[8:4] == 5bv8;
procedure ULTIMATE.start()
  modifies x;
{
  call x := q(x);
  assert {:reason 1} x != 0bv8 && wide(x) == 7bv16;
}
