// Incomplete Cholesky factors L D L^T of a grid's matrix, level 0 and level 1 of fill, by wavefronts (see wavefront.h). Factors are computed in
// FP64 and kept by levels: first the diagonals of L, then 1/D. L has a unit diagonal, which is not kept.
//
// Diagonals of L at the offsets of lower neighbours:
//   order 0: X (-1,0,0), Y (0,-1,0), Z (0,0,-1)
//   order 1: X, Y, Z, XY (1,-1,0), XZ (1,0,-1), YZ (0,1,-1)
#include "wavefront.h"

// A wavefront's block has WIDE threads, and its tile at most as many columns. A tile's plan has PLAN numbers.
enum { THREADS = 256, SQUARE = 32, WIDE = 256, PLAN = 8 };

enum { X, Y, Z, XY, XZ, YZ };

template <int ORDER> struct Shape { enum { OFF = ORDER ? 6 : 3 }; };

// wraps sets place to the first cell whose coupling crosses the end of a row or plane, where that is below what it holds.
KERNEL void BOUNDS(THREADS) wraps(int nx, int ny, int nz, const double *RESTRICT x, const double *RESTRICT y, u64 *place) {
  i64 sheet = (i64)nx * ny, n = sheet * nz, stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    bool bad = c % nx == nx - 1 && c + 1 < n && x[c] != 0;
    bad |= c % sheet >= sheet - nx && c + nx < n && y[c] != 0;
    if (bad) __nvvm_atom_min_gen_ull(place, (u64)c);
  }
}

// pivot inverts d, or notes the cell and goes on with 1: cells before it in natural order do not depend on it, so the least one noted is the
// one at which elimination in that order would have failed.
DEVICE double pivot(double d, i64 cell, u64 *place) {
  if (d > 0 && d <= 1.7976931348623157e308) return 1 / d;
  __nvvm_atom_min_gen_ull(place, (u64)cell);
  return 1;
}

