// Triangular solves of the star (order 0) by patches. A thread takes a patch of 4 x ROWS cells of a plane at a step: patch (q,b,k) has the cells 4q to 4q+3
// along x and ROWS b to ROWS b + ROWS-1 along y. Patches depend on each other as cells of the star do, so they go along the wavefronts of wavefront.h with
// steps q + b + k: 1/4 as many along x and 1/ROWS along y. A cell's sum is the same for any ROWS, bit by bit.
//
// The grid is padded to whole patches; cells beside it have zeros everywhere. Layout by steps: row r of patch (q,b,k) is a quad of four values at
// ((slab ROWS + r) nz + k) nb + b, slab = (q + b + k) mod nq, so threads that share k touch neighbours in memory.
//
// Upper solves run the same way through the grid turned round. Rows of a patch are counted in the order in which a solve takes them.
#include "wavefront.h"

// A block has WIDE threads, and its tile at most as many columns of patches. A tile's plan has PLAN numbers.
enum { THREADS = 256, WIDE = 256, PLAN = 8 };

// A thread fetches at most FETCH quads of neighbouring tiles for a chunk.
enum { FETCH = 4 };

// Quads of steps that a thread has under way, ROWS times as many as steps.
enum { QUADS = 8 };

template <typename REAL> using Quad = REAL __attribute__((ext_vector_type(4)));

template <int ROWS, typename REAL> struct Ahead { enum { STEPS = QUADS * sizeof(float) / sizeof(REAL) / ROWS }; };

// Patches is the grid in patches.
struct Patches {
  int nq, nb, nz;
};

// Entry is what a patch needs from memory: right sides, 1/D in upper solves, and the diagonals of L or U^T.
template <int ROWS, typename REAL> struct Entry { Quad<REAL> right[ROWS], inverse[ROWS], x[ROWS], y[ROWS], z[ROWS]; };

// Reader loads the entries of a column of patches, step after step. Entries that tie to patches beside the grid need no care: the values that they are
// multiplied with are zero. Places further on may lie behind a diagonal's end, but never behind 1/D.
template <int ROWS, bool UPPER, typename REAL> struct Reader {
  const Quad<REAL> *w, *x, *y, *z, *inverse;
  u32 row, plane, n; // quads of a row of all patches of a slab, of a slab, and of the grid
  u32 at, back;      // of the next patch, and one step before
  int nq, nb, q;     // q is counted in the solve's direction, of the next patch; far below 0 for a thread without a column

  METHOD void start(const Patches &g, int step, int first, u32 column, const REAL *off, const REAL *inverseOf, const REAL *wOf) {
    nq = g.nq, nb = g.nb, q = first;
    row = (u32)g.nb * g.nz, plane = row * ROWS, n = plane * nq;
    w = (const Quad<REAL> *)wOf, x = (const Quad<REAL> *)off, y = x + n, z = y + n, inverse = (const Quad<REAL> *)inverseOf;
    back = slabOf(UPPER ? step + 1 : step - 1, nq) * plane + column;
    at = back;
    move(&at);
  }
  METHOD void move(u32 *p) const {
    if (UPPER)
      *p = *p >= plane ? *p - plane : *p + (n - plane);
    else {
      *p += plane;
      if (*p >= n) *p -= n;
    }
  }
  METHOD u32 rowOf(int r) const { return (UPPER ? ROWS - 1 - r : r) * row; }
  METHOD void next(Entry<ROWS, REAL> *e) {
    if ((u32)q < (u32)nq) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        u32 here = at + rowOf(r);
        e->right[r] = w[here];
        e->x[r] = x[here];
        if (!UPPER) {
          e->y[r] = y[here];
          e->z[r] = z[here];
        } else {
          // In upper solves the entry that ties a cell to an upper neighbour is kept at the neighbour: the next row, or the first of the next patch.
          e->inverse[r] = inverse[here];
          e->y[r] = y[r ? here + row : back + 1];
          e->z[r] = z[back + nb + rowOf(r)];
        }
      }
    }
    q++;
    back = at;
    move(&at);
  }
};

// Line tells where the values of a neighbouring column are in shared memory: row r of step s at base + (s & mask) stride + r row.
struct Line {
  int base, mask, stride, row;
  METHOD int at(int step) const { return base + (step & mask) * stride; }
};

