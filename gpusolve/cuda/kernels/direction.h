// A step of conjugate gradients along a new direction, of a whole grid or of a slab.
#pragma once
#include "device.h"

// p' = z + BETA p, q = A p', PQ = p'.q and ALPHA = RZ/PQ. p changes between two buffers, as neighbours still read the old one: side says which of p0
// and p1 holds it, and is turned at the end. ALPHA is 0 where the quotient means nothing, so that x survives a breakdown. ground holds the planes that
// groundSlot[k] names; capacity may be null. Differences come first, so FP32 loses nothing to a large common rise; what rounding is left shows in the true
// residual, from which the solver starts again if it must. With ROWS the sum is over the rows from first up to end, those that a slab owns.
template <bool ROWS, int THREADS>
DEVICE void directionOf(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                        const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity, const float *RESTRICT z,
                        float *p0, float *p1, int *side, float *RESTRICT q, double *partial, double *scalars, u32 *ticket, int first, int end,
                        double *lines, int *last) {
  int from = *(const volatile int *)side;
  const float *RESTRICT p = from ? p1 : p0;
  float *RESTRICT fresh = from ? p0 : p1;
  int i = blockX() * THREADS + threadX();
  double s = 0;
  float beta = (float)load(scalars + BETA);
  for (int j = blockY(); i < nx && j < ny; j += gridY()) {
    i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
    float own = __builtin_fmaf(beta, p[c], z[c]), down = 0;
    double before = s;
#pragma unroll 2
    for (int k = 0; k < nz; k++) {
      // In the top plane the coupling upwards is zero, and the plane itself stands in for the one above.
      i64 next = k + 1 < nz ? c + sheet : c;
      float above = __builtin_fmaf(beta, p[next], z[next]);
      float e = __builtin_fmaf(beta, p[c + 1], z[c + 1]), w = __builtin_fmaf(beta, p[c - 1], z[c - 1]);
      float n = __builtin_fmaf(beta, p[c + nx], z[c + nx]), o = __builtin_fmaf(beta, p[c - nx], z[c - nx]);
      float up = gz[c] * (own - above);
      float a = gx[c] * (own - e) + gx[c - 1] * (own - w) + gy[c] * (own - n) + gy[c - nx] * (own - o) + (up - down);
      int slot = groundSlot[k];
      if (slot >= 0) a += ground[slot * sheet + at] * own;
      if (capacity) a += capacity[c] * own;
      fresh[c] = own;
      q[c] = a;
      s += (double)a * own;
      down = up;
      own = above;
      c = next;
    }
    if (ROWS && (j < first || j >= end)) s = before;
  }
  s = sumBlock(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, last)) return;
  s = total(partial, blocks, lines, THREADS);
  if (threadX() == 0) {
    *side = 1 - from;
    scalars[PQ] = s;
    double alpha = scalars[RZ] / s;
    scalars[ALPHA] = s > 0 && __builtin_fabs(alpha) <= 1.7976931348623157e308 ? alpha : 0;
  }
}
