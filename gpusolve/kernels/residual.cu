// The true residual in FP64, and what else looks at the temperature field.
#include "residual.h"

enum { THREADS = 128 };

// residual takes old where there is a capacity.
KERNEL void BOUNDS(THREADS) residual(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                     const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                     const double *RESTRICT power, const int *RESTRICT powerSlot, const double *RESTRICT share,
                                     const double *RESTRICT inflow, const int *RESTRICT inflowSlot, const double *RESTRICT x,
                                     const double *RESTRICT old, float *RESTRICT r, double *RESTRICT r64, double *partial, double *scalars,
                                     u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  residualOf<true, THREADS>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, power, powerSlot, share, inflow, inflowSlot, x, old, r, r64, partial,
                   scalars, ticket, lines, &last, Alone());
}

// residualOldZero is residual where old is zero. One kernel for both would wait for old in a branch of its own: 5 % of the time of a residual in a time step.
KERNEL void BOUNDS(THREADS) residualOldZero(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                            const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                            const double *RESTRICT power, const int *RESTRICT powerSlot, const double *RESTRICT share,
                                            const double *RESTRICT inflow, const int *RESTRICT inflowSlot, const double *RESTRICT x,
                                            const double *RESTRICT old, float *RESTRICT r, double *RESTRICT r64, double *partial, double *scalars,
                                            u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  residualOf<false, THREADS>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, power, powerSlot, share, inflow, inflowSlot, x, old, r, r64, partial,
                    scalars, ticket, lines, &last, Alone());
}

// scalars[SCRATCH] = sum of capacity (x - old).
KERNEL void BOUNDS(THREADS) stored(i64 n, const float *RESTRICT capacity, const double *RESTRICT x, const double *RESTRICT old, double *partial,
                                   double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) s += capacity[c] * (x[c] - old[c]);
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}

// scalars[SCRATCH] = max x, not a number where any of x is none.
KERNEL void BOUNDS(THREADS) maximum(i64 n, const double *RESTRICT x, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = x[0];
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) s = hotter(s, x[c]);
  s = maxBlock<hotter>(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = load(partial);
  for (int b = threadX(); b < gridX(); b += THREADS) s = hotter(s, load(partial + b));
  s = maxBlock<hotter>(s, lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}

KERNEL void BOUNDS(THREADS) fill(i64 n, double value, double *x) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) x[c] = value;
}

// x becomes the continuation of (older, old, x), linear or quadratic, and the two others the states before. A null older is not kept.
KERNEL void BOUNDS(THREADS) extrapolate(i64 n, double *RESTRICT x, double *RESTRICT old, double *RESTRICT older, int quadratic) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double v = x[c], before = old[c], slope = v - before, next = v + slope;
    if (older) {
      if (quadratic) next += slope - (before - older[c]);
      older[c] = before;
    }
    x[c] = next;
    old[c] = v;
  }
}
