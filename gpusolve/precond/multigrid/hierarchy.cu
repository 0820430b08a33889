// Setup of the multigrid hierarchy: pivots of the columns, coarse conductances.
#include "device.h"

enum { THREADS = 128 };

// factor eliminates the columns from the bottom up: t_k = m_k + g t_{k-1} / (g + t_{k-1}), inverse_k = 1 / (gz_k + t_k), m the conductances to
// everything outside the column. All terms are positive, so FP32 loses nothing to cancellation.
KERNEL void BOUNDS(THREADS) factor(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                   const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                   float *RESTRICT inverse) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
  float t = 0, g = 0;
  for (int k = 0; k < nz; k++, c += sheet) {
    float m = gx[c] + gx[c - 1] + gy[c] + gy[c - nx];
    int slot = groundSlot[k];
    if (slot >= 0) m += ground[slot * sheet + at];
    if (capacity) m += capacity[c];
    if (k) m += g * (t / (g + t));
    t = m;
    g = gz[c];
    inverse[c] = 1 / (g + t);
  }
}

// series is the conductance between coarse cells c and c+1 of a line of couplings, stride apart: half of the coupling inside either pair and the
// one across.
DEVICE float series(const float *g, const int *first, int c, i64 stride) {
  int lo = first[c], mid = first[c + 1], hi = first[c + 2];
  float across = g[(mid - 1) * stride];
  if (across == 0) return 0;
  float r = 1 / across;
  if (mid - lo == 2) r += 0.5f / g[lo * stride];
  if (hi - mid == 2) r += 0.5f / g[mid * stride];
  return 1 / r;
}

// coarsen sums ground, capacity and vertical couplings over the fine cells and puts lateral ones in series, row by row.
KERNEL void BOUNDS(THREADS) coarsen(int nx, int ny, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                    const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity, int cx, int cy,
                                    const int *RESTRICT firstX, const int *RESTRICT firstY, float *RESTRICT cgx, float *RESTRICT cgy,
                                    float *RESTRICT cgz, float *RESTRICT cground, float *RESTRICT ccapacity) {
  BlockAt tile = blockAt(tiles(cx, THREADS), cy);
  int i = tile.x * THREADS + threadX(), j = tile.y, k = tile.z;
  if (i >= cx) return;
  i64 sheet = (i64)nx * ny, base = k * sheet, csheet = (i64)cx * cy, at = (i64)j * cx + i, c = k * csheet + at;
  int slot = groundSlot[k];
  float x = 0, y = 0, z = 0, g = 0, h = 0;
  for (int jj = firstY[j]; jj < firstY[j + 1]; jj++) {
    for (int ii = firstX[i]; ii < firstX[i + 1]; ii++) {
      i64 f = (i64)jj * nx + ii;
      z += gz[base + f];
      if (slot >= 0) g += ground[slot * sheet + f];
      if (capacity) h += capacity[base + f];
    }
    if (i + 1 < cx) x += series(gx + base + (i64)jj * nx, firstX, i, 1);
  }
  if (j + 1 < cy)
    for (int ii = firstX[i]; ii < firstX[i + 1]; ii++) y += series(gy + base + ii, firstY, j, nx);
  cgx[c] = x;
  cgy[c] = y;
  cgz[c] = z;
  if (slot >= 0) cground[slot * csheet + at] = g;
  if (capacity) ccapacity[c] = h;
}
