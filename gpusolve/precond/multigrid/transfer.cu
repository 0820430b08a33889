// Restriction and interpolation. Directions that are kept have every cell as its own parent with weight 0 for the farther.
#include "weight.h"

// Coarse cells of a block, the fine ones that they gather from at most, and the planes that a block of restrictStart takes.
enum { TX = 32, TY = 8, THREADS = TX * TY, WIDTH = 2 * TX + 2, ROWS = 2 * TY + 2, PLANES = 2 };

// share of fine cell i in the coarse cell of [lo, hi): far is the geometric weight of a cell for the coarse cell beyond its own.
DEVICE float share(const float *far, int i, int lo, int hi, int n) {
  if (i < 0 || i >= n || i > hi) return 0;
  return i >= lo && i < hi ? 1 - far[i] : far[i];
}

// Where a tile lies: the first fine cell and the end along x and y, one cell beyond the pairs on every side.
struct Tile {
  int i0, i1, j0, j1;
};

DEVICE Tile tile(int I0, int J0, int cx, int cy, const int *firstX, const int *firstY) {
  return {firstX[I0] - 1, firstX[I0 + TX < cx ? I0 + TX : cx] + 1, firstY[J0] - 1, firstY[J0 + TY < cy ? J0 + TY : cy] + 1};
}

// Stencil is what a coarse cell gathers: fine cells from ilo and jlo on, and the geometric weights of these and of one on either side, 0 where there is none.
struct Stencil {
  int ilo, ihi, jlo, jhi;
  float u[4], v[4];
};

DEVICE Stencil stencil(int I, int J, int nx, int ny, const int *firstX, const float *farX, const int *firstY, const float *farY) {
  Stencil s = {firstX[I], firstX[I + 1], firstY[J], firstY[J + 1], {}, {}};
#pragma unroll
  for (int a = 0; a < 4; a++) {
    s.u[a] = share(farX, s.ilo - 1 + a, s.ilo, s.ihi, nx);
    s.v[a] = share(farY, s.jlo - 1 + a, s.jlo, s.jhi, ny);
  }
  return s;
}

// gather is the coarse value of P^T r, r being the tile's residuals in a plane. The tile has a column to spare.
DEVICE float gather(const float (*r)[WIDTH + 1], const Tile &t, const Stencil &on) {
  float s = 0;
#pragma unroll
  for (int a = 0; a < 4; a++) {
    int tj = on.jlo - 1 + a - t.j0;
    const float *line = r[tj < ROWS ? tj : 0] + (on.ilo - 1 - t.i0);
    s += on.v[a] * (on.u[0] * line[0] + on.u[1] * line[1] + on.u[2] * line[2] + on.u[3] * line[3]);
  }
  return s;
}

// bc = P^T r, r = keep b + lateral x, where no plane has its own weights. A block makes TX x TY coarse cells of two planes; the fine cells' residuals go through
// shared memory. What a cell gathers is read before them, so that no thread waits for it after the barrier.
KERNEL void BOUNDS(THREADS) restrictStart(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT b,
                                          const float *RESTRICT x, float keep, int cx, int cy, const int *RESTRICT firstX,
                                          const float *RESTRICT farX, const int *RESTRICT firstY, const float *RESTRICT farY,
                                          float *RESTRICT bc) {
  SHARED float r[PLANES][ROWS][WIDTH + 1];
  BlockAt block = blockAt(tiles(cx, TX), tiles(cy, TY));
  int k = PLANES * block.z, I0 = block.x * TX, J0 = block.y * TY;
  i64 sheet = (i64)nx * ny;
  Tile t = tile(I0, J0, cx, cy, firstX, firstY);
  int I = I0 + threadX() % TX, J = J0 + threadX() / TX;
  bool inside = I < cx && J < cy;
  Stencil on = stencil(inside ? I : I0, inside ? J : J0, nx, ny, firstX, farX, firstY, farY);
  i64 up = k + 1 < nz ? sheet : 0; // the last plane of an odd number stands in for the one above it
#pragma unroll 5
  for (int n = threadX(); n < ROWS * WIDTH; n += THREADS) {
    int tj = n / WIDTH, ti = n - tj * WIDTH, i = t.i0 + ti, j = t.j0 + tj;
    float v[PLANES] = {};
    if (i >= 0 && i < nx && i < t.i1 && j >= 0 && j < ny && j < t.j1) {
      i64 c = k * sheet + (i64)j * nx + i;
#pragma unroll
      for (int q = 0; q < PLANES; q++) {
        v[q] = keep * b[c] + gx[c] * x[c + 1] + gx[c - 1] * x[c - 1] + gy[c] * x[c + nx] + gy[c - nx] * x[c - nx];
        c += up;
      }
    }
#pragma unroll
    for (int q = 0; q < PLANES; q++) r[q][tj][ti] = v[q];
  }
  if (threadX() < PLANES * ROWS) r[threadX() / ROWS][threadX() % ROWS][WIDTH] = 0;
  barrier();
  if (!inside) return;
#pragma unroll
  for (int q = 0; q < PLANES; q++)
    if (k + q < nz)
      bc[((i64)(k + q) * cy + J) * cx + I] = gather(r[q], t, on);
}

