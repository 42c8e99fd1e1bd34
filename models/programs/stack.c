/* Recursion that is bounded by its argument, through two functions. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned pushed, popped;

static void walk(unsigned left);

static void visit(unsigned left) {
    pushed = pushed + 1;
    walk(left - 1);
    popped = popped + 1;
    if (popped > pushed) {
        reach_error();
    }
}

static void walk(unsigned left) {
    if (left > 0) {
        visit(left);
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 5) {
        walk(n);
        if (pushed == 4) {
            reach_error(); /* wrong: n can be 4 */
        }
    }
    return 0;
}