// factorise runs one tile. The matrix comes in natural order. Each level has two stages: what depends on levels below l-1 alone is computed
// one level ahead, while other warps still finish.
template <int ORDER>
DEVICE void factorise(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const double *RESTRICT diagonal,
                      const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT z, double scale, double *f, u64 *place) {
  enum { OFF = Shape<ORDER>::OFF };
  SHARED int ticket;
  int t = threadX(), own = take(state, &ticket);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  int p = tile[TILE_P] + t % tileP, q = tile[TILE_Q] + t / tileP;
  int last = tile[LAST_LEVEL];
  Column c = columnAt<ORDER>(p, q, ny, nz, false);
  c.valid = c.valid && t < tileP * tileQ;
  i64 plane = (i64)ny * nz, n = plane * nx, sheet = (i64)nx * ny, row = (c.k * (i64)ny + c.j) * nx;
  bool hasLeft = c.valid && c.j > 0, hasBelow = c.valid && c.k > 0 && c.j + ORDER < ny, hasDiagonal = ORDER && c.valid && c.k > 0;

  // What the next cell of the column needs of former ones: its own, and those of columns read a level ago.
  double selfInverse = 0, selfXY = 0, selfXZ = 0;
  double formerYZ = 0, formerInverse = 0;          // of (i,j-1,k)
  double farInverse = 0, nearX = 0, nearInverse = 0;  // of (i,j,k-1) and (i+1,j,k-1)
  // The first stage's results.
  double vz = 0, vxz = 0, vy = 0, lz = 0, lxz = 0, ly = 0;

  int start = (tile[FIRST_LEVEL] - 3 * ORDER) & ~(chunk - 1);
  for (int l = start; l <= last; l++) {
    if ((l & (chunk - 1)) == 0) {
      if (t == 0 && l > start) release(flags + own, l);
      if (t % 32 == 0 && t >= 32 && t < 128) {
        int other = tile[LEFT + t / 32 - 1];
        if (other >= 0) await(flags + other, l + chunk - 1);
      }
      barrier();
    }
    int i = l - c.base;
    bool active = c.valid && i >= 0 && i < nx;
    const double *before = f + slabOf(l - 1, nx) * plane + c.at; // level l-1 of the columns around
    double *mine = f + slabOf(l, nx) * plane + c.at;
    // Of the columns (j-1,k), (j+ORDER,k-1) and (j,k-1), as far as they have a cell of level l-1.
    double leftX = 0, leftYZ = 0, leftInverse = 0;
    if (hasLeft && i + ORDER >= 0 && i + ORDER < nx) {
      leftInverse = before[OFF * n - 1];
      if (ORDER) leftX = before[X * n - 1], leftYZ = before[YZ * n - 1];
    }
    if (!ORDER) {
      if (active) {
        double belowInverse = c.k > 0 ? before[OFF * n - ny] : 0;
        i64 cell = row + i;
        double vx = i ? x[cell - 1] : 0, v2 = c.j ? y[cell - nx] : 0, v3 = c.k ? z[cell - sheet] : 0;
        double a = v3 * belowInverse, b = v2 * leftInverse, d = vx * selfInverse;
        mine[X * n] = d;
        mine[Y * n] = b;
        mine[Z * n] = a;
        selfInverse = pivot(scale * diagonal[cell] - v3 * a - v2 * b - vx * d, cell, place);
        mine[OFF * n] = selfInverse;
      }
    } else {
      double ahead = 0, aheadX = 0;
      if (hasDiagonal && i + 2 >= 0 && i + 2 < nx) {
        aheadX = before[X * n - ny];
        ahead = before[OFF * n - ny];
      }
      if (active) {
        double belowY = 0, belowXY = 0, belowInverse = 0;
        if (hasBelow) {
          const double *b = before - ny + 1;
          belowY = b[Y * n], belowXY = b[XY * n], belowInverse = b[OFF * n];
        }
        i64 cell = row + i;
        double vyz = -vz * belowY - vxz * belowXY;
        double vxy = -vxz * leftYZ - vy * leftX;
        double vx = (i ? x[cell - 1] : 0) - vz * selfXZ - vy * selfXY;
        double lyz = vyz * belowInverse, lxy = vxy * leftInverse, lx = vx * selfInverse;
        double d = scale * diagonal[cell] - vz * lz - vxz * lxz - vyz * lyz - vy * ly - vxy * lxy - vx * lx;
        mine[X * n] = lx;
        mine[Y * n] = ly;
        mine[Z * n] = lz;
        mine[XY * n] = lxy;
        mine[XZ * n] = lxz;
        mine[YZ * n] = lyz;
        selfInverse = pivot(d, cell, place);
        mine[OFF * n] = selfInverse;
        selfXY = lxy;
        selfXZ = lxz;
      }
      // First stage of the next cell: its neighbour in y is the one read as XY now, and so on.
      formerInverse = leftInverse;
      formerYZ = leftYZ;
      farInverse = nearInverse;
      nearInverse = ahead;
      nearX = aheadX;
      if (c.valid && i + 1 >= 0 && i + 1 < nx) {
        i64 next = row + i + 1;
        vz = c.k ? z[next - sheet] : 0;
        vxz = -vz * nearX;
        vy = (c.j ? y[next - nx] : 0) - vz * formerYZ;
        lz = vz * farInverse;
        lxz = vxz * nearInverse;
        ly = vy * formerInverse;
      }
    }
    barrier();
  }
  if (t == 0) release(flags + own, ALL_LEVELS);
}

KERNEL void BOUNDS(WIDE) factoriseStar(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                       const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT z,
                                       double scale, double *f, u64 *place) {
  factorise<0>(nx, ny, nz, tileP, tileQ, chunk, plan, state, diagonal, x, y, z, scale, f, place);
}

KERNEL void BOUNDS(WIDE) factoriseDiamond(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                          const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT z,
                                          double scale, double *f, u64 *place) {
  factorise<1>(nx, ny, nz, tileP, tileQ, chunk, plan, state, diagonal, x, y, z, scale, f, place);
}

// narrow rounds a factor to FP32, 1/D included.
KERNEL void BOUNDS(THREADS) narrow(i64 n, const double *RESTRICT from, float *RESTRICT to) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) to[c] = (float)from[c];
}

// Squares of SQUARE slabs by SQUARE columns with a common k, which is how the two layouts meet: rows of a square are runs of x in natural order,
// its columns runs of y by levels. Places of cells are below 2^31 from here on.
struct Place {
  int slab, j, k;
};

DEVICE Place placeOf(int nx, int ny) {
  int across = (nx + SQUARE - 1) / SQUARE, along = (ny + SQUARE - 1) / SQUARE, b = blockX();
  Place s = {b % across * SQUARE, b / across % along * SQUARE, b / across / along};
  return s;
}

