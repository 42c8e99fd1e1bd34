// Arrays, structs, unions, pointers, initialisers; returns 0 if all of it goes as it should.
extern void reach_error(void);
extern void *malloc(unsigned int size);
typedef struct node { int value; unsigned char tag; struct node *next; } node_t;
union word { int whole; unsigned char first; };

int grid[2][3] = {{1, 2, 3}, [1] = {[2] = 6, [0] = 4}};
node_t nodes[3] = {{.value = 7, .tag = 1}, {8, 2, &nodes[0]}};
char text[] = "ab\n";
static node_t *last = &nodes[1];

void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int sum(const int *p, int n) { int s = 0; while (n-- > 0) s += *p++; return s; }
node_t make(int value) { node_t n = {value, 3}; return n; }
int take(node_t n) { n.value++; return n.value; }

int main(void) {
  int x = 1, y = 2, a[4] = {5, 6}, *p = &x;
  swap(&x, &y);
  if (x != 2 || y != 1 || *p != 2) reach_error();
  p = a + 1; *p += 10; p[2] = 3; p++;
  if (sum(a, 4) != 24 || p - a != 2 || *p != 0) reach_error();
  if (sum(grid[1], 3) != 10 || sum(&grid[0][0], 6) != 16 || sizeof grid != 24) reach_error();
  if (last->next->value != 7 || last[-1].tag != 1) reach_error();
  last++; last->value = 9; last->tag = 77;
  if (nodes[2].value != 9 || nodes[2].tag != 77 || nodes[2].next != 0) reach_error();
  node_t copy = nodes[1], *heap = malloc(sizeof(node_t));
  *heap = make(20); heap->next = &copy;
  if (heap->next->value != 8 || take(*heap) != 21 || heap->value != 20) reach_error();
  union word w; w.whole = 0x01020304; w.first++;
  if (w.whole != 0x01020305 || sizeof(w) != 4) reach_error();
  unsigned length = 0; for (char *c = text; *c; c++) length += (*c == '\n') ? 10 : 1;
  if (length != 12 || sizeof text != 4 || "xyz"[1] != 'y') reach_error();
  int *either = length > 5 ? &x : &y;
  *either = 100;
  return !(x == 100 && y == 1);
}
