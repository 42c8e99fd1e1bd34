// Bit-fields; returns 0 if all of it goes as it should.
extern void reach_error(void);
struct flags { unsigned a : 3; int b : 5; unsigned : 4; unsigned c : 20; unsigned d : 4; char e; };
struct mixed { char x; int y : 4; short z; int : 0; unsigned w : 1; };
struct packed { int a : 30; int b : 30; } __attribute__((packed));
union both { struct { unsigned low : 4; unsigned high : 28; } parts; unsigned whole; };
struct flags table[2] = {{1, -2, 3, 4, 5}, {.d = 15, .a = 7}};

int main(void) {
  struct flags f = {9, 15, 1 << 19, 7, 'q'}, g, *p = &f;
  if (f.a != 1 || f.b != 15 || f.c != 524288 || f.d != 7 || f.e != 'q') reach_error();
  f.b = 16; f.a += 8; p->d--;
  if (f.b != -16 || f.a != 1 || f.d != 6 || f.c != 524288 || (f.a = 10) != 2) reach_error();
  if (sizeof(struct flags) != 8 || sizeof(struct mixed) != 8) reach_error();
  if (sizeof(struct packed) != 8 || sizeof table != 16) reach_error();
  // An unsigned one that fits is promoted to int.
  if (f.a - 3 >= 0 || -f.d >= 0 || f.a << 2 != 8) reach_error();
  g = f; g.c = 1; p = &g;
  if (f.c != 524288 || p->c != 1 || g.b != -16 || p->b++ != -16 || g.b != -15) reach_error();
  if (table[0].b != -2 || table[1].d != 15 || table[1].a != 7 || table[1].c) reach_error();
  int i = 1; table[i].c = 77; table[0].d = table[i].a;
  if (table[1].c != 77 || table[0].d != 7 || table[0].c != 3) reach_error();
  struct mixed m = {'a', -3, 9, 1};
  m.y ^= 1; m.w = !m.w;
  if (m.x != 'a' || m.y != -4 || m.z != 9 || m.w) reach_error();
  union both u; u.whole = 0x12345678;
  if (u.parts.low != 8 || u.parts.high != 0x1234567) reach_error();
  u.parts.low = 1;
  if (u.whole != 0x12345671) reach_error();
  struct packed k; k.a = -5; k.b = 6;
  if (k.a + k.b != 1) reach_error();
  switch (f.d) { case 6: return 0; default: reach_error(); }
  return 1;
}
