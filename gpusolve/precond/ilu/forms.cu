// Triangular solves that the method is compared with (docs/explanation/ilu.md): a launch for each level of the grid, and tiles of threads that wait for each other by
// flags, each thread reading its neighbours' values in memory. Fields lie in natural order (NATURAL) or by levels (wavefront.h). Solves are in place: w holds
// the right-hand side and then the solution. off are the diagonals of L, or those of U^T.
#include "wavefront.h"

enum { THREADS = 256, WIDE = 256, PLAN = 8 };

// Step leads to a lower neighbour, in the solve's direction: X, Y, Z, XY, XZ, YZ.
struct Step {
  int x, y, z;
};

DEVICE Step stepOf(int m) {
  const Step all[6] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1}};
  return all[m];
}

// Field is where cells are kept.
template <int ORDER, bool UPPER, bool NATURAL> struct Field {
  int nx, ny, nz, top;
  i64 plane, n;

  METHOD void start(int nxOf, int nyOf, int nzOf) {
    nx = nxOf, ny = nyOf, nz = nzOf;
    plane = (i64)ny * nz, n = plane * nx;
    top = (nx - 1) + (1 + ORDER) * (ny - 1) + (1 + 2 * ORDER) * (nz - 1);
  }
  // at is the place of the cell of a column on a level; both are counted in the solve's direction.
  METHOD i64 at(const Column &c, int level) const {
    if (NATURAL) {
      int i = level - c.base;
      return c.at * nx + (UPPER ? nx - 1 - i : i);
    }
    return slabOf(UPPER ? top - level : level, nx) * plane + c.at;
  }
  // products adds those of the cell with its neighbours that lie `least` to `most` levels below.
  METHOD float products(const Column &c, int level, int least, int most, const float *RESTRICT off, const float *w) const {
    float sum = 0;
    int i = level - c.base;
    i64 own = at(c, level);
#pragma unroll
    for (int m = 0; m < (ORDER ? 6 : 3); m++) {
      Step d = stepOf(m);
      int drop = -(d.x + (1 + ORDER) * d.y + (1 + 2 * ORDER) * d.z);
      if (drop < least || drop > most) continue;
      if ((u32)(i + d.x) >= (u32)nx || (u32)(c.j + d.y) >= (u32)ny || c.k + d.z < 0) continue;
      Column other = c;
      int sign = UPPER ? -1 : 1;
      other.base = c.base + (1 + ORDER) * d.y + (1 + 2 * ORDER) * d.z;
      other.at = c.at + sign * (d.z * ny + d.y);
      i64 there = at(other, level - drop);
      sum += off[m * n + (UPPER ? there : own)] * w[there];
    }
    return sum;
  }
};

template <int ORDER> DEVICE Column columnOf(int j, int k, int ny, int nz, bool turned) { return columnAt<ORDER>(j + ORDER * k, k, ny, nz, turned); }

// oneLevel is a level of the whole grid.
template <int ORDER, bool UPPER, bool NATURAL>
DEVICE void oneLevel(int nx, int ny, int nz, int level, const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  i64 column = (i64)blockX() * THREADS + threadX();
  if (column >= (i64)ny * nz) return;
  Column c = columnOf<ORDER>((int)(column % ny), (int)(column / ny), ny, nz, UPPER);
  if ((u32)(level - c.base) >= (u32)nx) return;
  Field<ORDER, UPPER, NATURAL> f;
  f.start(nx, ny, nz);
  i64 own = f.at(c, level);
  float v = w[own];
  if (UPPER) v *= inverse[own];
  w[own] = v - f.products(c, level, 1, 3, off, w);
}

