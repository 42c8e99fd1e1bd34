// A loop made of jumps: the invariant stands at the label.
extern void reach_error(void);

int main(void) {
  unsigned char x = 0, y = 10;
again:
  if (x < 10) {
    x++;
    y--;
    goto again;
  }
  if (y != 0)
    reach_error();
  return 0;
}
