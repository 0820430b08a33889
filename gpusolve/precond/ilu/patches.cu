// Triangular solves by patches. A thread takes a patch of 4 x ROWS cells of a plane at a step. Patches lie along h = i and p = j for the star (order 0), and along
// h = i + j + k and p = j + k for the diamond (order 1): there all dependencies point at lower or equal h, p and k, so that those of patches do too, whatever
// their size. Patch (q,b,k) has the cells with h from 4q to 4q+3 and p from ROWS b to ROWS b + ROWS-1, and comes at step q + b + k. A cell's sum is the same for any
// ROWS, bit by bit.
//
// The diamond's planes are sheared, so the patches of a column begin at q = ROWS b / 4 (rounded down), and the columns of plane k at b = k / ROWS. The grid is
// padded to whole patches; cells beside it have zeros everywhere. Layout by steps: row r of a patch is a quad of four values at
// ((slab ROWS + r) nz + k) nb + b - (its plane's first b), slab = (its step) mod nq, so threads that share k touch neighbours in memory.
//
// Upper solves run the same way through the grid turned round. Rows and cells of a patch are taken in the order of the solve.
#include "wavefront.h"

// A block has WIDE threads, and its tile at most as many columns of patches. A tile's plan has PLAN numbers.
enum { THREADS = 256, WIDE = 256, PLAN = 8 };

// A thread fetches at most FETCH quads of neighbouring tiles for a chunk.
enum { FETCH = 4 };

// Rows of patches that a thread has under way: of the star and of the diamond, in FP32; half as many in FP64.
enum { STAR = 8, DIAMOND = 4 };

template <typename REAL> using Quad = REAL __attribute__((ext_vector_type(4)));

// shape is what a solve knows when it is compiled.
template <int ORDER_, int ROWS_, bool UPPER_, typename REAL_> struct Shape {
  typedef REAL_ REAL;
  static constexpr int ORDER = ORDER_, ROWS = ROWS_, OFF = ORDER ? 6 : 3, UNDERWAY = ORDER ? DIAMOND : STAR;
  static constexpr int STEPS = UNDERWAY * sizeof(float) / sizeof(REAL) > ROWS ? UNDERWAY * sizeof(float) / sizeof(REAL) / ROWS : 1;
  static constexpr bool UPPER = UPPER_;
};

enum { X, Y, Z, XY, XZ, YZ };

// Patches is the grid in patches: nq along h in a column, nb columns in each of nz planes.
struct Patches {
  int nq, nb, nz, rows, order;

  // firstColumn is the b of a plane's first column, base the step of a column's first patch.
  METHOD int firstColumn(int k) const { return order ? k / rows : 0; }
  METHOD int base(int b, int k) const { return b + k + (order ? b * rows / 4 : 0); }
  METHOD int lastColumn() const { return firstColumn(nz - 1) + nb - 1; }
  METHOD int top() const { return base(lastColumn(), nz - 1) + nq - 1; }
};

// columnIn is the column at (p,q) of the plane of threads, where a solve counts from its own end.
template <bool UPPER> DEVICE Column columnIn(const Patches &g, int p, int q) {
  int b = UPPER ? g.lastColumn() - p : p, k = UPPER ? g.nz - 1 - q : q;
  Column c;
  c.j = b, c.k = k;
  c.valid = k >= 0 && k < g.nz && b >= g.firstColumn(k) && b < g.firstColumn(k) + g.nb;
  c.base = c.valid ? (UPPER ? g.top() - g.base(b, k) - (g.nq - 1) : g.base(b, k)) : 0;
  c.at = c.valid ? (i64)k * g.nb + b - g.firstColumn(k) : 0;
  return c;
}

// Entry is what a patch needs from memory: right sides, 1/D in upper solves, and the diagonals of L or U.
template <typename S> struct Entry { Quad<typename S::REAL> right[S::ROWS], inverse[S::ROWS], off[S::OFF][S::ROWS]; };

