/* The inner counter starts at a limit that the outer loop raises. Over integers it is plainly
   positive; among words it is so because the limit stays within reach of the outer counter. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int limit = __VERIFIER_nondet_int();
    if (!(0 < limit && limit < 5000 && n < 5000)) {
        return 0;
    }
    for (int outer = 1; outer < n; outer++) {
        for (int inner = limit; inner < n; inner++) {
            if (inner < 1) {
                reach_error();
            }
        }
        if (__VERIFIER_nondet_int()) {
            limit = limit + 1;
        }
    }
    return 0;
}
