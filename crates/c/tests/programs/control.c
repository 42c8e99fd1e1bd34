// Control flow of every kind; returns 0 if all of it goes as it should.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *)
    __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error(void) { __assert_fail("0", "control.c", 5, "reach_error"); }
void __VERIFIER_assert(int cond) {
  if (!(cond)) {
  ERROR: { reach_error(); abort(); }
  }
  return;
}

static int calls;
enum color { RED, GREEN = 5, BLUE };

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int touch(int value) { calls++; return value; }

int loops(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    if (i == 3) continue;
    if (i == 8) break;
    sum += i;
  }
  int j = 0;
  do { j += 2; if (j == 6) continue; } while (j < 9);
  while (1) { if (--j == 4) goto out; }
out:
  return sum * 10 + j;
}

int choose(int x) {
  int r = 0;
  switch (x) {
  case 1: r += 1;
  case 2: r += 2; break;
  case 4 ... 6: r = 40; break;
  default: r = 9;
  case -1: r += 100;
  }
  return r;
}

int main(void) {
  __VERIFIER_assert(fib(10) == 55);
  __VERIFIER_assert(loops() == 254);
  __VERIFIER_assert(choose(1) == 3 && choose(2) == 2 && choose(5) == 40);
  __VERIFIER_assert(choose(7) == 109 && choose(-1) == 100);
  if (touch(0) && touch(1) || touch(2)) calls += 10;
  __VERIFIER_assert(calls == 12);
  int x = touch(5) ? touch(6), calls++ : 99;
  __VERIFIER_assert(x == 14 && calls == 15);
  int y = ({ int t = x; t += BLUE; t * 2; });
  __VERIFIER_assert(y == 40);
  int n = __VERIFIER_nondet_int();
  if (n > 3) { if (!(n >= 4)) __VERIFIER_assert(0); } else if (n == RED) n = GREEN; else abort();
  __VERIFIER_assert(n >= 4);
  return __builtin_expect(n < 4, 0);
}