// Reader loads the entries of a column of patches, step after step.
template <typename S> struct Reader {
  typedef Quad<typename S::REAL> QUAD;
  const QUAD *w, *off, *inverse;
  u32 row, plane, n; // quads of a row of all patches of a slab, of a slab, and of the grid
  u32 at;            // of the next patch
  int nq, q;         // q is counted in the solve's direction, of the next patch; far below 0 for a thread without a column

  METHOD void start(const Patches &g, int step, int first, u32 column, const typename S::REAL *offOf, const typename S::REAL *inverseOf,
                    const typename S::REAL *wOf) {
    nq = g.nq, q = first;
    row = (u32)g.nb * g.nz, plane = row * S::ROWS, n = plane * nq;
    w = (const QUAD *)wOf, off = (const QUAD *)offOf, inverse = (const QUAD *)inverseOf;
    at = slabOf(step, nq) * plane + column;
  }
  METHOD void move(u32 *p) const {
    if (S::UPPER)
      *p = *p >= plane ? *p - plane : *p + (n - plane);
    else {
      *p += plane;
      if (*p >= n) *p -= n;
    }
  }
  METHOD u32 rowOf(int r) const { return (S::UPPER ? S::ROWS - 1 - r : r) * row; }
  METHOD void next(Entry<S> *e) {
    if ((u32)q < (u32)nq) {
#pragma unroll
      for (int r = 0; r < S::ROWS; r++) {
        u32 here = at + rowOf(r);
        e->right[r] = w[here];
        if (S::UPPER) e->inverse[r] = inverse[here];
#pragma unroll
        for (int m = 0; m < S::OFF; m++) e->off[m][r] = off[(i64)m * n + here];
      }
    }
    q++;
    move(&at);
  }
};

// Line tells where the values of a neighbouring column are in shared memory: row r of step s at base + (s & mask) stride + r row.
struct Line {
  int base, mask, stride, row;
  METHOD int at(int step) const { return base + (step & mask) * stride; }
};

// Edges are the columns of neighbouring tiles that a tile reads: the last rows of those to the left, then all rows of those below, then the last row of the one
// at the corner. A thread fetches one item every `abreast` steps.
template <typename S> struct Edges {
  typedef Quad<typename S::REAL> QUAD;
  int items, item, offset, abreast, mask, chunk;
  int base;   // step of the column's first patch
  u32 column; // place of its row within a slab
  bool valid;
  int nq, top;
  u32 plane;
  const QUAD *w;
  QUAD v[FETCH];

  METHOD void start(const Patches &g, int tileP, int tileQ, int p0, int q0, int chunkOf, const typename S::REAL *wOf) {
    int t = threadX(), ROWS = S::ROWS;
    items = tileQ + ROWS * tileP + 1, abreast = WIDE / items, item = t % items, offset = t / items;
    chunk = chunkOf, mask = 2 * chunk - 1, top = g.top(), w = (const QUAD *)wOf, nq = g.nq, plane = (u32)g.nb * g.nz * ROWS;
    bool left = item < tileQ, corner = item == items - 1;
    int below = item - tileQ, p = left || corner ? p0 - 1 : p0 + below % tileP, q = left ? q0 + item : q0 - 1, r = left || corner ? ROWS - 1 : below / tileP;
    Column c = columnIn<S::UPPER>(g, p, q);
    valid = c.valid && offset < abreast;
    base = c.base;
    column = (S::UPPER ? ROWS - 1 - r : r) * (u32)g.nb * g.nz + (u32)c.at;
  }
  // fetch reads what a chunk from `first` on needs, which is what neighbours did one step earlier.
  METHOD void fetch(int first) {
#pragma unroll
    for (int n = 0; n < FETCH; n++) {
      int down = offset + n * abreast, step = first - 1 + down;
      v[n] = 0;
      if (valid && down < chunk && (u32)(step - base) < (u32)nq) v[n] = w[(u32)slabOf(S::UPPER ? top - step : step, nq) * plane + column];
    }
  }
  METHOD void keep(int first, QUAD *halo) const {
#pragma unroll
    for (int n = 0; n < FETCH; n++) {
      int down = offset + n * abreast;
      if (offset < abreast && down < chunk) halo[((first - 1 + down) & mask) * items + item] = v[n];
    }
  }
};

