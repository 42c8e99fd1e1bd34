// Sums of odd numbers are squares: equations between products of 64 bits. As circuits of multipliers
// they are out of reach; as polynomials they are plain.
extern unsigned char __VERIFIER_nondet_uchar(void);
void reach_error(void) {}

int main(void) {
    long long n = __VERIFIER_nondet_uchar();
    long long odd = 1, square = 0;
    for (long long i = 0; i < n; i++) {
        square = square + odd;
        odd = odd + 2;
        if (square != (i + 1) * (i + 1) || 4 * square != (odd - 1) * (odd - 1)) {
            reach_error();
        }
    }
    return 0;
}
