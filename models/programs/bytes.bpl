// Bit-vectors: the mean of two bytes, with and without overflow.

function {:bvbuiltin "bvadd"} add(bv8, bv8) returns (bv8);
function {:bvbuiltin "bvlshr"} shift(bv8, bv8) returns (bv8);
function {:bvbuiltin "bvand"} and(bv8, bv8) returns (bv8);
function {:bvbuiltin "bvxor"} xor(bv8, bv8) returns (bv8);
function {:bvbuiltin "bvule"} le(bv8, bv8) returns (bool);

function mean(x: bv8, y: bv8) returns (bv8) { add(and(x, y), shift(xor(x, y), 1bv8)) }
function naive(x: bv8, y: bv8) returns (bv8) { shift(add(x, y), 1bv8) }

procedure main(x, y: bv8)
{
  if (le(x, y))
  {
    assert le(x, mean(x, y)) && le(mean(x, y), y);
    assert le(x, naive(x, y));         // wrong: the sum may overflow
    assert x[8:4] ++ x[4:0] == x;
  }
}
