/* Compound literals, structs as values, lists without inner braces, old-style definitions, copies of
   parts of structs, and what gcc knows without a header. Returns 0. */
void *malloc(unsigned long);
void free(void *);
void *memset(void *, int, unsigned long);
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);

struct point { int x, y; };
struct box { int a[3]; int n; };
struct head { int kind; struct point at; int *next; };

int pairs[][2] = {1, 2, 3};
struct point points[] = {1, 2, {3}, [4] = {9}, 5};
struct point *origin = &(struct point){7, 8};
struct point copied = (struct point){.y = 6};

static int sum(struct point *p) { return p->x + p->y; }
static int moved(struct point p) { p.x++; return p.x * 10 + p.y; }
static struct point made(int x, int y) { struct point p = {x, y}; return p; }
static struct point other(int y) { return (struct point){.y = y}; }
static struct box boxed(int n) {
    struct box b = {{0}, n};
    for (int i = 0; i < n; i++) b.a[i] = i + 1;
    return b;
}
static int old(a, b, c) int a; char b; short c; { return a + b + c; }
static int plain(n) { return n + 1; }

static void *take(unsigned long size) { void *p = malloc(size); return p; }
static void *take_more(int size, int flags) { (void)flags; return take(size); }

static int literals(void) {
    int *a = (int[]){1, 2, 3};
    a[1] = 9;
    if (a[0] + a[1] + a[2] != 13 || sizeof((int[]){1, 2}) != 8) return 1;
    if (sum(&(struct point){1, 2}) != 3 || moved((struct point){.y = 4}) != 14) return 2;
    if (((struct point){5, 6}).y != 6 || (int){3} != 3) return 3;
    int total = 0;
    for (int i = 0; i < 3; i++) {
        int *p = &(int){i};
        total += ++*p;
    }
    if (total != 6) return 4;
    struct point p = total ? made(1, 2) : other(3), q = total > 9 ? p : other(4);
    if (p.y != 2 || q.x != 0 || q.y != 4) return 5;
    return total && ((struct point){0, 1}).x ? 6 : 0;
}

static int results(void) {
    if (made(3, 4).y != 4 || boxed(3).a[2] != 3 || boxed(2).n != 2) return 11;
    if (moved(made(1, 2)) != 22 || moved(other(5)) != 15) return 12;
    struct box b = boxed(1), *p = &b;
    *p = boxed(2);
    return b.n == 2 && b.a[1] == 2 ? 0 : 13;
}

static int lists(void) {
    if (sizeof pairs != 16 || pairs[1][0] != 3 || pairs[1][1] != 0) return 21;
    if (sizeof points != 6 * sizeof *points || points[0].y != 2 || points[1].x != 3) return 22;
    if (points[4].x != 9 || points[5].x != 5 || points[3].x != 0) return 23;
    if (origin->y != 8 || copied.y != 6 || copied.x != 0) return 24;
    return old(1, (char)300, 3) != 48 || plain(4) != 5 ? 25 : 0;
}

static int copies(void) {
    int x = 1;
    struct head a = {1, {2, 3}, &x}, b = {5, {6, 7}, 0};
    memcpy(&b, &a, __builtin_offsetof(struct head, next));
    if (b.kind != 1 || b.at.y != 3 || b.next) return 31;
    memset(&a, 0, __builtin_offsetof(struct head, at.y));
    if (a.kind || a.at.x || a.at.y != 3 || *a.next != 1) return 32;
    struct head c[2] = {{1, {2, 3}, &x}, {4, {5, 6}, 0}};
    memmove(&c[1], &c[0], (long)&((struct head *)0)->at.y);
    if (c[1].kind != 1 || c[1].at.x != 2 || c[1].at.y != 6) return 33;
    int d[3];
    short e[2];
    memset(d, -1, sizeof d);
    memset(e, 0x12, sizeof e);
    return d[2] == -1 && e[1] == 0x1212 ? 0 : 34;
}

static int allocations(void) {
    struct point *p = take(sizeof *p);
    int *q = take(2 * sizeof(int));
    void *r = take_more(sizeof(struct box), 0);
    struct box *s = (struct box *)r;
    p->x = 1; p->y = 2; q[0] = 3; q[1] = 4; s->a[2] = 5; s->n = 6;
    int result = sum(p) + q[0] + q[1] + s->a[2] + s->n;
    free(p);
    return result == 21 && q[1] == 4 ? 0 : 41;
}

static int known(void) {
    if (__builtin_popcount(0xf0fu) != 8 || __builtin_popcountll(~0ull) != 64) return 51;
    if (__builtin_clz(1) != 31 || __builtin_clzll(2) != 62 || __builtin_ctz(8) != 3) return 52;
    if (__builtin_ffs(0) || __builtin_ffs(12) != 3 || __builtin_parity(7) != 1) return 53;
    if (__builtin_ctzll(1ull << 40) != 40 || __builtin_clzl(~0ul) != 0) return 54;
    if (__builtin_bswap32(0x11223344) != 0x44332211 || __builtin_bswap16(0x1122) != 0x2211) return 55;
    if (__builtin_bswap64(0x1122334455667788ull) != 0x8877665544332211ull) return 56;
    int x = 1;
    char c = 2;
    if (_Generic(x, char: 1, int: 2, default: 3) != 2 || _Generic(&c, int *: 1, default: 3) != 3) return 57;
    if (_Alignof(int) != 4 || __alignof__(struct point) != 4 || _Generic(c + 1, int: 0, char: 1)) return 58;
    if (!__builtin_constant_p(3) || __builtin_constant_p(x)) return 60;
    return __builtin_types_compatible_p(int, int) && !__builtin_types_compatible_p(int, char) ? 0 : 59;
}

int main(void) {
    int result = literals();
    if (!result) result = results();
    if (!result) result = lists();
    if (!result) result = copies();
    if (!result) result = allocations();
    if (!result) result = known();
    return result;
}