// byLaunch is a launch's part: its level.
KERNEL void BOUNDS(THREADS) byLaunch(int nx, int ny, int nz, int order, int upper, int level, const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  if (order == 0 && !upper) oneLevel<0, false, true>(nx, ny, nz, level, off, inverse, w);
  if (order == 0 && upper) oneLevel<0, true, true>(nx, ny, nz, level, off, inverse, w);
  if (order == 1 && !upper) oneLevel<1, false, true>(nx, ny, nz, level, off, inverse, w);
  if (order == 1 && upper) oneLevel<1, true, true>(nx, ny, nz, level, off, inverse, w);
}

// tileByFlags runs one tile. A tile publishes every `chunk` levels how far it is. With two GROUPS, half of a block's threads have the columns, and the other half
// is a level ahead with the products of the cells' neighbours two and three levels below.
template <int ORDER, bool UPPER, bool NATURAL, int GROUPS>
DEVICE void tileByFlags(int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state, const float *RESTRICT off,
                        const float *RESTRICT inverse, float *w, float *early) {
  SHARED int ticket;
  int t = threadX(), own = take(state, &ticket), lane = t % (WIDE / GROUPS), group = t / (WIDE / GROUPS);
  const int *tile = plan + own * PLAN;
  int *flags = state + 1;
  Column c = columnAt<ORDER>(tile[TILE_P] + lane % tileP, tile[TILE_Q] + lane / tileP, ny, nz, UPPER);
  bool valid = c.valid && lane < tileP * tileQ;
  Field<ORDER, UPPER, NATURAL> f;
  f.start(nx, ny, nz);
  early[t] = 0;
  int start = (tile[FIRST_LEVEL] - 3 * ORDER) & ~(chunk - 1), last = tile[LAST_LEVEL];
  for (int l = start; l <= last; l++) {
    if ((l & (chunk - 1)) == 0) {
      if (t == 0 && l > start) release(flags + own, l);
      if (t % 32 == 0 && t >= 32 && t < 128) {
        int other = tile[LEFT + t / 32 - 1];
        if (other >= 0) await(flags + other, l + chunk - 1);
      }
      barrier();
    }
    int level = l + group;
    if (valid && (u32)(level - c.base) < (u32)nx) {
      if (group)
        early[(level & 1) * (WIDE / GROUPS) + lane] = f.products(c, level, 2, 3, off, w);
      else {
        i64 at = f.at(c, l);
        float v = w[at];
        if (UPPER) v *= inverse[at];
        v -= f.products(c, l, 1, GROUPS > 1 ? 1 : 3, off, w);
        if (GROUPS > 1) v -= early[(l & 1) * (WIDE / GROUPS) + lane];
        w[at] = v;
      }
    }
    barrier();
  }
  if (t == 0) release(flags + own, ALL_LEVELS);
}

template <int ORDER, bool UPPER>
DEVICE void tileInForm(int natural, int groups, int nx, int ny, int nz, int tileP, int tileQ, int chunk, const int *RESTRICT plan, int *state,
                       const float *RESTRICT off, const float *RESTRICT inverse, float *w, float *early) {
  if (natural)
    tileByFlags<ORDER, UPPER, true, 1>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
  else if (ORDER == 0 || groups == 1)
    tileByFlags<ORDER, UPPER, false, 1>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
  else
    tileByFlags<ORDER, UPPER, false, 1 + ORDER>(nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
}

KERNEL void BOUNDS(WIDE) byFlags(int nx, int ny, int nz, int order, int upper, int natural, int groups, int tileP, int tileQ, int chunk,
                                 const int *RESTRICT plan, int *state, const float *RESTRICT off, const float *RESTRICT inverse, float *w) {
  SHARED float early[WIDE];
  if (order == 0 && !upper) tileInForm<0, false>(natural, groups, nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
  if (order == 0 && upper) tileInForm<0, true>(natural, groups, nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
  if (order == 1 && !upper) tileInForm<1, false>(natural, groups, nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
  if (order == 1 && upper) tileInForm<1, true>(natural, groups, nx, ny, nz, tileP, tileQ, chunk, plan, state, off, inverse, w, early);
}
