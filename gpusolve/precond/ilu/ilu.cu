// Incomplete factors L D U of a grid's matrix, level 0 and level 1 of fill, by wavefronts (see wavefront.h). L and U have unit diagonals, which are not
// kept. Factors are computed in FP64 and kept by levels: first the diagonals of L, then those of U^T, which has the pattern of L, then 1/D. A symmetric
// matrix has U = L^T, which is not kept twice.
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

// pivot inverts d, or notes the cell and continues with 1: cells before it in natural order do not depend on it, so the least one noted is the
// one at which elimination in that order would have failed. Pivots of a symmetric matrix must be positive.
template <int SIDES> DEVICE double pivot(double d, i64 cell, u64 *place) {
  if ((d > 0 && d <= 1.7976931348623157e308) || (SIDES > 1 && d < 0 && d >= -1.7976931348623157e308)) return 1 / d;
  __nvvm_atom_min_gen_ull(place, (u64)cell);
  return 1;
}

// Bands are diagonals of the matrix on one side of the main one.
struct Bands {
  const double *x, *y, *z;
};

// factorise runs one tile. The matrix comes in natural order. Each level has two stages: what depends on levels below l-1 alone is computed
// one level ahead, while other warps still finish.
//
// Of SIDES, the first is the rows of L and the second those of U^T, computed from the bands above the diagonal. With V = L D on the one side and (D U)^T on
// the other, the recurrence of either is that of a symmetric matrix with the other's entries in its products.
template <int ORDER, int SIDES>
DEVICE void factorise(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const double *RESTRICT diagonal,
                      const Bands (&a)[SIDES], double scale, double *f, u64 *place) {
  enum { OFF = Shape<ORDER>::OFF, PIVOTS = SIDES * OFF, OTHER = SIDES - 1 };
  SHARED int ticket;
  int t = threadX(), own = take(state, &ticket);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  int p = tile[TILE_P] + t % tileP, q = tile[TILE_Q] + t / tileP;
  int last = tile[LAST_LEVEL];
  Column c = columnAt<ORDER>(p, q, ny, nz, false);
  c.valid = c.valid && t < tileP * tileQ;
  i64 plane = (i64)ny * nz, n = plane * nx, sheet = (i64)nx * ny, row = (c.k * (i64)ny + c.j) * nx, side = OFF * n;
  bool hasLeft = c.valid && c.j > 0, hasBelow = c.valid && c.k > 0 && c.j + ORDER < ny, hasDiagonal = ORDER && c.valid && c.k > 0;

  // What the next cell of the column needs of former ones: its own, and those of columns read a level ago.
  double selfInverse = 0, selfXY[SIDES] = {}, selfXZ[SIDES] = {};
  double formerYZ[SIDES] = {}, formerInverse = 0;                // of (i,j-1,k)
  double farInverse = 0, nearX[SIDES] = {}, nearInverse = 0;     // of (i,j,k-1) and (i+1,j,k-1)
  // The first stage's results.
  double vz[SIDES] = {}, vxz[SIDES] = {}, vy[SIDES] = {}, lz[SIDES] = {}, lxz[SIDES] = {}, ly[SIDES] = {};

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
    double leftX[SIDES] = {}, leftYZ[SIDES] = {}, leftInverse = 0;
    if (hasLeft && i + ORDER >= 0 && i + ORDER < nx) {
      leftInverse = before[PIVOTS * n - 1];
      if (ORDER)
        for (int s = 0; s < SIDES; s++) leftX[s] = before[X * n + s * side - 1], leftYZ[s] = before[YZ * n + s * side - 1];
    }
    if (!ORDER) {
      if (active) {
        double belowInverse = c.k > 0 ? before[PIVOTS * n - ny] : 0;
        i64 cell = row + i;
        double vx[SIDES], lx[SIDES];
        for (int s = 0; s < SIDES; s++) {
          vx[s] = i ? a[s].x[cell - 1] : 0, vy[s] = c.j ? a[s].y[cell - nx] : 0, vz[s] = c.k ? a[s].z[cell - sheet] : 0;
          lz[s] = vz[s] * belowInverse, ly[s] = vy[s] * leftInverse, lx[s] = vx[s] * selfInverse;
          mine[X * n + s * side] = lx[s];
          mine[Y * n + s * side] = ly[s];
          mine[Z * n + s * side] = lz[s];
        }
        selfInverse = pivot<SIDES>(scale * diagonal[cell] - vz[0] * lz[OTHER] - vy[0] * ly[OTHER] - vx[0] * lx[OTHER], cell, place);
        mine[PIVOTS * n] = selfInverse;
      }
    } else {
      double ahead = 0, aheadX[SIDES] = {};
      if (hasDiagonal && i + 2 >= 0 && i + 2 < nx) {
        for (int s = 0; s < SIDES; s++) aheadX[s] = before[X * n + s * side - ny];
        ahead = before[PIVOTS * n - ny];
      }
      if (active) {
        double belowY[SIDES] = {}, belowXY[SIDES] = {}, belowInverse = 0;
        if (hasBelow) {
          const double *b = before - ny + 1;
          for (int s = 0; s < SIDES; s++) belowY[s] = b[Y * n + s * side], belowXY[s] = b[XY * n + s * side];
          belowInverse = b[PIVOTS * n];
        }
        i64 cell = row + i;
        double vyz[SIDES], vxy[SIDES], vx[SIDES], lyz[SIDES], lxy[SIDES], lx[SIDES];
        for (int s = 0; s < SIDES; s++) {
          int o = OTHER - s;
          vyz[s] = -vz[s] * belowY[o] - vxz[s] * belowXY[o];
          vxy[s] = -vxz[s] * leftYZ[o] - vy[s] * leftX[o];
          vx[s] = (i ? a[s].x[cell - 1] : 0) - vz[s] * selfXZ[o] - vy[s] * selfXY[o];
          lyz[s] = vyz[s] * belowInverse, lxy[s] = vxy[s] * leftInverse, lx[s] = vx[s] * selfInverse;
          double *at = mine + s * side;
          at[X * n] = lx[s];
          at[Y * n] = ly[s];
          at[Z * n] = lz[s];
          at[XY * n] = lxy[s];
          at[XZ * n] = lxz[s];
          at[YZ * n] = lyz[s];
        }
        double d = scale * diagonal[cell] - vz[0] * lz[OTHER] - vxz[0] * lxz[OTHER] - vyz[0] * lyz[OTHER] - vy[0] * ly[OTHER] - vxy[0] * lxy[OTHER] -
                   vx[0] * lx[OTHER];
        selfInverse = pivot<SIDES>(d, cell, place);
        mine[PIVOTS * n] = selfInverse;
        for (int s = 0; s < SIDES; s++) selfXY[s] = lxy[s], selfXZ[s] = lxz[s];
      }
      // First stage of the next cell: its neighbour in y is the one read as XY now, and so on.
      formerInverse = leftInverse;
      farInverse = nearInverse;
      nearInverse = ahead;
      for (int s = 0; s < SIDES; s++) formerYZ[s] = leftYZ[s], nearX[s] = aheadX[s];
      if (c.valid && i + 1 >= 0 && i + 1 < nx) {
        i64 next = row + i + 1;
        for (int s = 0; s < SIDES; s++) {
          int o = OTHER - s;
          vz[s] = c.k ? a[s].z[next - sheet] : 0;
          vxz[s] = -vz[s] * nearX[o];
          vy[s] = (c.j ? a[s].y[next - nx] : 0) - vz[s] * formerYZ[o];
          lz[s] = vz[s] * farInverse;
          lxz[s] = vxz[s] * nearInverse;
          ly[s] = vy[s] * formerInverse;
        }
      }
    }
    barrier();
  }
  if (t == 0) release(flags + own, ALL_LEVELS);
}

