// Promotions, conversions and wrap-around; returns 0 if all of it goes as it should.
typedef unsigned char u8;
typedef signed char s8;
extern void reach_error(void);

static const unsigned limit = 0xffffffffu;

int main(void) {
  u8 a = 200, b = 100;
  s8 c = -1;
  short s = (short)70000;
  unsigned u = limit;
  long long wide = -1;
  _Bool flag = 256;
  if (a + b != 300 || (u8)(a + b) != 44) reach_error();
  if (c > 0 || !((unsigned)c == limit) || c != -1 || (u8)c != 255) reach_error();
  if (s != 4464 || u + 1 != 0 || -1 < 0u) reach_error();
  if (wide != (long long)c || (unsigned)wide != limit || wide > 0u) reach_error();
  if (flag != 1 || sizeof(flag) != 1 || (flag += 5) != 1) reach_error();
  a += 100; c >>= 1; b <<= 2;
  if (a != 44 || c != -1 || b != 144) reach_error();
  if (-7 / 2 != -3 || -7 % 2 != -1 || (-7 >> 1) != -4 || 7u / 2 != 3) reach_error();
  if (sizeof('a') != 4 || sizeof(1L) != sizeof(long) || sizeof(1LL) != 8) reach_error();
  if (~a != -45 || !a != 0 || (a, b) != 144 || (a ? c : u) != limit) reach_error();
  u = 1; u <<= 31;
  return u == 0x80000000 && 2147483648 > 0 && a++ == 44 && --a == 44 ? 0 : 1;
}
