// The sum of the first n numbers. The invariant, 2 * sum + i == i * i, is not in the text: it is the
// equation of second degree that all samples of the loop satisfy.
extern unsigned int __VERIFIER_nondet_uint(void);
void reach_error(void) {}

int main(void) {
    unsigned long long n = __VERIFIER_nondet_uint();
    unsigned long long sum = 0;
    for (unsigned long long i = 1; i <= n; i++) {
        sum += i;
    }
    if (2 * sum != n * (n + 1)) {
        reach_error();
    }
    return 0;
}