KERNEL void BOUNDS(WIDE) factoriseStar(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                       const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT z,
                                       double scale, double *f, u64 *place) {
  const Bands a[1] = {{x, y, z}};
  factorise<0>(nx, ny, nz, tileP, tileQ, chunk, plan, state, diagonal, a, scale, f, place);
}

KERNEL void BOUNDS(WIDE) factoriseDiamond(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                          const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT z,
                                          double scale, double *f, u64 *place) {
  const Bands a[1] = {{x, y, z}};
  factorise<1>(nx, ny, nz, tileP, tileQ, chunk, plan, state, diagonal, a, scale, f, place);
}

// factoriseStarBoth is for a matrix that is not symmetric: lowerX, lowerY and lowerZ are below its diagonal.
KERNEL void BOUNDS(WIDE) factoriseStarBoth(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                           const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT z,
                                           const double *RESTRICT lowerX, const double *RESTRICT lowerY, const double *RESTRICT lowerZ, double scale,
                                           double *f, u64 *place) {
  const Bands a[2] = {{lowerX, lowerY, lowerZ}, {x, y, z}};
  factorise<0>(nx, ny, nz, tileP, tileQ, chunk, plan, state, diagonal, a, scale, f, place);
}

KERNEL void BOUNDS(WIDE) factoriseDiamondBoth(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                              const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y,
                                              const double *RESTRICT z, const double *RESTRICT lowerX, const double *RESTRICT lowerY,
                                              const double *RESTRICT lowerZ, double scale, double *f, u64 *place) {
  const Bands a[2] = {{lowerX, lowerY, lowerZ}, {x, y, z}};
  factorise<1>(nx, ny, nz, tileP, tileQ, chunk, plan, state, diagonal, a, scale, f, place);
}

