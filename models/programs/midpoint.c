/* The middle of two numbers. The sum wraps around, so the middle can lie below both. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned low = __VERIFIER_nondet_uint();
    unsigned high = __VERIFIER_nondet_uint();
    if (low <= high) {
        unsigned middle = (low + high) / 2;
        if (middle < low) {
            reach_error();
        }
    }
    return 0;
}
