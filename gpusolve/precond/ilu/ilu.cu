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

// pivot inverts d, or notes the cell and goes on with 1: cells before it in natural order do not depend on it, so the least one noted is the
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

// fromLevels is the way back.
KERNEL void BOUNDS(THREADS) fromLevels(int nx, int ny, int nz, int order, const float *RESTRICT from, float *RESTRICT to) {
  layNaturally(nx, ny, nz, order, from, to);
}

KERNEL void BOUNDS(THREADS) fromLevelsDouble(int nx, int ny, int nz, int order, const double *RESTRICT from, float *RESTRICT to) {
  layNaturally(nx, ny, nz, order, from, to);
}