// cellIn is the cell of column j that slab s.slab + further holds, where slab s.slab holds the one at x = first.
DEVICE u32 cellIn(int nx, int ny, Place s, int j, int first, int further) {
  int i = first + further;
  if (i >= nx) i -= nx;
  return (u32)(s.k * ny + j) * nx + i;
}

// firstIn is the x of column j's cell in slab s.slab.
DEVICE int firstIn(int nx, int order, Place s, int j) { return slabOf(s.slab - (1 + order) * j - (1 + 2 * order) * s.k, nx); }

// Rows of a square are taken in turns of TURN.
enum { TURN = THREADS / SQUARE };

// toLevels lays a field out by levels, and readies the states of the solves that follow.
KERNEL void BOUNDS(THREADS) toLevels(int nx, int ny, int nz, int order, const float *RESTRICT from, float *RESTRICT to, int *state, int states) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Place s = placeOf(nx, ny);
  for (int n = blockX() * THREADS + threadX(); n < states; n += gridX() * THREADS) state[n] = 0;
  int first = firstIn(nx, order, s, s.j + y), step = TURN * (1 + order) % nx;
#pragma unroll
  for (int r = y; r < SQUARE; r += TURN) {
    if (s.j + r < ny && s.slab + x < nx) square[r][x] = from[cellIn(nx, ny, s, s.j + r, first, x)];
    first -= step;
    if (first < 0) first += nx;
  }
  barrier();
#pragma unroll
  for (int r = y; r < SQUARE; r += TURN)
    if (s.slab + r < nx && s.j + x < ny) to[((u32)(s.slab + r) * nz + s.k) * ny + s.j + x] = square[x][r];
}

// fromLevels is the way back.
KERNEL void BOUNDS(THREADS) fromLevels(int nx, int ny, int nz, int order, const float *RESTRICT from, float *RESTRICT to) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Place s = placeOf(nx, ny);
#pragma unroll
  for (int r = y; r < SQUARE; r += TURN)
    if (s.slab + r < nx && s.j + x < ny) square[x][r] = from[((u32)(s.slab + r) * nz + s.k) * ny + s.j + x];
  barrier();
  int first = firstIn(nx, order, s, s.j + y), step = TURN * (1 + order) % nx;
#pragma unroll
  for (int r = y; r < SQUARE; r += TURN) {
    if (s.j + r < ny && s.slab + x < nx) to[cellIn(nx, ny, s, s.j + r, first, x)] = square[r][x];
    first -= step;
    if (first < 0) first += nx;
  }
}

// AHEAD levels of a thread's factor and right side are loaded while as many are computed, which takes about as long as memory does. Chunks are
// powers of two, of 2 AHEAD levels or more.
enum { AHEAD = 8 };

// Values of neighbouring tiles: the columns left of a tile, then those below, then the one at its corner, a chunk of levels at a time. KEPT is the
// most that columns times levels may be.
enum { KEPT = 4096 };

// Entry is what a cell needs from memory: its right side, 1/D in upper solves, and its diagonals of L. Beside the grid it means nothing.
template <int ORDER> struct Entry {
  float right, inverse, off[Shape<ORDER>::OFF];

  // begin is what the products with the neighbours' values are taken from.
  METHOD float begin(bool upper) const { return upper ? right * inverse : right; }
};

