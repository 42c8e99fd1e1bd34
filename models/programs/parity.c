// Calls are inlined; a static variable keeps its value between them.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static unsigned step(void) {
  static unsigned calls;
  calls += 2;
  return calls;
}

int main(void) {
  unsigned last = 0;
  while (__VERIFIER_nondet_int())
    last = step();
  if (last % 2 != 0)
    reach_error();
  // Six calls are enough.
  if (last == 12)
    reach_error();
  return 0;
}