// narrow rounds a factor to FP32.
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

template <typename REAL> DEVICE void layByLevels(int nx, int ny, int nz, int order, const float *RESTRICT from, REAL *RESTRICT to, int *state, int states) {
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

template <typename REAL> DEVICE void layNaturally(int nx, int ny, int nz, int order, const REAL *RESTRICT from, float *RESTRICT to) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Place s = placeOf(nx, ny);
#pragma unroll
  for (int r = y; r < SQUARE; r += TURN)
    if (s.slab + r < nx && s.j + x < ny) square[x][r] = (float)from[((u32)(s.slab + r) * nz + s.k) * ny + s.j + x];
  barrier();
  int first = firstIn(nx, order, s, s.j + y), step = TURN * (1 + order) % nx;
#pragma unroll
  for (int r = y; r < SQUARE; r += TURN) {
    if (s.j + r < ny && s.slab + x < nx) to[cellIn(nx, ny, s, s.j + r, first, x)] = square[r][x];
    first -= step;
    if (first < 0) first += nx;
  }
}

// toLevels lays a field out by levels, and readies the states of the solves that follow.
KERNEL void BOUNDS(THREADS) toLevels(int nx, int ny, int nz, int order, const float *RESTRICT from, float *RESTRICT to, int *state, int states) {
  layByLevels(nx, ny, nz, order, from, to, state, states);
}

KERNEL void BOUNDS(THREADS) toLevelsDouble(int nx, int ny, int nz, int order, const float *RESTRICT from, double *RESTRICT to, int *state, int states) {
  layByLevels(nx, ny, nz, order, from, to, state, states);
}

// fromLevels is the way back.
KERNEL void BOUNDS(THREADS) fromLevels(int nx, int ny, int nz, int order, const float *RESTRICT from, float *RESTRICT to) {
  layNaturally(nx, ny, nz, order, from, to);
}

KERNEL void BOUNDS(THREADS) fromLevelsDouble(int nx, int ny, int nz, int order, const double *RESTRICT from, float *RESTRICT to) {
  layNaturally(nx, ny, nz, order, from, to);
}

// AHEAD levels of a thread's factor and right-hand side are loaded while as many are computed, which takes about as long as memory does. Chunks are
// powers of two, of 2 AHEAD levels or more. Values of FP64 take twice the registers, and half as many are under way.
enum { AHEAD = 8 };

template <typename REAL> struct Ahead { enum { LEVELS = sizeof(REAL) == sizeof(float) ? AHEAD : AHEAD / 2 }; };

// Values of neighbouring tiles: the columns left of a tile, then those below, then the one at its corner, a chunk of levels at a time. KEPT is the
// most that columns times levels may be.
enum { KEPT = 4096 };

// Entry is what a cell needs from memory: its right-hand side, 1/D in upper solves, and its diagonals of L. Outside the grid it is undefined.
template <int ORDER, typename REAL> struct Entry {
  REAL right, inverse, off[Shape<ORDER>::OFF];

  // begin is what the products with the neighbours' values are taken from.
  METHOD REAL begin(bool upper) const { return upper ? right * inverse : right; }
};

