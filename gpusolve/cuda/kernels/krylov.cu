// Conjugate gradients. One thread marches a column; a block takes 128 columns of a row, and every gridY-th row. Sums go to partial[], one value per block, and the last block adds them
// in their order: the same bits every time.
#include "direction.h"

enum { THREADS = 128 };

// Vectors of two values: pads keep fields aligned to 128 bytes.
typedef float float2 __attribute__((ext_vector_type(2)));
typedef double double2 __attribute__((ext_vector_type(2)));

// finishDot sets RZ, MAXZ and BETA from sums already formed: RZ = r.z, MAXZ = max|z|, BETA = RZ / previous RZ, or 0 at the first.
DEVICE void finishDot(double s, double m, int first, double *scalars) {
  if (threadX() == 0) {
    scalars[BETA] = first ? 0 : s / scalars[RZ];
    scalars[RZ] = s;
    scalars[MAXZ] = m;
  }
}

// dot forms r.z and max|z|.
KERNEL void BOUNDS(THREADS) dot(i64 n, int first, const float *RESTRICT r, const float *RESTRICT z, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, m = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    float v = z[c];
    s += (double)r[c] * v;
    m = larger(m, __builtin_fabsf(v));
  }
  s = sumBlock(s, lines, THREADS);
  m = maxBlock(m, lines, THREADS);
  if (threadX() == 0) {
    partial[blockX()] = s;
    partial[gridX() + blockX()] = m;
  }
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, THREADS);
  m = greatest(partial + gridX(), gridX(), lines, THREADS);
  finishDot(s, m, first, scalars);
}

// dotOfStep is dot where the last smoothing step has left n blocks' sums and maxima in partial. One block.
KERNEL void BOUNDS(1024) dotOfStep(int n, int first, const double *RESTRICT partial, double *scalars) {
  SHARED double lines[32];
  double s = total(partial, n, lines, 1024), m = greatest(partial + n, n, lines, 1024);
  finishDot(s, m, first, scalars);
}

// direction is directionOf all rows.
KERNEL void BOUNDS(THREADS) direction(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                      const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                      const float *RESTRICT z, float *p0, float *p1, int *side, float *RESTRICT q, double *partial, double *scalars,
                                      u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  directionOf<false, THREADS>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, z, p0, p1, side, q, partial, scalars, ticket, 0, 0, lines, &last);
}

// Pairs of values that a thread reads together: a load of r behind a store to it waits for it.
enum { WIDE = 256, TOGETHER = 4 };

// lower sets r to v - alpha w for two neighbouring values, and returns what they add to r.r.
DEVICE double lower(float2 *r, float2 v, float2 w, float alpha) {
  v[0] = __builtin_fmaf(-alpha, w[0], v[0]);
  v[1] = __builtin_fmaf(-alpha, w[1], v[1]);
  *r = v;
  return (double)v[0] * v[0] + (double)v[1] * v[1];
}

// r -= ALPHA q, RR = r.r, and x += ALPHA p at every second call, the step before with it: x is read and written half as often. PENDING is the part of the former
// direction that x still lacks, 0 where it lacks none. side says which of p0 and p1 is p; the other one is the former direction.
KERNEL void BOUNDS(WIDE) update(i64 n, double *RESTRICT x, float *RESTRICT r, const float *p0, const float *p1, const int *side,
                                const float *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  int at = *(const volatile int *)side;
  const float *RESTRICT p = at ? p1 : p0, *RESTRICT former = at ? p0 : p1;
  double s = 0, alpha = load(scalars + ALPHA), pending = load(scalars + PENDING);
  float alpha32 = (float)alpha;
  i64 stride = (i64)gridX() * WIDE, c = (i64)blockX() * WIDE + threadX();
  float2 *pairs = (float2 *)r;
  const float2 *steps = (const float2 *)q;
  if (pending == 0) {
    for (; c + (TOGETHER - 1) * stride < n / 2; c += TOGETHER * stride) {
      float2 v[TOGETHER], w[TOGETHER];
#pragma unroll
      for (int k = 0; k < TOGETHER; k++) {
        v[k] = pairs[c + k * stride];
        w[k] = steps[c + k * stride];
      }
#pragma unroll
      for (int k = 0; k < TOGETHER; k++) s += lower(pairs + c + k * stride, v[k], w[k], alpha32);
    }
    for (; c < n / 2; c += stride) s += lower(pairs + c, pairs[c], steps[c], alpha32);
  } else {
#pragma unroll 2
    for (; c < n / 2; c += stride) {
      float2 d = ((const float2 *)p)[c], e = ((const float2 *)former)[c];
      double2 t = ((const double2 *)x)[c];
      s += lower(pairs + c, pairs[c], steps[c], alpha32);
      t[0] += pending * e[0] + alpha * d[0];
      t[1] += pending * e[1] + alpha * d[1];
      ((double2 *)x)[c] = t;
    }
  }
  if (n % 2 && blockX() == 0 && threadX() == 0) {
    c = n - 1;
    float v = __builtin_fmaf(-alpha32, q[c], r[c]);
    r[c] = v;
    if (pending != 0) x[c] += pending * former[c] + alpha * p[c];
    s += (double)v * v;
  }
  s = sumBlock(s, lines, WIDE);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, WIDE);
  if (threadX() == 0) {
    scalars[RR] = s;
    scalars[PENDING] = pending == 0 ? alpha : 0;
  }
}

// settle gives x what update left pending.
KERNEL void BOUNDS(WIDE) settle(i64 n, double *RESTRICT x, const float *p0, const float *p1, const int *side, double *scalars, u32 *ticket) {
  SHARED int last;
  const float *RESTRICT p = *(const volatile int *)side ? p1 : p0;
  double pending = load(scalars + PENDING);
  if (pending == 0) return;
  i64 stride = (i64)gridX() * WIDE;
#pragma unroll 2
  for (i64 c = (i64)blockX() * WIDE + threadX(); c < n; c += stride) x[c] += pending * p[c];
  barrier(); // the last block to end must find that all threads have read PENDING
  if (lastBlock(ticket, gridX(), &last) && threadX() == 0) scalars[PENDING] = 0;
}
