// Conjugate gradients. One thread marches a column; a block takes a tile of columns, and every gridY-th such row of tiles. Sums go to partial[], one value per block, and the last block adds them
// in their order: the same bits every time.
#include "direction.h"

enum { THREADS = 128 };

// Vectors of two values: pads keep fields aligned to 16 bytes.
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

enum { WIDE = 256 };

// advance is update for two neighbouring values, as wide as makes x's accesses whole lines.
DEVICE double advance(i64 c, double2 *x, float2 *r, const float2 *p, const float2 *q, double alpha, float alpha32) {
  float2 d = p[c], v = r[c], w = q[c];
  double2 t = x[c];
  v[0] = __builtin_fmaf(-alpha32, w[0], v[0]);
  v[1] = __builtin_fmaf(-alpha32, w[1], v[1]);
  t[0] += alpha * d[0];
  t[1] += alpha * d[1];
  r[c] = v;
  x[c] = t;
  return (double)v[0] * v[0] + (double)v[1] * v[1];
}

// x += ALPHA p, r -= ALPHA q, RR = r.r; side says which of p0 and p1 is p.
KERNEL void BOUNDS(WIDE) update(i64 n, double *RESTRICT x, float *RESTRICT r, const float *p0, const float *p1, const int *side,
                                const float *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  const float *RESTRICT p = *(const volatile int *)side ? p1 : p0;
  double s = 0, alpha = load(scalars + ALPHA);
  float alpha32 = (float)alpha;
  i64 stride = (i64)gridX() * WIDE;
#pragma unroll 2
  for (i64 c = (i64)blockX() * WIDE + threadX(); c < n / 2; c += stride)
    s += advance(c, (double2 *)x, (float2 *)r, (const float2 *)p, (const float2 *)q, alpha, alpha32);
  if (n % 2 && blockX() == 0 && threadX() == 0) {
    i64 c = n - 1;
    float v = __builtin_fmaf(-alpha32, q[c], r[c]);
    r[c] = v;
    x[c] += alpha * p[c];
    s += (double)v * v;
  }
  s = sumBlock(s, lines, WIDE);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, WIDE);
  if (threadX() == 0) scalars[RR] = s;
}
