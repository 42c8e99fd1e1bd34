// Conversions: a negative number compared with an unsigned one is large.
extern void reach_error(void);
extern signed char __VERIFIER_nondet_char(void);

int main(void) {
  signed char c = __VERIFIER_nondet_char();
  unsigned u = 10;
  // Violated: -1 < 10u is false.
  if (c < 0 && !(c < u))
    reach_error();
  // Proved: the shift keeps the sign.
  if (c < 0 && c >> 1 >= 0)
    reach_error();
  return 0;
}
