// Conjugate gradients. One thread marches a column; a block takes 128 columns of a row, and every gridY-th row. Sums go to partial[], one value per block, and the last block adds them
// in their order: the same bits every time.
#include "device.h"

enum { THREADS = 128 };

DEVICE double greatest(const double *partial, int n, double *lines) {
  double s = 0;
  for (int b = threadX(); b < n; b += THREADS) s = larger(s, load(partial + b));
  return maxBlock(s, lines, THREADS);
}

// RZ = r.z, MAXZ = max|z|, BETA = RZ / previous RZ, or 0 at the first.
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
  m = greatest(partial + gridX(), gridX(), lines);
  if (threadX() == 0) {
    scalars[BETA] = first ? 0 : s / scalars[RZ];
    scalars[RZ] = s;
    scalars[MAXZ] = m;
  }
}

// q = A p', PQ = p'.q and ALPHA = RZ/PQ for p' = z + BETA p, which update stores: here neighbours still read p. ALPHA is 0 where the quotient means
// nothing, so that x survives a breakdown. ground holds the planes that groundSlot[k] names; capacity may be null.
KERNEL void BOUNDS(THREADS) direction(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                      const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                      const float *RESTRICT z, const float *RESTRICT p, double *RESTRICT q, double *partial, double *scalars,
                                      u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  int i = blockX() * THREADS + threadX();
  double s = 0;
  float beta = (float)load(scalars + BETA);
  for (int j = blockY(); i < nx && j < ny; j += gridY()) {
    i64 sheet = (i64)nx * ny, c = (i64)j * nx + i, at = c;
    // At the first direction p holds nothing; beta is 0 then, and reading finite values is harmless.
    float below = 0, own = __builtin_fmaf(beta, p[c], z[c]), g = 0;
#pragma unroll 2
    for (int k = 0; k < nz; k++, c += sheet) {
      float above = 0, up = 0;
      if (k + 1 < nz) {
        above = __builtin_fmaf(beta, p[c + sheet], z[c + sheet]);
        up = gz[c];
      }
      float e = __builtin_fmaf(beta, p[c + 1], z[c + 1]), w = __builtin_fmaf(beta, p[c - 1], z[c - 1]);
      float n = __builtin_fmaf(beta, p[c + nx], z[c + nx]), o = __builtin_fmaf(beta, p[c - nx], z[c - nx]);
      double v = own;
      double a = (double)gx[c] * (v - e) + (double)gx[c - 1] * (v - w) + (double)gy[c] * (v - n) + (double)gy[c - nx] * (v - o) +
                 (double)g * (v - below) + (double)up * (v - above);
      int slot = groundSlot[k];
      if (slot >= 0) a += (double)ground[slot * sheet + at] * v;
      if (capacity) a += (double)capacity[c] * v;
      q[c] = a;
      s += a * v;
      below = own;
      own = above;
      g = up;
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

// p = z + BETA p, x += ALPHA p, r -= ALPHA q, r32 = r, RR = r.r.
KERNEL void BOUNDS(THREADS) update(i64 n, double *RESTRICT x, double *RESTRICT r, float *RESTRICT r32, float *RESTRICT p, const float *RESTRICT z,
                                   const double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, alpha = load(scalars + ALPHA);
  float beta = (float)load(scalars + BETA);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    float d = __builtin_fmaf(beta, p[c], z[c]);
    p[c] = d;
    x[c] += alpha * d;
    double v = r[c] - alpha * q[c];
    r[c] = v;
    r32[c] = (float)v;
    s += v * v;
  }
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, THREADS);
  if (threadX() == 0) scalars[RR] = s;
}