// Reader loads the entries of a column, level after level. Entries that tie to cells beside the grid need no care: the values that they are multiplied
// with are zero. Places further on may lie behind a diagonal's end, but never behind 1/D.
template <int ORDER, bool UPPER> struct Reader {
  enum { OFF = Shape<ORDER>::OFF };
  const float *w, *diagonal[OFF + 1];
  u32 plane, n, at;         // cells of a slab and of the grid, place of the next cell
  u32 back1, back2, back3;  // where that was 1, 2 and 3 levels ago
  int nx, i;                // i is primed, of the next cell; far below 0 for a thread without a column

  METHOD void start(int nxOf, u32 planeOf, int level, int iOf, u32 column, const float *f, const float *wOf, int ny) {
    nx = nxOf;
    i = iOf;
    plane = planeOf;
    n = plane * nx;
    w = wOf;
    // Rows of L turned into columns: in upper solves, the entry that ties a cell to an upper neighbour is kept at the neighbour.
    const int on[7] = {0, 1, ny, ORDER ? 1 : 0, ny, ny - 1, 0};
#pragma unroll
    for (int t = 0; t <= OFF; t++) diagonal[t] = f + (i64)n * t + (UPPER && t < OFF ? on[t] : 0);
    at = slabOf(UPPER ? level + 3 : level - 3, nx) * plane + column;
    back3 = at;
    move(&at);
    back2 = at;
    move(&at);
    back1 = at;
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
  METHOD void next(Entry<ORDER> *e) {
    if ((u32)i < (u32)nx) {
      e->right = w[at];
      if (!UPPER) {
#pragma unroll
        for (int t = 0; t < OFF; t++) e->off[t] = diagonal[t][at];
      } else {
        e->inverse = diagonal[OFF][at];
        e->off[X] = diagonal[X][back1];
        e->off[Y] = diagonal[Y][ORDER ? back2 : back1];
        e->off[Z] = diagonal[Z][ORDER ? back3 : back1];
        if (ORDER) {
          e->off[XY % OFF] = diagonal[XY % OFF][back1];
          e->off[XZ % OFF] = diagonal[XZ % OFF][back2];
          e->off[YZ % OFF] = diagonal[YZ % OFF][back1];
        }
      }
    }
    i++;
    back3 = back2;
    back2 = back1;
    back1 = at;
    move(&at);
  }
};

// Line is a column of the plane as its neighbours see it: level l is at base + (l & mask) up in shared memory. From an even level to the next the
// place moves by up, from an odd one by down.
struct Line {
  int base, mask, up, down;
  METHOD int at(int level) const { return base + (level & mask) * up; }
};

// Sweep is a thread on its way along its column.
template <int ORDER, bool UPPER> struct Sweep {
  enum { OFF = Shape<ORDER>::OFF };
  Reader<ORDER, UPPER> reader;
  Line left, below, corner;
  float *w;
  u32 mine; // place of the cell that is computed next
  int i;    // primed
  float self, formerCorner, partial;

  // pass computes AHEAD levels from `first`, an even one, and loads as many after them.
  METHOD void pass(int first, const Entry<ORDER> *now, Entry<ORDER> *soon, float *value) {
    int t = threadX(), l = left.at(first - 1), b = below.at(first - 1), c = corner.at(first - 1);
#pragma unroll
    for (int s = 0; s < AHEAD; s++) reader.next(&soon[s]);
#pragma unroll
    for (int s = 0; s < AHEAD; s++) {
      const Entry<ORDER> &here = now[s], &next = s + 1 < AHEAD ? now[s + 1] : soon[0];
      float fromLeft = value[l], fromBelow = value[b];
      float v = partial;
      v -= here.off[ORDER ? YZ % OFF : Z] * fromBelow;
      v -= here.off[ORDER ? XY % OFF : Y] * fromLeft;
      v -= here.off[X] * self;
      bool active = (u32)i < (u32)reader.nx;
      self = active ? v : 0;
      value[s % 2 * WIDE + t] = self;
      if (active) w[mine] = v;
      partial = next.begin(UPPER);
      if (ORDER) {
        // The first stage of the next cell's sum: what comes from levels below this one.
        float fromCorner = value[c];
        partial -= next.off[Z] * formerCorner;
        partial -= next.off[XZ % OFF] * fromCorner;
        partial -= next.off[Y] * fromLeft;
        formerCorner = fromCorner;
      }
      i++;
      reader.move(&mine);
      if (s == 0)
        l = left.at(first), b = below.at(first), c = corner.at(first);
      else
        l += s % 2 ? left.up : left.down, b += s % 2 ? below.up : below.down, c += s % 2 ? corner.up : corner.down;
      barrier();
    }
  }
};

// solve runs one tile of a triangular solve, in place: w holds the right side and then the solution. A thread keeps its own last value in a
// register and passes it to the threads to the right and above through shared memory; values of other tiles come from w, a chunk of levels at a time.
template <int ORDER, bool UPPER>
DEVICE void solve(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const float *RESTRICT f, float *w) {
  SHARED int ticket;
  SHARED float value[2 * WIDE + KEPT];
  int t = threadX(), own = take(state, &ticket);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  int tp = t % tileP, tq = t / tileP, p0 = tile[TILE_P], q0 = tile[TILE_Q], last = tile[LAST_LEVEL];
  u32 plane = (u32)ny * nz;
  int top = (nx - 1) + (1 + ORDER) * (ny - 1) + (1 + 2 * ORDER) * (nz - 1);
  int start = (tile[FIRST_LEVEL] - 3 * ORDER) & ~(chunk - 1);

  Sweep<ORDER, UPPER> sweep;
  Column c = columnAt<ORDER>(p0 + tp, q0 + tq, ny, nz, UPPER);
  bool valid = c.valid && tq < tileQ;
  sweep.i = valid ? start - c.base : -(1 << 30);
  sweep.reader.start(nx, plane, UPPER ? top - start : start, sweep.i, valid ? (u32)c.at : 0, f, w, ny);
  sweep.mine = sweep.reader.at;
  sweep.w = w;

  // Where the values of the three columns that a thread depends on are found.
  int edges = tileP + tileQ + 1, halo = 2 * WIDE, mask = chunk - 1;
  sweep.left = Line{t - 1, 1, WIDE, -WIDE};
  sweep.below = Line{t - tileP, 1, WIDE, -WIDE};
  sweep.corner = Line{t - tileP - 1, 1, WIDE, -WIDE};
  if (tp == 0) sweep.left = Line{halo + tq, mask, edges, edges};
  if (tq == 0) sweep.below = Line{halo + tileQ + tp, mask, edges, edges};
  if (tp == 0) sweep.corner = Line{halo + tq - 1, mask, edges, edges};
  if (tq == 0) sweep.corner = Line{halo + tileQ + tp - 1, mask, edges, edges};
  if (tp == 0 && tq == 0) sweep.corner = Line{halo + tileQ + tileP, mask, edges, edges};
  if (tq >= tileQ) sweep.left = sweep.below = sweep.corner = Line{t, 1, WIDE, -WIDE}; // no column

  // A thread fetches one of the edges' columns, every `rows` levels.
  int rows = WIDE / edges, edge = t % edges, offset = t / edges;
  int ep = edge < tileQ ? -1 : edge < tileQ + tileP ? edge - tileQ : -1, eq = edge < tileQ ? edge : -1;
  Column e = columnAt<ORDER>(p0 + ep, q0 + eq, ny, nz, UPPER);
  e.valid = e.valid && (ORDER || edge < tileQ + tileP);

  value[t] = value[WIDE + t] = 0;
  Entry<ORDER> one[AHEAD] = {}, two[AHEAD] = {};
#pragma unroll
  for (int s = 0; s < AHEAD; s++) sweep.reader.next(&one[s]);
  sweep.self = sweep.formerCorner = 0;
  sweep.partial = one[0].begin(UPPER);

  for (int first = start; first <= last; first += 2 * AHEAD) {
    if ((first & mask) == 0) {
      if (t == 0 && first > start) release(flags + own, first);
      if (t % 32 == 0 && t >= 32 && t < 128) {
        int other = tile[LEFT + t / 32 - 1];
        if (other >= 0) await(flags + other, first + chunk - 1);
      }
      barrier();
      int slab = slabOf(UPPER ? top - (first - 1) : first - 1, nx);
      if (offset < rows)
        for (int d = offset; d < chunk; d += 4 * rows) {
          float v[4];
#pragma unroll
          for (int u = 0; u < 4; u++) {
            int down = d + u * rows, s = UPPER ? slab - down : slab + down;
            while (s < 0) s += nx;
            while (s >= nx) s -= nx;
            v[u] = 0;
            if (e.valid && (u32)(first - 1 + down - e.base) < (u32)nx && down < chunk) v[u] = w[s * plane + (u32)e.at];
          }
#pragma unroll
          for (int u = 0; u < 4; u++)
            if (d + u * rows < chunk) value[halo + ((first - 1 + d + u * rows) & mask) * edges + edge] = v[u];
        }
      barrier();
    }
    sweep.pass(first, one, two, value);
    sweep.pass(first + AHEAD, two, one, value);
  }
  if (t == 0) release(flags + own, ALL_LEVELS);
}

KERNEL void BOUNDS(WIDE) lowerStar(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                   const float *RESTRICT f, float *w) {
  solve<0, false>(nx, ny, nz, tileP, tileQ, chunk, plan, state, f, w);
}

KERNEL void BOUNDS(WIDE) upperStar(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                   const float *RESTRICT f, float *w) {
  solve<0, true>(nx, ny, nz, tileP, tileQ, chunk, plan, state, f, w);
}

KERNEL void BOUNDS(WIDE) lowerDiamond(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                      const float *RESTRICT f, float *w) {
  solve<1, false>(nx, ny, nz, tileP, tileQ, chunk, plan, state, f, w);
}

KERNEL void BOUNDS(WIDE) upperDiamond(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                      const float *RESTRICT f, float *w) {
  solve<1, true>(nx, ny, nz, tileP, tileQ, chunk, plan, state, f, w);
}
