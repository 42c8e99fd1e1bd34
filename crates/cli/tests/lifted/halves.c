/* The first loop takes half of n away, in steps of two; the second the other half. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 1000) {
        return 0;
    }
    int left = n;
    for (int i = 0; i < n; i += 2) {
        left--;
    }
    for (int j = 0; j < n / 2; j++) {
        if (left <= 0) {
            reach_error();
        }
        left--;
    }
    int sum = 0;
    for (int i = 0; i < 200; i++) {
        sum += i;
    }
    if (sum < 0) {
        reach_error();
    }
    return 0;
}