// Sweep is a thread on its way along its column. In the diamond it needs what neighbours had up to three steps before its first patch.
template <typename S> struct Sweep {
  typedef typename S::REAL REAL;
  typedef Quad<REAL> QUAD;
  Reader<S> reader;
  Line left, below, corner;
  QUAD *w;
  u32 mine; // place of the patch that is computed next
  int q;    // of it, in the solve's direction
  // Of each row the cell computed last; of the row before it and of that one in the plane below, the cell of a step ago; the corner's row of two steps ago.
  REAL self[S::ROWS], former[S::ROWS], formerBelow[S::ROWS];
  QUAD held;

  METHOD static REAL end(const QUAD &v) { return S::UPPER ? v[0] : v[3]; }
  // shifted is v moved on by a cell.
  METHOD static QUAD shifted(const QUAD &v, REAL before) {
    QUAD up = {v[1], v[2], v[3], before}, down = {before, v[0], v[1], v[2]};
    return S::UPPER ? up : down;
  }
  METHOD void start() {
    for (int r = 0; r < S::ROWS; r++) self[r] = former[r] = formerBelow[r] = 0;
    held = 0;
  }
  METHOD void compute(int s, const Entry<S> &e, QUAD *value) {
    bool active = (u32)q < (u32)reader.nq;
    QUAD before = value[left.at(s - 1)], beforeBelow = held;
    if (S::ORDER) held = value[corner.at(s - 1)];
    int down = below.at(s - 1);
#pragma unroll
    for (int r = 0; r < S::ROWS; r++) {
      QUAD v = e.right[r], under = value[down + r * below.row];
      if (S::UPPER) v *= e.inverse[r];
      if (S::ORDER) {
        v -= e.off[Z][r] * shifted(beforeBelow, formerBelow[r]);
        v -= e.off[XZ % S::OFF][r] * beforeBelow;
        v -= e.off[Y][r] * shifted(before, former[r]);
        v -= e.off[YZ % S::OFF][r] * under;
        v -= e.off[XY % S::OFF][r] * before;
        formerBelow[r] = end(beforeBelow), former[r] = end(before);
      } else {
        v -= e.off[Z][r] * under;
        v -= e.off[Y][r] * before;
      }
#pragma unroll
      for (int m = 0; m < 4; m++) {
        int n = S::UPPER ? 3 - m : m;
        v[n] -= e.off[X][r][n] * self[r];
        self[r] = v[n];
      }
      if (!active) v = 0, self[r] = 0;
      value[((s & 1) * S::ROWS + r) * WIDE + threadX()] = v;
      if (active) w[mine + reader.rowOf(r)] = v;
      before = v, beforeBelow = under;
    }
    q++;
    reader.move(&mine);
  }
};

// solve runs one tile of a triangular solve, in place: w holds the right side and then the solution. What neighbouring tiles computed comes from w, a chunk of
// steps at a time. A block asks whether the next chunk's is there while it computes a chunk, and fetches it then if so; only if not it waits.
template <typename S>
DEVICE void solve(const Patches &g, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const typename S::REAL *RESTRICT off,
                  const typename S::REAL *RESTRICT inverse, typename S::REAL *w, Quad<typename S::REAL> *value) {
  constexpr int STEPS = S::STEPS, ROWS = S::ROWS;
  SHARED int ticket, answers[3];
  int t = threadX(), own = take(state, &ticket);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  int tp = t % tileP, tq = t / tileP, p0 = tile[TILE_P], q0 = tile[TILE_Q], last = tile[LAST_LEVEL];
  int start = (tile[FIRST_LEVEL] - 3 * S::ORDER) & ~(chunk - 1), halo = 2 * ROWS * WIDE;
  int messenger = t % 32 == 0 && t >= 32 && t < 128 ? t / 32 - 1 : -1, other = messenger < 0 ? -1 : tile[LEFT + messenger];

  Sweep<S> sweep;
  Column c = columnIn<S::UPPER>(g, p0 + tp, q0 + tq);
  bool valid = c.valid && tq < tileQ;
  sweep.q = valid ? start - c.base : -(1 << 30);
  sweep.reader.start(g, S::UPPER ? g.top() - start : start, sweep.q, valid ? (u32)c.at : 0, off, inverse, w);
  sweep.mine = sweep.reader.at;
  sweep.w = (Quad<typename S::REAL> *)w;
  sweep.start();
  Edges<S> edges;
  edges.start(g, tileP, tileQ, p0, q0, chunk, w);
  Line in = {t, 1, ROWS * WIDE, WIDE}, edge = {halo, edges.mask, edges.items, tileP}; // a column of the tile, and of its edges
  sweep.left = sweep.below = sweep.corner = in;
  if (tq < tileQ) {
    int lastRow = (ROWS - 1) * WIDE, lastBelow = tileQ + (ROWS - 1) * tileP;
    sweep.left.base += lastRow - 1, sweep.below.base -= tileP, sweep.corner.base += lastRow - tileP - 1;
    if (tp == 0) sweep.left = sweep.corner = edge, sweep.left.base += tq, sweep.corner.base += tq - 1;
    if (tq == 0) sweep.below = sweep.corner = edge, sweep.below.base += tileQ + tp, sweep.corner.base += lastBelow + tp - 1;
    if (tp == 0 && tq == 0) sweep.corner.base = halo + edges.items - 1;
  }
  for (int r = 0; r < 2 * ROWS; r++) value[r * WIDE + t] = 0;

  Entry<S> ring[STEPS] = {};
#pragma unroll
  for (int u = 0; u < STEPS; u++) sweep.reader.next(&ring[u]);
  bool ready = false, seen = false;
  for (int first = start; first <= last; first += STEPS) {
#pragma unroll
    for (int u = 0; u < STEPS; u++) {
      int s = first + u, phase = s & (chunk - 1);
      if (u == 0 && phase == 0) {
        if (t == 0 && s > start) release(flags + own, s);
        if (!ready) {
          if (other >= 0) await(flags + other, s + chunk - 1);
          barrier();
          edges.fetch(s);
          edges.keep(s, value + halo);
          barrier();
        }
        seen = other < 0 || acquire(flags + other) >= s + 2 * chunk - 1;
      }
      if (u == 1 % STEPS && phase == 1 && messenger >= 0) answers[messenger] = seen;
      if (u == 2 % STEPS && phase == 2) {
        ready = answers[0] && answers[1] && answers[2];
        if (ready) edges.fetch(s - 2 + chunk);
      }
      sweep.compute(s, ring[u], value);
      sweep.reader.next(&ring[u]);
      if (u == STEPS - 1 && phase == chunk - 1 && ready) edges.keep(s + 1, value + halo);
      barrier();
    }
  }
  if (t == 0) release(flags + own, ALL_LEVELS);
}

