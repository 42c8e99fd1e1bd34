/* A lock that must not be taken twice. The second loop forgets to release it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int held = 0;

static void take(void) {
    if (held) {
        reach_error();
    }
    held = 1;
}

static void release(void) { held = 0; }

int main(void) {
    while (__VERIFIER_nondet_int()) {
        take();
        release();
    }
    while (__VERIFIER_nondet_int()) {
        take();
    }
    return 0;
}
