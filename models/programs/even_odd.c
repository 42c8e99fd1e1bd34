/* Two functions that call each other. The sum of what they return needs a relation
   between the parity of a number and each result. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void check(int condition) {
    if (!condition) {
        reach_error();
    }
}

int is_odd(int n);

int is_even(int n) {
    if (n == 0) {
        return 1;
    }
    return is_odd(n - 1);
}

int is_odd(int n) {
    if (n == 0) {
        return 0;
    }
    return is_even(n - 1);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0) {
        return 0;
    }
    int odd = is_odd(n);
    check(odd == n % 2);
    check(is_even(n) + odd == 1);
    /* Wrong from the ninth call on. */
    check(n < 9 || odd == 1);
    return 0;
}