// solveRows is for any number of rows; FP64 has no patches of four.
template <int ORDER, bool UPPER, typename REAL>
DEVICE void solveRows(const Patches &g, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const REAL *RESTRICT off,
                      const REAL *RESTRICT inverse, REAL *w, Quad<REAL> *value) {
  if (g.rows == 1)
    solve<Shape<ORDER, 1, UPPER, REAL>>(g, tileP, tileQ, chunk, plan, state, off, inverse, w, value);
  else if (g.rows == 2)
    solve<Shape<ORDER, 2, UPPER, REAL>>(g, tileP, tileQ, chunk, plan, state, off, inverse, w, value);
  else if (sizeof(REAL) == sizeof(float))
    solve<Shape<ORDER, sizeof(REAL) == sizeof(float) ? 4 : 2, UPPER, REAL>>(g, tileP, tileQ, chunk, plan, state, off, inverse, w, value);
}

KERNEL void BOUNDS(WIDE) DYNAMIC lowerStar(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                           const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  DYNAMIC_SHARED Quad<float> room[];
  solveRows<0, false>(Patches{nq, nb, nz, rows, 0}, tileP, tileQ, chunk, plan, state, off, inverse, w, room);
}

KERNEL void BOUNDS(WIDE) DYNAMIC upperStar(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                           const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  DYNAMIC_SHARED Quad<float> room[];
  solveRows<0, true>(Patches{nq, nb, nz, rows, 0}, tileP, tileQ, chunk, plan, state, off, inverse, w, room);
}

KERNEL void BOUNDS(WIDE) DYNAMIC lowerDiamond(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                              const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  DYNAMIC_SHARED Quad<float> room[];
  solveRows<1, false>(Patches{nq, nb, nz, rows, 1}, tileP, tileQ, chunk, plan, state, off, inverse, w, room);
}

KERNEL void BOUNDS(WIDE) DYNAMIC upperDiamond(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                              const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  DYNAMIC_SHARED Quad<float> room[];
  solveRows<1, true>(Patches{nq, nb, nz, rows, 1}, tileP, tileQ, chunk, plan, state, off, inverse, w, room);
}

KERNEL void BOUNDS(WIDE) DYNAMIC lowerStarDouble(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                                 const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solveRows<0, false>(Patches{nq, nb, nz, rows, 0}, tileP, tileQ, chunk, plan, state, off, inverse, w, roomDouble);
}

