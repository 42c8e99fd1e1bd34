/* The successor of an int is never smaller, unless the addition overflows, which is undefined. So no
   defined run reaches the error, and no verdict is given; `-p overflow` finds the overflow. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x + 1 < x) {
        reach_error();
    }
    return 0;
}
