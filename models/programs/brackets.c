/* Two functions that call each other and count in a global. One assertion is inside of them. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static unsigned open_brackets;

static void list(void);

static void item(void) {
    if (__VERIFIER_nondet_int()) {
        unsigned before = open_brackets;
        open_brackets = open_brackets + 1;
        list();
        if (open_brackets != before + 1) {
            reach_error();
        }
        if (before == 2) {
            reach_error(); /* wrong: two brackets are open */
        }
        open_brackets = open_brackets - 1;
    }
}

static void list(void) {
    while (__VERIFIER_nondet_int()) {
        item();
    }
}

int main(void) {
    open_brackets = 0;
    list();
    if (open_brackets != 0) {
        reach_error();
    }
    return 0;
}