KERNEL void BOUNDS(WIDE) DYNAMIC upperStarDouble(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                                 const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solveRows<0, true>(Patches{nq, nb, nz, rows, 0}, tileP, tileQ, chunk, plan, state, off, inverse, w, roomDouble);
}

KERNEL void BOUNDS(WIDE) DYNAMIC lowerDiamondDouble(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                                    const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solveRows<1, false>(Patches{nq, nb, nz, rows, 1}, tileP, tileQ, chunk, plan, state, off, inverse, w, roomDouble);
}

KERNEL void BOUNDS(WIDE) DYNAMIC upperDiamondDouble(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                                    const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solveRows<1, true>(Patches{nq, nb, nz, rows, 1}, tileP, tileQ, chunk, plan, state, off, inverse, w, roomDouble);
}

// A square is 8 slabs by LANES columns of row r of the patches with a common k, which is how the two layouts meet: runs of 32 cells along x in natural order,
// runs of b by steps.
enum { LANES = 32, SLABS = THREADS / LANES };

// Field is a grid in natural order beside its patches.
struct Field {
  int nx, ny;
  Patches g;
};

DEVICE Field fieldOf(int nx, int ny, int nz, int rows, int order) {
  Field f = {nx, ny, {(nx + 3 + (order ? 3 : 0)) / 4, order ? (ny + rows - 2) / rows + 1 : (ny + rows - 1) / rows, nz, rows, order}};
  return f;
}

// Cell is a cell of the grid, or none.
struct Cell {
  int i, j, k;
  METHOD bool in(const Field &f) const { return (u32)i < (u32)f.nx && (u32)j < (u32)f.ny && (u32)k < (u32)f.g.nz; }
  METHOD u32 at(const Field &f) const { return ((u32)k * f.ny + j) * f.nx + i; }
};

// cellIn is the n-th cell of row r of the patch that a slab holds of column b (counted from its plane's first one).
DEVICE Cell cellIn(const Field &f, int slab, int r, int k, int b, int n) {
  b += f.g.firstColumn(k);
  int q = slabOf(slab - f.g.base(b, k), f.g.nq), p = b * f.g.rows + r;
  Cell c = {4 * q + n - (f.g.order ? p & 3 : 0), f.g.order ? p - k : p, k};
  return c;
}

struct Square {
  int slab, b, r, k;
};

DEVICE Square squareOf(const Patches &g) {
  int across = (g.nq + SLABS - 1) / SLABS, along = (g.nb + LANES - 1) / LANES, n = blockX();
  Square s = {n % across * SLABS, n / across % along * LANES, n / across / along % g.rows, n / across / along / g.rows};
  return s;
}

// quadAt is the place of a thread's quad of a square, b fastest, or -1.
DEVICE i64 quadAt(const Patches &g, const Square &s) {
  int b = s.b + threadX() % LANES, slab = s.slab + threadX() / LANES;
  return slab < g.nq && b < g.nb ? ((i64)(slab * g.rows + s.r) * g.nz + s.k) * g.nb + b : -1;
}

// cellAt is a thread's cell of the square's column number c, x fastest.
DEVICE Cell cellAt(const Field &f, const Square &s, int c) {
  int lane = threadX() % LANES, slab = s.slab + lane / 4;
  Cell none = {-1, 0, 0};
  return slab < f.g.nq && s.b + c < f.g.nb ? cellIn(f, slab, s.r, s.k, s.b + c, lane % 4) : none;
}

template <typename REAL> DEVICE void layBySteps(const Field &f, const float *RESTRICT from, REAL *RESTRICT to, int *state, int states) {
  SHARED float square[LANES][4 * SLABS + 1];
  int t = threadX();
  for (int n = blockX() * THREADS + t; n < states; n += gridX() * THREADS) state[n] = 0;
  Square s = squareOf(f.g);
#pragma unroll
  for (int c = t / LANES; c < LANES; c += SLABS) {
    Cell cell = cellAt(f, s, c);
    square[c][t % LANES] = cell.in(f) ? from[cell.at(f)] : 0;
  }
  barrier();
  i64 at = quadAt(f.g, s);
  if (at < 0) return;
  Quad<REAL> v;
#pragma unroll
  for (int n = 0; n < 4; n++) v[n] = square[t % LANES][t / LANES * 4 + n];
  ((Quad<REAL> *)to)[at] = v;
}

