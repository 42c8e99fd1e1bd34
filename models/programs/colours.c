/* No loop: three of these four pieces are next to each other, and products say that their colours
   differ. Two colours are too few for that, three are enough. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void abort(void);

static int colour(int count) {
    int c = __VERIFIER_nondet_int();
    if (c < 0 || c >= count) {
        abort();
    }
    return c;
}

static void differ(int a, int b) {
    if ((a - b) * (b - a) >= 0) {
        abort();
    }
}

int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 2 || count > 3) {
        abort();
    }
    int a = colour(3), b = colour(3), c = colour(3), d = colour(3);
    differ(a, b);
    differ(b, c);
    differ(a, c);
    differ(c, d);
    if (count == 2 && a < count && b < count && c < count) {
        reach_error();
    }
    if (a == d) {
        reach_error();
    }
    return 0;
}
