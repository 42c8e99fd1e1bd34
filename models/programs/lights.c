// A crossing as a switch: the two lights are never green together.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

enum state { NORTH, NORTH_ENDS, WEST, WEST_ENDS };

int main(void) {
  enum state s = NORTH;
  _Bool north = 1, west = 0;
  while (__VERIFIER_nondet_int()) {
    switch (s) {
    case NORTH:
      s = NORTH_ENDS;
      break;
    case NORTH_ENDS:
      north = 0;
      west = 1;
      s = WEST;
      break;
    case WEST:
      s = WEST_ENDS;
      break;
    default:
      west = 0;
      north = 1;
      s = NORTH;
    }
    if (north && west)
      reach_error();
  }
  if (!north && !west)
    reach_error();
  return 0;
}