template <typename REAL> DEVICE void layNaturally(const Field &f, const REAL *RESTRICT from, float *RESTRICT to) {
  SHARED float square[LANES][4 * SLABS + 1];
  int t = threadX();
  Square s = squareOf(f.g);
  i64 at = quadAt(f.g, s);
  if (at >= 0) {
    Quad<REAL> v = ((const Quad<REAL> *)from)[at];
#pragma unroll
    for (int n = 0; n < 4; n++) square[t % LANES][t / LANES * 4 + n] = (float)v[n];
  }
  barrier();
#pragma unroll
  for (int c = t / LANES; c < LANES; c += SLABS) {
    Cell cell = cellAt(f, s, c);
    if (cell.in(f)) to[cell.at(f)] = square[c][t % LANES];
  }
}

// toSteps lays a field out by steps, and readies the states of the solves that follow.
KERNEL void BOUNDS(THREADS) toSteps(int nx, int ny, int nz, int rows, int order, const float *RESTRICT from, float *RESTRICT to, int *state, int states) {
  layBySteps(fieldOf(nx, ny, nz, rows, order), from, to, state, states);
}

KERNEL void BOUNDS(THREADS) toStepsDouble(int nx, int ny, int nz, int rows, int order, const float *RESTRICT from, double *RESTRICT to, int *state,
                                          int states) {
  layBySteps(fieldOf(nx, ny, nz, rows, order), from, to, state, states);
}

// fromSteps is the way back.
KERNEL void BOUNDS(THREADS) fromSteps(int nx, int ny, int nz, int rows, int order, const float *RESTRICT from, float *RESTRICT to) {
  layNaturally(fieldOf(nx, ny, nz, rows, order), from, to);
}

KERNEL void BOUNDS(THREADS) fromStepsDouble(int nx, int ny, int nz, int rows, int order, const double *RESTRICT from, float *RESTRICT to) {
  layNaturally(fieldOf(nx, ny, nz, rows, order), from, to);
}

// layFactor lays the fields of a factor, by levels of cells (ilu.cu), out by steps of patches: L, U and 1/D. U, which is kept by columns there, comes by rows; where
// the matrix is symmetric it is L^T.
template <typename REAL> DEVICE void layFactor(const Field &f, int sides, const double *RESTRICT from, REAL *RESTRICT to) {
  const Cell back[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 1, 0}, {-1, 0, 1}, {0, -1, 1}};
  int off = f.g.order ? 6 : 3;
  i64 all = 4ll * f.g.nq * f.g.nb * f.g.rows * f.g.nz, n = (i64)f.nx * f.ny * f.g.nz, stride = (i64)gridX() * THREADS;
  for (i64 v = (i64)blockX() * THREADS + threadX(); v < all * (2 * off + 1); v += stride) {
    i64 quad = v % all / 4;
    int field = (int)(v / all), b = quad % f.g.nb, k = quad / f.g.nb % f.g.nz;
    Cell c = cellIn(f, quad / f.g.nb / f.g.nz / f.g.rows, quad / f.g.nb / f.g.nz % f.g.rows, k, b, (int)(v % 4));
    bool exists = c.in(f);
    int source = field;
    if (field >= off && field < 2 * off) { // kept at the neighbour
      source = (sides - 1) * off + field - off;
      const Cell d = back[field - off];
      c = Cell{c.i + d.i, c.j + d.j, c.k + d.k};
      exists = exists && c.in(f);
    } else if (field == 2 * off)
      source = sides * off;
    int level = c.i + (1 + f.g.order) * c.j + (1 + 2 * f.g.order) * c.k;
    to[v] = exists ? (REAL)from[source * n + ((i64)slabOf(level, f.nx) * f.g.nz + c.k) * f.ny + c.j] : 0;
  }
}

KERNEL void BOUNDS(THREADS) pack(int nx, int ny, int nz, int rows, int order, int sides, const double *RESTRICT from, float *RESTRICT to) {
  layFactor(fieldOf(nx, ny, nz, rows, order), sides, from, to);
}

KERNEL void BOUNDS(THREADS) packDouble(int nx, int ny, int nz, int rows, int order, int sides, const double *RESTRICT from, double *RESTRICT to) {
  layFactor(fieldOf(nx, ny, nz, rows, order), sides, from, to);
}