enum { OWN, FAR_X, FAR_Y, FAR_XY, PARTS };

// The weights of a plane, null where the directions have them, and the residual keep b + lateral (x - less before) in it; before may be null.
struct Residual {
  const float *RESTRICT gx, *RESTRICT gy, *RESTRICT b, *RESTRICT x, *RESTRICT before;
  const u16 *RESTRICT px, *RESTRICT py;
  const float *RESTRICT farX, *RESTRICT farY;
  float keep, less;
};

// scatter shares out the residuals of a tile's fine cells in the plane that begins at c0.
template <bool BEFORE> DEVICE void scatter(float (*r)[ROWS][WIDTH + 1], const Residual &of, const Tile &t, i64 c0, int nx, int ny) {
  auto smoothed = [&](i64 c) { return BEFORE ? of.x[c] - of.less * of.before[c] : of.x[c]; };
#pragma unroll 5
  for (int n = threadX(); n < ROWS * WIDTH; n += THREADS) {
    int tj = n / WIDTH, ti = n - tj * WIDTH, i = t.i0 + ti, j = t.j0 + tj;
    float v = 0, ux = 0, uy = 0;
    if (i >= 0 && i < nx && i < t.i1 && j >= 0 && j < ny && j < t.j1) {
      i64 at = (i64)j * nx + i, c = c0 + at;
      v = of.keep * of.b[c] + of.gx[c] * smoothed(c + 1) + of.gx[c - 1] * smoothed(c - 1) + of.gy[c] * smoothed(c + nx) + of.gy[c - nx] * smoothed(c - nx);
      ux = of.px ? weightOf(of.px[at]) : of.farX[i];
      uy = of.py ? weightOf(of.py[at]) : of.farY[j];
    }
    float near = (1 - uy) * v, far = uy * v;
    r[OWN][tj][ti] = (1 - ux) * near;
    r[FAR_X][tj][ti] = ux * near;
    r[FAR_Y][tj][ti] = (1 - ux) * far;
    r[FAR_XY][tj][ti] = ux * far;
  }
}

// restrictWeighted sets bc = P^T r, r = keep b + lateral (x - less before), where planes have separate weights, in the slots that weightSlot[k] names. before may be
// null. What a fine cell gives to its own coarse cell and to the farther ones goes through shared memory, so that no weight is read twice.
KERNEL void BOUNDS(THREADS) restrictWeighted(int nx, int ny, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT b,
                                             const float *RESTRICT x, const float *RESTRICT before, float keep, float less, int cx, int cy,
                                             const int *RESTRICT firstX, const float *RESTRICT farX, const int *RESTRICT firstY,
                                             const float *RESTRICT farY, const int *RESTRICT weightSlot, const u16 *RESTRICT wx,
                                             const u16 *RESTRICT wy, float *RESTRICT bc) {
  SHARED float r[PARTS][ROWS][WIDTH + 1];
  BlockAt block = blockAt(tiles(cx, TX), tiles(cy, TY));
  int k = block.z, I0 = block.x * TX, J0 = block.y * TY, slot = weightSlot[k];
  i64 sheet = (i64)nx * ny;
  Residual of = {gx, gy, b, x, before, slot >= 0 && wx ? wx + slot * sheet : 0, slot >= 0 && wy ? wy + slot * sheet : 0, farX, farY, keep, less};
  Tile t = tile(I0, J0, cx, cy, firstX, firstY);
  if (before)
    scatter<true>(r, of, t, k * sheet, nx, ny);
  else
    scatter<false>(r, of, t, k * sheet, nx, ny);
  barrier();
  int I = I0 + threadX() % TX, J = J0 + threadX() / TX;
  if (I >= cx || J >= cy) return;
  int ilo = firstX[I], ihi = firstX[I + 1], jlo = firstY[J], jhi = firstY[J + 1];
  float s = 0;
  for (int j = jlo - 1; j <= jhi; j++) {
    const float(*rows)[WIDTH + 1] = r[j >= jlo && j < jhi ? OWN : FAR_Y] + (j - t.j0), *own = rows[0] - t.i0, *far = rows[ROWS] - t.i0;
    float line = far[ilo - 1] + own[ilo] + far[ihi];
    if (ihi - ilo > 1) line += own[ilo + 1];
    s += line;
  }
  bc[((i64)k * cy + J) * cx + I] = s;
}

