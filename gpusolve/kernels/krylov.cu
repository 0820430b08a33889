// Conjugate gradients. One thread marches a column; a block takes 128 columns of a row, and every gridY-th row. Sums go to partial[], one value per block, and the last block adds them
// in their order: the same bits every time.
#include "device.h"

enum { THREADS = 128 };

// Vectors of four values: pads keep fields aligned to 16 bytes.
typedef float float4 __attribute__((ext_vector_type(4)));
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

// q = A p', PQ = p'.q and ALPHA = RZ/PQ for p' = z + BETA p, which update stores: here neighbours still read p. ALPHA is 0 where the quotient means
// nothing, so that x survives a breakdown. ground holds the planes that groundSlot[k] names; capacity may be null. Differences come first, so FP32
// loses nothing to a large common rise; what rounding is left shows in the true residual, from which the solver starts again if it must.
KERNEL void BOUNDS(THREADS) direction(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                      const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                      const float *RESTRICT z, const float *RESTRICT p, float *RESTRICT q, double *partial, double *scalars,
                                      u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  int i = blockX() * THREADS + threadX();
  double s = 0;
  float beta = (float)load(scalars + BETA);
  for (int j = blockY(); i < nx && j < ny; j += gridY()) {
    i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
    float own = __builtin_fmaf(beta, p[c], z[c]), down = 0;
#pragma unroll 4
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
      q[c] = a;
      s += (double)a * own;
      down = up;
      own = above;
      c = next;
    }
  }
  s = sumBlock(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  if (threadX() == 0) {
    scalars[PQ] = s;
    double alpha = scalars[RZ] / s;
    scalars[ALPHA] = s > 0 && __builtin_fabs(alpha) <= 1.7976931348623157e308 ? alpha : 0;
  }
}

// p = z + BETA p, x += ALPHA p, r -= ALPHA q, RR = r.r. Four values a thread and step; the pads behind the last are the same in all vectors.
KERNEL void BOUNDS(THREADS) update(i64 n, double *RESTRICT x, float *RESTRICT r, float *RESTRICT p, const float *RESTRICT z,
                                   const float *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, alpha = load(scalars + ALPHA);
  float beta = (float)load(scalars + BETA), alpha32 = (float)alpha;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n / 4; c += stride) {
    float4 d = ((const float4 *)p)[c], zz = ((const float4 *)z)[c], v = ((const float4 *)r)[c], qq = ((const float4 *)q)[c];
    double2 x0 = ((const double2 *)x)[2 * c], x1 = ((const double2 *)x)[2 * c + 1];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      d[e] = __builtin_fmaf(beta, d[e], zz[e]);
      v[e] = __builtin_fmaf(-alpha32, qq[e], v[e]);
      s += (double)v[e] * v[e];
    }
    x0[0] += alpha * d[0];
    x0[1] += alpha * d[1];
    x1[0] += alpha * d[2];
    x1[1] += alpha * d[3];
    ((float4 *)p)[c] = d;
    ((float4 *)r)[c] = v;
    ((double2 *)x)[2 * c] = x0;
    ((double2 *)x)[2 * c + 1] = x1;
  }
  i64 rest = n / 4 * 4 + threadX();
  if (blockX() == 0 && rest < n) {
    float d = __builtin_fmaf(beta, p[rest], z[rest]), v = __builtin_fmaf(-alpha32, q[rest], r[rest]);
    p[rest] = d;
    r[rest] = v;
    x[rest] += alpha * d;
    s += (double)v * v;
  }
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, THREADS);
  if (threadX() == 0) scalars[RR] = s;
}
