// Vectors of a double cover, in which vertex n + v represents the negative of v: a matrix with positive off-diagonals is solved as one of twice the size.
#include "device.h"

enum { WIDE = 256 };

// cover sets dst = (r, -r).
KERNEL void BOUNDS(WIDE) cover(i64 n, const float *RESTRICT r, float *RESTRICT dst) {
  i64 v = (i64)blockX() * WIDE + threadX();
  if (v >= n) return;
  dst[v] = r[v];
  dst[n + v] = -r[v];
}

// fold sets z to half the difference of the halves.
KERNEL void BOUNDS(WIDE) fold(i64 n, const float *RESTRICT src, float *RESTRICT z) {
  i64 v = (i64)blockX() * WIDE + threadX();
  if (v < n) z[v] = 0.5f * (src[v] - src[n + v]);
}