// Edges are the columns of neighbouring tiles that a tile reads: the last rows of those to the left, then all rows of those below. A thread fetches one item
// every `abreast` steps.
template <int ROWS, bool UPPER, typename REAL> struct Edges {
  int items, item, offset, abreast, mask, chunk;
  int base;   // step of the column's first patch
  u32 column; // place of its row within a slab
  bool valid;
  int nq, top;
  u32 plane;
  const REAL *w;
  Quad<REAL> v[FETCH];

  METHOD void start(const Patches &g, int tileP, int tileQ, int p0, int q0, int chunkOf, int topOf, const REAL *wOf) {
    int t = threadX();
    items = tileQ + ROWS * tileP, abreast = WIDE / items, item = t % items, offset = t / items;
    chunk = chunkOf, mask = 2 * chunk - 1, top = topOf, w = wOf, nq = g.nq, plane = (u32)g.nb * g.nz * ROWS;
    bool left = item < tileQ;
    int below = item - tileQ, p = left ? p0 - 1 : p0 + below % tileP, q = left ? q0 + item : q0 - 1, r = left ? ROWS - 1 : below / tileP;
    Column c = columnAt<0>(p, q, g.nb, g.nz, UPPER);
    valid = c.valid && offset < abreast;
    base = c.base;
    column = (UPPER ? ROWS - 1 - r : r) * (u32)g.nb * g.nz + (u32)c.at;
  }
  // fetch reads what a chunk from `first` on needs, which is what neighbours did one step earlier.
  METHOD void fetch(int first) {
#pragma unroll
    for (int n = 0; n < FETCH; n++) {
      int down = offset + n * abreast, step = first - 1 + down;
      v[n] = 0;
      if (valid && down < chunk && (u32)(step - base) < (u32)nq) v[n] = ((const Quad<REAL> *)w)[(u32)slabOf(UPPER ? top - step : step, nq) * plane + column];
    }
  }
  METHOD void keep(int first, Quad<REAL> *halo) const {
#pragma unroll
    for (int n = 0; n < FETCH; n++) {
      int down = offset + n * abreast;
      if (offset < abreast && down < chunk) halo[((first - 1 + down) & mask) * items + item] = v[n];
    }
  }
};

// Sweep is a thread on its way along its column.
template <int ROWS, bool UPPER, typename REAL> struct Sweep {
  Reader<ROWS, UPPER, REAL> reader;
  Line left, below;
  Quad<REAL> *w;
  u32 mine; // place of the patch that is computed next
  int q;    // of it, in the solve's direction
  REAL self[ROWS], entry[ROWS]; // of each row the cell computed last, and in upper solves its entry of X

  METHOD void compute(int s, const Entry<ROWS, REAL> &e, Quad<REAL> *value) {
    bool active = (u32)q < (u32)reader.nq;
    Quad<REAL> before = value[left.at(s - 1)];
    int down = below.at(s - 1);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      Quad<REAL> v = e.right[r];
      if (UPPER) v *= e.inverse[r];
      v -= e.z[r] * value[down + r * below.row];
      v -= e.y[r] * before;
#pragma unroll
      for (int m = 0; m < 4; m++) {
        int n = UPPER ? 3 - m : m;
        v[n] -= (!UPPER ? e.x[r][n] : m ? e.x[r][(n + 1) % 4] : entry[r]) * self[r];
        self[r] = active ? v[n] : 0;
      }
      if (UPPER) entry[r] = e.x[r][0];
      value[(s % 2 * ROWS + r) * WIDE + threadX()] = v;
      if (active) w[mine + reader.rowOf(r)] = v;
      before = v;
    }
    q++;
    reader.move(&mine);
  }
};

