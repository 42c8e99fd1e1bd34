/* A counter that stops at ten. The assertion holds: the loop ends with x == 10. */
extern void reach_error(void);

int main(void) {
    unsigned x = 0;
    while (x < 10) {
        x = x + 1;
    }
    if (x != 10) {
        reach_error();
    }
    return 0;
}