enum { LAYERS = 5 };

// x += P xc. near and beyond name the coarse columns along x and y that a fine one lies between; beyond is near where there is none. A thread takes
// LAYERS planes: where its column lies is the same in all.
KERNEL void BOUNDS(128) prolong(int nx, int ny, int nz, int cx, int cy, const int *RESTRICT nearX, const int *RESTRICT beyondX,
                                const float *RESTRICT farX, const int *RESTRICT nearY, const int *RESTRICT beyondY, const float *RESTRICT farY,
                                const float *RESTRICT xc, float *RESTRICT x) {
  BlockAt block = blockAt(tiles(nx, 128), ny);
  int i = block.x * 128 + threadX(), j = block.y, k = LAYERS * block.z;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, csheet = (i64)cx * cy, at = k * sheet + (i64)j * nx + i;
  const float *p0 = xc + k * csheet + (i64)nearY[j] * cx, *p1 = xc + k * csheet + (i64)beyondY[j] * cx;
  int I = nearX[i], I1 = beyondX[i];
  float u = farX[i], v = farY[j], w00 = (1 - v) * (1 - u), w01 = (1 - v) * u, w10 = v * (1 - u), w11 = v * u;
  float sum[LAYERS];
#pragma unroll
  for (int q = 0; q < LAYERS; q++) {
    i64 up = k + q < nz ? q : nz - 1 - k, c = up * csheet; // the top plane stands in for those above it, which are not stored
    sum[q] = w00 * p0[c + I] + w01 * p0[c + I1] + w10 * p1[c + I] + w11 * p1[c + I1] + x[at + up * sheet];
  }
#pragma unroll
  for (int q = 0; q < LAYERS; q++)
    if (k + q < nz) x[at + q * sheet] = sum[q];
}

// prolongWeighted is prolong where some planes have separate weights, cell by cell, in the slots that weightSlot[k] names.
KERNEL void BOUNDS(128) prolongWeighted(int nx, int ny, int nz, int cx, int cy, const int *RESTRICT nearX, const int *RESTRICT beyondX,
                                        const float *RESTRICT farX, const int *RESTRICT nearY, const int *RESTRICT beyondY,
                                        const float *RESTRICT farY, const int *RESTRICT weightSlot, const u16 *RESTRICT wx,
                                        const u16 *RESTRICT wy, const float *RESTRICT xc, float *RESTRICT x) {
  BlockAt block = blockAt(tiles(nx, 128), ny);
  int i = block.x * 128 + threadX(), j = block.y, k0 = LAYERS * block.z;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, csheet = (i64)cx * cy, at = (i64)j * nx + i;
  i64 near = (i64)nearY[j] * cx, beyond = (i64)beyondY[j] * cx;
  int I = nearX[i], I1 = beyondX[i];
  float u = farX[i], v = farY[j], sum[LAYERS];
#pragma unroll
  for (int q = 0; q < LAYERS; q++) {
    int k = k0 + q < nz ? k0 + q : nz - 1, slot = weightSlot[k]; // the top plane stands in for those above it, which are not stored
    float a = slot >= 0 && wx ? weightOf(wx[slot * sheet + at]) : u, b = slot >= 0 && wy ? weightOf(wy[slot * sheet + at]) : v;
    const float *p0 = xc + k * csheet + near, *p1 = xc + k * csheet + beyond;
    sum[q] = x[k * sheet + at] + (1 - b) * ((1 - a) * p0[I] + a * p0[I1]) + b * ((1 - a) * p1[I] + a * p1[I1]);
  }
#pragma unroll
  for (int q = 0; q < LAYERS; q++)
    if (k0 + q < nz) x[(k0 + q) * sheet + at] = sum[q];
}
