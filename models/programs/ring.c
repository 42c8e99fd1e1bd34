// A ring buffer: its counters stay in step. The array of four elements becomes four variables.
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

struct ring {
  unsigned char data[4];
  unsigned first, count;
};

int main(void) {
  struct ring r = {{0}, 0, 0};
  unsigned char put = 0, got = 0;
  while (1) {
    if (__VERIFIER_nondet_uchar() && r.count < 4) {
      r.data[(r.first + r.count) & 3] = put & 1;
      r.count++;
      put++;
    } else if (r.count > 0) {
      // What comes out is what went in, in order.
      if (r.data[r.first & 3] != (got & 1))
        reach_error();
      r.first = (r.first + 1) & 3;
      r.count--;
      got++;
    }
    if (r.count > 4)
      reach_error();
  }
}
