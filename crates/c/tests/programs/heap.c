// Lists on the heap, calls through pointers, strings; returns 0 if all of it goes as it should.
extern void reach_error(void);
extern void *malloc(unsigned long size);
extern void *calloc(unsigned long count, unsigned long size);
extern void free(void *p);
extern unsigned long strlen(const char *s);
extern int strcmp(const char *a, const char *b);
extern int strncmp(const char *a, const char *b, unsigned long n);
extern char *strcpy(char *d, const char *s);
extern char *strncpy(char *d, const char *s, unsigned long n);
extern char *strchr(const char *s, int c);
extern void *memset(void *d, int c, unsigned long n);
extern void *memcpy(void *d, const void *s, unsigned long n);
extern void *memmove(void *d, const void *s, unsigned long n);
extern int abs(int n);

typedef struct node { int value; struct node *next; int pair[2]; } node_t;
typedef int (*step_t)(int);
struct machine { step_t step; void (*log)(int, int *); };

node_t *push(node_t *list, int value) {
  node_t *n = malloc(sizeof(node_t));
  n->value = value;
  n->next = list;
  n->pair[1] = -value;
  return n;
}
int twice(int x) { return 2 * x; }
int next(int x) { return x + 1; }
void note(int x, int *into) { *into += x; }
int apply(step_t f, int x) { return (*f)(f(x)); }
static int never(char *p) { return *p; }

int main(void) {
  node_t *list = 0, *n;
  int i, sum = 0;
  for (i = 1; i <= 5; i++) list = push(list, i);
  list->next->value = 40;
  for (n = list; n; n = n->next) sum += n->value;
  if (sum != 51 || list->next->next->pair[1] != -3) reach_error();
  node_t *first = list;
  list = list->next;
  free(first);
  if (list->value != 40 || list->next->value != 3) reach_error();
  for (i = 0; i < 3; i++) {
    node_t *zero = calloc(1, sizeof(node_t));
    if (zero->value || zero->next || zero->pair[0] || zero->pair[1]) reach_error();
    zero->pair[1] = 7;
  }

  struct machine m = {twice, 0};
  int (*other)(char *) = never;
  if (apply(m.step, 3) != 12 || apply(next, 3) != 5 || m.log || !other) reach_error();
  m.log = &note;
  m.log(5, &sum); (*m.log)(6, &sum);
  if (sum != 62) reach_error();
  m.step = sum ? next : twice;
  if (m.step(1) != 2) reach_error();

  char text[8] = "abc", copy[8] = {0};
  strcpy(copy, text); copy[0] = 'x';
  if (strcmp(copy, "xbc") != 0 || *strchr(copy, 'c') != 'c' || strchr(copy, 'q')) reach_error();
  strncpy(copy, "hello", 2);
  if (strcmp(copy, "hec") != 0) reach_error();
  memmove(copy + 1, copy, 3);
  if (strcmp(copy, "hhec") != 0) reach_error();

  int a[4] = {1, 2, 3, 4}, b[4];
  memcpy(b, a, sizeof a);
  memmove(a + 1, a, 3 * sizeof(int));
  if (b[3] != 4 || a[0] != 1 || a[1] != 1 || a[3] != 3) reach_error();
  memset(a, 0, sizeof a);
  if (a[0] || a[3] || b[0] != 1) reach_error();
  node_t one = {1, list, {2, 3}}, two;
  memcpy(&two, &one, sizeof(node_t));
  memset(&one, 0, sizeof one);
  if (two.pair[1] != 3 || two.next != list || one.pair[1] || one.next) reach_error();

  volatile int v = 3;
  v += (sum ?: 9) + (0 ?: 1);
  if (v != 66 || abs(-4) != 4) reach_error();
  sum ? (void)0 : reach_error();
  // Most random runs end here: the values of unequal strings are left open.
  if (strlen(text) != 3 || strcmp(text, "abc") || strcmp(text, "abd") >= 0) reach_error();
  if (strcmp("b", text) <= 0 || strncmp(text, "abx", 2) != 0) reach_error();
  return 0;
}
