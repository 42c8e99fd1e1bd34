// Two loops over large arrays, and one that looks at all elements. The proof speaks of all of them: what was
// filled so far is not negative, and what was copied so far is not, either.
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}

#define SIZE 50000

int main(void) {
    int from[SIZE], to[SIZE];
    for (int i = 0; i < SIZE; i++) {
        int value = __VERIFIER_nondet_int();
        from[i] = value < 0 ? 0 : value;
    }
    for (int i = 0; i < SIZE; i++) {
        to[i] = from[i];
    }
    for (int i = 0; i < SIZE; i++) {
        if (to[i] < 0) {
            reach_error();
        }
    }
    return 0;
}
