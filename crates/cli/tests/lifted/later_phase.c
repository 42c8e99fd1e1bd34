/* From its 50,000th turn on the first loop does something else, and the second takes that back: no
   run of a few turns shows it. */
extern void reach_error(void);

int main(void) {
    unsigned x = 0, y = 0;
    while (x < 100000) {
        if (x >= 50000) {
            y++;
        }
        x++;
    }
    if (y > x) {
        reach_error();
    }
    while (y > 0) {
        y--;
        x--;
    }
    if (x != 50000) {
        reach_error();
    }
    return 0;
}
