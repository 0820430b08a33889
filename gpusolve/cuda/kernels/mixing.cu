// What a fixed-point iteration does with its vectors.
#include "device.h"

enum { THREADS = 128 };

// dst = a x + b y. dst may be x or y.
KERNEL void BOUNDS(THREADS) combine(i64 n, double a, const double *x, double b, const double *y, double *dst) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) dst[c] = __nvvm_mul_rn_d(a, x[c]) + __nvvm_mul_rn_d(b, y[c]);
}

// scalars[SCRATCH] = x.y, scalars[MAXZ] = max|x|.
KERNEL void BOUNDS(THREADS) inner(i64 n, const double *RESTRICT x, const double *RESTRICT y, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, top = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double v = x[c];
    s += v * y[c];
    top = larger(top, __builtin_fabs(v));
  }
  s = sumBlock(s, lines, THREADS);
  top = maxBlock(top, lines, THREADS);
  if (threadX() == 0) {
    partial[blockX()] = s;
    partial[gridX() + blockX()] = top;
  }
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, THREADS);
  top = greatest(partial + gridX(), gridX(), lines, THREADS);
  if (threadX() == 0) {
    scalars[SCRATCH] = s;
    scalars[MAXZ] = top;
  }
}
