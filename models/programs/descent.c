/* Recursion as deep as an input wants: no depth is enough for a proof, but a summary is. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned twice(unsigned n) { return n == 0 ? 0 : 2 + twice(n - 1); }

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned result = twice(n);
    if (result % 2 == 1) {
        reach_error();
    }
    if (result == 6) {
        reach_error(); /* wrong: three calls deep */
    }
    return 0;
}
