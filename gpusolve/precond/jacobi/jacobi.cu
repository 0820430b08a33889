// The diagonal of the matrix as a preconditioner.
#include "device.h"

enum { THREADS = 128 };

// z = d r, or a copy of r where d is null.
KERNEL void BOUNDS(THREADS) scale(i64 n, const float *d, const float *r, float *z) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) z[c] = d ? d[c] * r[c] : r[c];
}

// d = 1/diag(A), the diagonal summed in FP64.
KERNEL void BOUNDS(THREADS) inverseDiagonal(int nx, int ny, int nz, const float *gx, const float *gy, const float *gz, const float *ground,
                                            const int *groundSlot, const float *capacity, float *d) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
  double below = 0;
  for (int k = 0; k < nz; k++, c += sheet) {
    double v = (double)gx[c] + gx[c - 1] + gy[c] + gy[c - nx] + gz[c] + below;
    if (groundSlot[k] >= 0) v += ground[groundSlot[k] * sheet + at];
    if (capacity) v += capacity[c];
    d[c] = (float)(1 / v);
    below = gz[c];
  }
}

// d = 1 / diag(A), 0 where a row has none.
KERNEL void BOUNDS(THREADS) invertBands(i64 n, const double *RESTRICT diagonal, float *RESTRICT d) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) d[c] = (float)(1 / diagonal[c]);
}

KERNEL void BOUNDS(THREADS) invertRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val, float *RESTRICT d) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double v = 0;
    for (i64 at = rowPtr[c]; at < rowPtr[c + 1]; at++)
      if (col[at] == c) v = val[at];
    d[c] = (float)(1 / v);
  }
}
