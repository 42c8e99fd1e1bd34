/* A loop with two phases: no run of a few steps sees the second one. */
extern void reach_error(void);

int main(void) {
    int x = 0;
    int y = 3000;
    while (x < 6000) {
        if (x >= 3000) {
            y++;
        }
        x++;
    }
    if (x != y) {
        reach_error();
    }
    return 0;
}
