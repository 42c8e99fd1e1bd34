/* Steps of two keep a number even, also when it wraps around. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    unsigned x = 0;
    while (__VERIFIER_nondet_int()) {
        x += 2;
    }
    if (x % 2 == 1) {
        reach_error();
    }
    return 0;
}
