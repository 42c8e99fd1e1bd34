/* Recursion that is three calls deep. */
extern void reach_error(void);

static unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

int main(void) {
    if (factorial(3) != 6) {
        reach_error();
    }
    return 0;
}