// solve runs one tile of a triangular solve, in place: w holds the right side and then the solution. What neighbouring tiles computed comes from w, a chunk of
// steps at a time. A block asks whether the next chunk's is there while it computes a chunk, and fetches it then if so; only if not it waits.
template <int ROWS, bool UPPER, typename REAL>
DEVICE void solve(const Patches &g, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const REAL *RESTRICT off,
                  const REAL *RESTRICT inverse, REAL *w, Quad<REAL> *value) {
  constexpr int STEPS = Ahead<ROWS, REAL>::STEPS;
  SHARED int ticket, answers[2];
  int t = threadX(), own = take(state, &ticket);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  int tp = t % tileP, tq = t / tileP, p0 = tile[TILE_P], q0 = tile[TILE_Q], last = tile[LAST_LEVEL];
  int top = g.nq + g.nb + g.nz - 3, start = tile[FIRST_LEVEL] & ~(chunk - 1), halo = 2 * ROWS * WIDE;
  int messenger = t % 32 == 0 && t >= 32 && t < 96 ? t / 32 - 1 : -1, other = messenger < 0 ? -1 : tile[LEFT + messenger];

  Sweep<ROWS, UPPER, REAL> sweep;
  Column c = columnAt<0>(p0 + tp, q0 + tq, g.nb, g.nz, UPPER);
  bool valid = c.valid && tq < tileQ;
  sweep.q = valid ? start - c.base : -(1 << 30);
  sweep.reader.start(g, UPPER ? top - start : start, sweep.q, valid ? (u32)c.at : 0, off, inverse, w);
  sweep.mine = sweep.reader.at;
  sweep.w = (Quad<REAL> *)w;
  Edges<ROWS, UPPER, REAL> edges;
  edges.start(g, tileP, tileQ, p0, q0, chunk, top, w);
  sweep.left = tp ? Line{(ROWS - 1) * WIDE + t - 1, 1, ROWS * WIDE, 0} : Line{halo + tq, edges.mask, edges.items, 0};
  sweep.below = tq ? Line{t - tileP, 1, ROWS * WIDE, WIDE} : Line{halo + tileQ + tp, edges.mask, edges.items, tileP};
  if (tq >= tileQ) sweep.left = sweep.below = Line{t, 1, ROWS * WIDE, WIDE}; // no column
  for (int r = 0; r < 2 * ROWS; r++) value[r * WIDE + t] = 0;
  for (int r = 0; r < ROWS; r++) sweep.self[r] = sweep.entry[r] = 0;

  Entry<ROWS, REAL> ring[STEPS] = {};
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
      if (u == 1 && phase == 1 && messenger >= 0) answers[messenger] = seen;
      if (u == 2 % STEPS && phase == 2) {
        ready = answers[0] && answers[1];
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

// solveLower and solveUpper are for any number of rows.
template <bool UPPER, typename REAL>
DEVICE void solveRows(int rows, const Patches &g, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const REAL *RESTRICT off,
                      const REAL *RESTRICT inverse, REAL *w, Quad<REAL> *value) {
  if (rows == 1)
    solve<1, UPPER>(g, tileP, tileQ, chunk, plan, state, off, inverse, w, value);
  else if (rows == 2)
    solve<2, UPPER>(g, tileP, tileQ, chunk, plan, state, off, inverse, w, value);
  else if (sizeof(REAL) == sizeof(float))
    solve<sizeof(REAL) == sizeof(float) ? 4 : 2, UPPER>(g, tileP, tileQ, chunk, plan, state, off, inverse, w, value);
}

KERNEL void BOUNDS(WIDE) DYNAMIC lowerPatches(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                              const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  DYNAMIC_SHARED Quad<float> room[];
  solveRows<false>(rows, Patches{nq, nb, nz}, tileP, tileQ, chunk, plan, state, off, inverse, w, room);
}

KERNEL void BOUNDS(WIDE) DYNAMIC upperPatches(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                              const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  DYNAMIC_SHARED Quad<float> room[];
  solveRows<true>(rows, Patches{nq, nb, nz}, tileP, tileQ, chunk, plan, state, off, inverse, w, room);
}

KERNEL void BOUNDS(WIDE) DYNAMIC lowerPatchesDouble(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                                    const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solveRows<false>(rows, Patches{nq, nb, nz}, tileP, tileQ, chunk, plan, state, off, inverse, w, roomDouble);
}

KERNEL void BOUNDS(WIDE) DYNAMIC upperPatchesDouble(int nq, int nb, int nz, int rows, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                                    const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solveRows<true>(rows, Patches{nq, nb, nz}, tileP, tileQ, chunk, plan, state, off, inverse, w, roomDouble);
}

// A square is 8 slabs by LANES columns of row r of the patches with a common k, which is how the two layouts meet: runs of 32 cells along x in natural order,
// runs of b by steps.
enum { LANES = 32, SLABS = THREADS / LANES };

struct Square {
  int slab, b, r, k;
};

DEVICE Square squareOf(int nq, int nb, int rows) {
  int across = (nq + SLABS - 1) / SLABS, along = (nb + LANES - 1) / LANES, n = blockX();
  Square s = {n % across * SLABS, n / across % along * LANES, n / across / along % rows, n / across / along / rows};
  return s;
}

// Cell is where a thread's cell of a square is in natural order: of column b + c, the lane-th of 32 cells. It moves to the column SLABS further.
struct Cell {
  int nx, ny, nq, nb, rows, c, q;
  bool inside;
  METHOD void start(int nxOf, int nyOf, int nqOf, int nbOf, int rowsOf, const Square &s) {
    nx = nxOf, ny = nyOf, nq = nqOf, nb = nbOf, rows = rowsOf, c = threadX() / LANES;
    int slab = s.slab + threadX() % LANES / 4;
    inside = slab < nq;
    q = slabOf(slab - s.b - c - s.k, nq);
  }
  METHOD int x() const { return 4 * q + threadX() % 4; }
  METHOD bool exists(const Square &s) const { return inside && s.b + c < nb && (s.b + c) * rows + s.r < ny && x() < nx; }
  METHOD u32 at(const Square &s) const { return ((u32)s.k * ny + (s.b + c) * rows + s.r) * nx + x(); }
  METHOD void next() {
    c += SLABS;
    q = slabOf(q - SLABS, nq);
  }
};

template <typename REAL> DEVICE void layBySteps(int nx, int ny, int nz, int rows, const float *RESTRICT from, REAL *RESTRICT to, int *state, int states) {
  SHARED float square[LANES][4 * SLABS + 1];
  int nq = (nx + 3) / 4, nb = (ny + rows - 1) / rows, t = threadX();
  for (int n = blockX() * THREADS + t; n < states; n += gridX() * THREADS) state[n] = 0;
  Square s = squareOf(nq, nb, rows);
  Cell cell;
  cell.start(nx, ny, nq, nb, rows, s);
#pragma unroll
  for (int n = 0; n < LANES / SLABS; n++, cell.next()) square[cell.c][t % LANES] = cell.exists(s) ? from[cell.at(s)] : 0;
  barrier();
  int c = t % LANES, slab = t / LANES;
  if (s.slab + slab >= nq || s.b + c >= nb) return;
  Quad<REAL> v;
#pragma unroll
  for (int n = 0; n < 4; n++) v[n] = square[c][4 * slab + n];
  ((Quad<REAL> *)to)[((u32)((s.slab + slab) * rows + s.r) * nz + s.k) * nb + s.b + c] = v;
}

template <typename REAL> DEVICE void layNaturally(int nx, int ny, int nz, int rows, const REAL *RESTRICT from, float *RESTRICT to) {
  SHARED float square[LANES][4 * SLABS + 1];
  int nq = (nx + 3) / 4, nb = (ny + rows - 1) / rows, t = threadX();
  Square s = squareOf(nq, nb, rows);
  int c = t % LANES, slab = t / LANES;
  if (s.slab + slab < nq && s.b + c < nb) {
    Quad<REAL> v = ((const Quad<REAL> *)from)[((u32)((s.slab + slab) * rows + s.r) * nz + s.k) * nb + s.b + c];
#pragma unroll
    for (int n = 0; n < 4; n++) square[c][4 * slab + n] = (float)v[n];
  }
  barrier();
  Cell cell;
  cell.start(nx, ny, nq, nb, rows, s);
#pragma unroll
  for (int n = 0; n < LANES / SLABS; n++, cell.next())
    if (cell.exists(s)) to[cell.at(s)] = square[cell.c][t % LANES];
}

// toSteps lays a field out by steps, and readies the states of the solves that follow.
KERNEL void BOUNDS(THREADS) toSteps(int nx, int ny, int nz, int rows, const float *RESTRICT from, float *RESTRICT to, int *state, int states) {
  layBySteps(nx, ny, nz, rows, from, to, state, states);
}

KERNEL void BOUNDS(THREADS) toStepsDouble(int nx, int ny, int nz, int rows, const float *RESTRICT from, double *RESTRICT to, int *state, int states) {
  layBySteps(nx, ny, nz, rows, from, to, state, states);
}

// fromSteps is the way back.
KERNEL void BOUNDS(THREADS) fromSteps(int nx, int ny, int nz, int rows, const float *RESTRICT from, float *RESTRICT to) {
  layNaturally(nx, ny, nz, rows, from, to);
}

KERNEL void BOUNDS(THREADS) fromStepsDouble(int nx, int ny, int nz, int rows, const double *RESTRICT from, float *RESTRICT to) {
  layNaturally(nx, ny, nz, rows, from, to);
}

template <typename REAL> DEVICE void layFactor(int nx, int ny, int nz, int rows, int fields, const double *RESTRICT from, REAL *RESTRICT to) {
  int nq = (nx + 3) / 4, nb = (ny + rows - 1) / rows;
  i64 all = 4ll * nq * nb * rows * nz, n = (i64)nx * ny * nz, stride = (i64)gridX() * THREADS;
  for (i64 v = (i64)blockX() * THREADS + threadX(); v < all * fields; v += stride) {
    i64 quad = v % all / 4;
    int b = quad % nb, k = quad / nb % nz, r = quad / nb / nz % rows, slab = quad / nb / nz / rows;
    int i = 4 * slabOf(slab - b - k, nq) + (int)(v % 4), j = b * rows + r;
    to[v] = i < nx && j < ny ? (REAL)from[v / all * n + ((i64)slabOf(i + j + k, nx) * nz + k) * ny + j] : 0;
  }
}

// pack lays the fields of a factor, by levels of cells (ilu.cu), out by steps of patches.
KERNEL void BOUNDS(THREADS) pack(int nx, int ny, int nz, int rows, int fields, const double *RESTRICT from, float *RESTRICT to) {
  layFactor(nx, ny, nz, rows, fields, from, to);
}

KERNEL void BOUNDS(THREADS) packDouble(int nx, int ny, int nz, int rows, int fields, const double *RESTRICT from, double *RESTRICT to) {
  layFactor(nx, ny, nz, rows, fields, from, to);
}
