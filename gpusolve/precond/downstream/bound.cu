// The bound on the error: what it compares, and the reductions that it needs.
#include "device.h"

enum { THREADS = 128 };

// peak gives the largest of a value of every thread of the grid to thread 0 of the last block; true there. What is not a number wins.
DEVICE bool peak(double *v, double *lines, int *last, double *partial, u32 *ticket) {
  double m = maxBlock<hotter>(*v, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = m;
  if (!lastBlock(ticket, gridX(), last)) return false;
  m = 0;
  for (int at = threadX(); at < gridX(); at += THREADS) m = hotter(m, load(partial + at));
  *v = maxBlock<hotter>(m, lines, THREADS);
  return threadX() == 0;
}

// raised sets to = |r| + share d.
KERNEL void BOUNDS(THREADS) raised(i64 n, const double *RESTRICT r, const double *RESTRICT d, double share, float *RESTRICT to) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) to[c] = (float)(__builtin_fabs(r[c]) + share * d[c]);
}

// dominates sets SCRATCH to 0 where product is positive and at least share of diagonal, and weight positive, everywhere, and to 1 elsewhere.
KERNEL void BOUNDS(THREADS) dominates(i64 n, double share, const double *RESTRICT product, const double *RESTRICT diagonal, const double *RESTRICT weight,
                                      double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double fails = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride)
    if (!(product[c] > 0 && product[c] >= share * diagonal[c] && weight[c] > 0)) fails = 1;
  if (peak(&fails, lines, &last, partial, ticket)) scalars[SCRATCH] = fails;
}

// greatestWeight sets SCRATCH to the largest weight, which are all positive.
KERNEL void BOUNDS(THREADS) greatestWeight(i64 n, const double *weight, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double top = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) top = hotter(top, weight[c]);
  if (peak(&top, lines, &last, partial, ticket)) scalars[SCRATCH] = top;
}

// scale sets d to product over SCRATCH. d may be product.
KERNEL void BOUNDS(THREADS) scale(i64 n, const double *product, const double *scalars, double *d) {
  double top = load(scalars + SCRATCH);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) d[c] = product[c] / top;
}

// most sets SCRATCH to the largest |r|/d.
KERNEL void BOUNDS(THREADS) most(i64 n, const double *RESTRICT r, const double *RESTRICT d, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double top = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) top = hotter(top, __builtin_fabs(r[c]) / d[c]);
  if (peak(&top, lines, &last, partial, ticket)) scalars[SCRATCH] = top;
}

// largest sets SCRATCH to the largest magnitude.
KERNEL void BOUNDS(THREADS) largest(i64 n, const float *v, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double top = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) top = hotter(top, __builtin_fabsf(v[c]));
  if (peak(&top, lines, &last, partial, ticket)) scalars[SCRATCH] = top;
}
