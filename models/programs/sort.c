// Three exchanges sort three numbers; all indices are constants.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int a[3];

void exchange(int *x, int *y) {
  if (*x > *y) {
    int t = *x;
    *x = *y;
    *y = t;
  }
}

int main(void) {
  for (int i = 0; i < 3; i++)
    a[i] = __VERIFIER_nondet_int();
  exchange(&a[0], &a[1]);
  exchange(&a[1], &a[2]);
  if (a[0] > a[2])
    reach_error();
  // One exchange is missing.
  if (a[0] > a[1])
    reach_error();
  return 0;
}
