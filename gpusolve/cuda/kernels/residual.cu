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

// residualOldZero is residual where old is zero. One kernel for both would wait for old in a separate branch: 5 % of the time of a residual in a time step.
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

// differences sets scalars[0 ... 4] to the inner products of d0 = x - old, rounded to FP32, with itself, d1, d2, d3 and d4 over the rows from first up to end.
KERNEL void BOUNDS(THREADS) differences(int nx, int ny, int nz, int first, int end, const double *RESTRICT x, const double *RESTRICT old,
                                        const float *RESTRICT d1, const float *RESTRICT d2, const float *RESTRICT d3, const float *RESTRICT d4,
                                        double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
  i64 n = (i64)nx * (end - first), stride = (i64)gridX() * THREADS;
  for (int k = blockY(); k < nz; k += gridY()) {
    i64 base = ((i64)k * ny + first) * nx;
#pragma unroll 2
    for (i64 at = (i64)blockX() * THREADS + threadX(); at < n; at += stride) {
      i64 c = base + at;
      double d = (float)(x[c] - old[c]);
      s0 += d * d;
      s1 += d * d1[c];
      s2 += d * d2[c];
      s3 += d * d3[c];
      s4 += d * d4[c];
    }
  }
  s0 = sumBlock(s0, lines, THREADS);
  s1 = sumBlock(s1, lines, THREADS);
  s2 = sumBlock(s2, lines, THREADS);
  s3 = sumBlock(s3, lines, THREADS);
  s4 = sumBlock(s4, lines, THREADS);
  int blocks = gridX() * gridY(), block = blockY() * gridX() + blockX();
  if (threadX() == 0) {
    partial[block] = s0;
    partial[blocks + block] = s1;
    partial[2 * blocks + block] = s2;
    partial[3 * blocks + block] = s3;
    partial[4 * blocks + block] = s4;
  }
  if (!lastBlock(ticket, blocks, &last)) return;
  for (int m = 0; m < 5; m++) {
    double s = total(partial + m * blocks, blocks, lines, THREADS);
    if (threadX() == 0) scalars[m] = s;
  }
}

// x moves on by w0 (x - old) + w1 d1 + w2 d2 + w3 d3, old becomes the former x, and d4 gives its place to x - old where it is not null. What has no weight may be no
// number.
KERNEL void BOUNDS(THREADS) extrapolate(i64 n, double *RESTRICT x, double *RESTRICT old, const float *RESTRICT d1, const float *RESTRICT d2,
                                        const float *RESTRICT d3, float *RESTRICT d4, double w0, double w1, double w2, double w3) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double v = x[c], d = v - old[c], next = v;
    if (w0 != 0) next += w0 * d;
    if (w1 != 0) next += w1 * d1[c];
    if (w2 != 0) next += w2 * d2[c];
    if (w3 != 0) next += w3 * d3[c];
    x[c] = next;
    old[c] = v;
    if (d4) d4[c] = (float)d;
  }
}