// Reader loads the entries of a column, level after level. Entries that tie to cells beside the grid need no care: the values that they are multiplied
// with are zero. Places further on may lie behind a diagonal's end, but never behind 1/D.
template <int ORDER, bool UPPER, typename REAL> struct Reader {
  enum { OFF = Shape<ORDER>::OFF };
  const REAL *w, *diagonal[OFF + 1];
  u32 plane, n, at;         // cells of a slab and of the grid, place of the next cell
  u32 back1, back2, back3;  // where that was 1, 2 and 3 levels ago
  int nx, i;                // i is primed, of the next cell; far below 0 for a thread without a column

  METHOD void start(int nxOf, u32 planeOf, int level, int iOf, u32 column, const REAL *off, const REAL *inverse, const REAL *wOf, int ny) {
    nx = nxOf;
    i = iOf;
    plane = planeOf;
    n = plane * nx;
    w = wOf;
    // Rows of L, or of U^T, turned into columns: in upper solves, the entry that ties a cell to an upper neighbour is kept at the neighbour.
    const int on[7] = {0, 1, ny, ORDER ? 1 : 0, ny, ny - 1, 0};
#pragma unroll
    for (int t = 0; t < OFF; t++) diagonal[t] = off + (i64)n * t + (UPPER ? on[t] : 0);
    diagonal[OFF] = inverse;
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
  METHOD void next(Entry<ORDER, REAL> *e) {
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
template <int ORDER, bool UPPER, typename REAL> struct Sweep {
  enum { OFF = Shape<ORDER>::OFF, LEVELS = Ahead<REAL>::LEVELS };
  Reader<ORDER, UPPER, REAL> reader;
  Line left, below, corner;
  REAL *w;
  u32 mine; // place of the cell that is computed next
  int i;    // primed
  REAL self, formerCorner, partial;

  // pass computes LEVELS levels from `first`, an even one, and loads as many after them.
  METHOD void pass(int first, const Entry<ORDER, REAL> *now, Entry<ORDER, REAL> *soon, REAL *value) {
    int t = threadX(), l = left.at(first - 1), b = below.at(first - 1), c = corner.at(first - 1);
#pragma unroll
    for (int s = 0; s < LEVELS; s++) reader.next(&soon[s]);
#pragma unroll
    for (int s = 0; s < LEVELS; s++) {
      const Entry<ORDER, REAL> &here = now[s], &next = s + 1 < LEVELS ? now[s + 1] : soon[0];
      REAL fromLeft = value[l], fromBelow = value[b];
      REAL v = partial;
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
        REAL fromCorner = value[c];
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

// solve runs one tile of a triangular solve, in place: w holds the right-hand side and then the solution. A thread keeps its own last value in a
// register and passes it to the threads to the right and above through shared memory; values of other tiles come from w, a chunk of levels at a time.
// off are the diagonals of L, or those of U^T.
template <int ORDER, bool UPPER, typename REAL>
DEVICE void solve(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const REAL *RESTRICT off,
                  const REAL *RESTRICT inverse, REAL *w) {
  enum { LEVELS = Ahead<REAL>::LEVELS };
  SHARED int ticket;
  SHARED REAL value[2 * WIDE + KEPT];
  int t = threadX(), own = take(state, &ticket);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  int tp = t % tileP, tq = t / tileP, p0 = tile[TILE_P], q0 = tile[TILE_Q], last = tile[LAST_LEVEL];
  u32 plane = (u32)ny * nz;
  int top = (nx - 1) + (1 + ORDER) * (ny - 1) + (1 + 2 * ORDER) * (nz - 1);
  int start = (tile[FIRST_LEVEL] - 3 * ORDER) & ~(chunk - 1);

  Sweep<ORDER, UPPER, REAL> sweep;
  Column c = columnAt<ORDER>(p0 + tp, q0 + tq, ny, nz, UPPER);
  bool valid = c.valid && tq < tileQ;
  sweep.i = valid ? start - c.base : -(1 << 30);
  sweep.reader.start(nx, plane, UPPER ? top - start : start, sweep.i, valid ? (u32)c.at : 0, off, inverse, w, ny);
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
  Entry<ORDER, REAL> one[LEVELS] = {}, two[LEVELS] = {};
#pragma unroll
  for (int s = 0; s < LEVELS; s++) sweep.reader.next(&one[s]);
  sweep.self = sweep.formerCorner = 0;
  sweep.partial = one[0].begin(UPPER);

  for (int first = start; first <= last; first += 2 * LEVELS) {
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
          REAL v[4];
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
    sweep.pass(first + LEVELS, two, one, value);
  }
  if (t == 0) release(flags + own, ALL_LEVELS);
}

KERNEL void BOUNDS(WIDE) lowerStar(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                   const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  solve<0, false>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) upperStar(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                   const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  solve<0, true>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) lowerDiamond(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                      const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  solve<1, false>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) upperDiamond(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                      const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  solve<1, true>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) lowerStarDouble(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                         const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  solve<0, false>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) upperStarDouble(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                         const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  solve<0, true>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) lowerDiamondDouble(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                            const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  solve<1, false>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}

KERNEL void BOUNDS(WIDE) upperDiamondDouble(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                                            const double *RESTRICT off, const double *RESTRICT inverse, double *w) {
  solve<1, true>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w);
}
