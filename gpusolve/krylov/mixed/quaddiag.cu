// Copies of a matrix in Quad-Diag form, and products with them.
// Kernels with FP64 vectors have blocks of BROAD threads.
enum { FLAT = 256, BROAD = 256, THREADS = 128, PARTS = 64 };

#define RESIDENT 8
#include "quaddiag.h"

// s = 1/sqrt(diagonal), the scaling that makes the diagonal 1.
KERNEL void BOUNDS(FLAT) rootScale(i64 n, const double *RESTRICT diagonal, float *RESTRICT scale) {
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) scale[c] = (float)(1 / __builtin_sqrt(diagonal[c]));
}

// scaled is an entry of S A S, or of A where there is no S.
DEVICE double scaled(double v, const float *RESTRICT scale, i64 row, i64 col) { return scale ? v * scale[row] * scale[col] : v; }

// extent finds the largest sizes of a plane's entries: of main, x, y and z, and the least main entry. Block b = parts k + part writes those of its part
// of plane k to sizes[5 b].
KERNEL void BOUNDS(FLAT) extent(int parts, i64 nx, i64 sheet, i64 n, const double *RESTRICT main, const double *RESTRICT x, const double *RESTRICT y,
                                const double *RESTRICT z, const float *RESTRICT scale, double *RESTRICT sizes) {
  SHARED double lines[32];
  double m[5] = {0, 0, 0, 0, -1e300};
  int b = blockX();
  i64 base = (i64)(b / parts) * sheet;
  for (i64 at = (i64)(b % parts) * FLAT + threadX(); at < sheet; at += (i64)parts * FLAT) {
    i64 c = base + at;
    double v = main[c];
    m[0] = larger(m[0], __builtin_fabs(scaled(v, scale, c, c)));
    m[4] = larger(m[4], v == v ? -v : 1e300);
    if (c + 1 < n) m[1] = larger(m[1], __builtin_fabs(scaled(x[c], scale, c, c + 1)));
    if (c + nx < n) m[2] = larger(m[2], __builtin_fabs(scaled(y[c], scale, c, c + nx)));
    if (c + sheet < n) m[3] = larger(m[3], __builtin_fabs(scaled(z[c], scale, c, c + sheet)));
  }
  for (int i = 0; i < 5; i++) {
    double v = maxBlock(m[i], lines, FLAT);
    if (threadX() == 0) sizes[5 * (i64)b + i] = v;
  }
}

template <class M> DEVICE void keep(i64 n, i64 offset, const double *RESTRICT from, const float *RESTRICT scale, float factor, M *RESTRICT to) {
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) {
    double v = scaled(from[c], scale, c, c + offset) * factor;
    to[c] = (M)v;
  }
}

// keepDouble, keepSingle and keepHalf store the n entries of a diagonal at an offset, times factor.
KERNEL void BOUNDS(FLAT) keepDouble(i64 n, i64 offset, const double *RESTRICT from, const float *RESTRICT scale, float factor, double *RESTRICT to) {
  keep(n, offset, from, scale, factor, to);
}
KERNEL void BOUNDS(FLAT) keepSingle(i64 n, i64 offset, const double *RESTRICT from, const float *RESTRICT scale, float factor, float *RESTRICT to) {
  keep(n, offset, from, scale, factor, to);
}
KERNEL void BOUNDS(FLAT) keepHalf(i64 n, i64 offset, const double *RESTRICT from, const float *RESTRICT scale, float factor, half *RESTRICT to) {
  keep(n, offset, from, scale, factor, to);
}

DEVICE int nothing(i64) { return 0; }

// back undoes the power of two of FP16 entries.
template <int BLOCK, bool PLANES, class M, class V> DEVICE void multiply(Quad<M> a, float back, const V *RESTRICT v, V *RESTRICT out) {
  march<BLOCK, PLANES>(a, v, nothing, [&](i64 c, V, typename Arithmetic<M, V>::Sum s, int) { out[c] = (V)(s * back); });
}

// y = A v in the precisions of entries and vectors.
KERNEL void BOUNDS(BROAD) multiplyDouble(int nx, int ny, int nz, const double *RESTRICT main, const double *RESTRICT x, const double *RESTRICT y,
                                           const double *RESTRICT z, const double *RESTRICT v, double *RESTRICT out) {
  multiply<BROAD, false>(Quad<double>{nx, ny, nz, main, x, y, z, 0, 0}, 1, v, out);
}
KERNEL void BOUNDS(BROAD) multiplyDecoupled(int nx, int ny, int nz, const float *RESTRICT main, const float *RESTRICT x, const float *RESTRICT y,
                                              const float *RESTRICT z, const double *RESTRICT v, double *RESTRICT out) {
  multiply<BROAD, false>(Quad<float>{nx, ny, nz, main, x, y, z, 0, 0}, 1, v, out);
}
KERNEL void BOUNDS(THREADS) multiplySingle(int nx, int ny, int nz, const float *RESTRICT main, const float *RESTRICT x, const float *RESTRICT y,
                                           const float *RESTRICT z, const float *RESTRICT v, float *RESTRICT out) {
  multiply<THREADS, false>(Quad<float>{nx, ny, nz, main, x, y, z, 0, 0}, 1, v, out);
}
KERNEL void BOUNDS(THREADS) multiplyPhysics(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                            const half *RESTRICT z, float unit, float back, const float *RESTRICT v,
                                            float *RESTRICT out) {
  multiply<THREADS, false>(Quad<half>{nx, ny, nz, main, x, y, z, unit, 0}, back, v, out);
}
KERNEL void BOUNDS(THREADS) multiplyPlanes(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                            const half *RESTRICT z, float unit, float back, const int *RESTRICT promote, const float *RESTRICT v,
                                            float *RESTRICT out) {
  multiply<THREADS, true>(Quad<half>{nx, ny, nz, main, x, y, z, unit, promote}, back, v, out);
}
KERNEL void BOUNDS(THREADS) multiplyHalf(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                         const half *RESTRICT z, float unit, float back, const half *RESTRICT v, half *RESTRICT out) {
  multiply<THREADS, false>(Quad<half>{nx, ny, nz, main, x, y, z, unit, 0}, back, v, out);
}

// finishCurve adds the blocks' sums to PQ and sets ALPHA, 0 where the quotient means nothing.
template <int BLOCK> DEVICE void finishCurve(double s, double *lines, int *last, double *partial, double *scalars, u32 *ticket) {
  int blocks = gridX() * gridY();
  s = sumBlock(s, lines, BLOCK);
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, last)) return;
  s = total(partial, blocks, lines, BLOCK);
  if (threadX() == 0) {
    scalars[PQ] = s;
    double alpha = scalars[RZ] / s;
    scalars[ALPHA] = s > 0 && __builtin_fabs(alpha) <= 1.7976931348623157e308 ? alpha : 0;
  }
}

template <int BLOCK, class M, class V> DEVICE double curve(Quad<M> a, float back, const V *RESTRICT p, V *RESTRICT q) {
  double sum = 0;
  march<BLOCK, false>(a, p, nothing, [&](i64 c, V own, typename Arithmetic<M, V>::Sum s, int) {
    V v = (V)(s * back);
    q[c] = v;
    sum += (double)v * (double)own;
  });
  return sum;
}

// q = A p, PQ = p.q, ALPHA = RZ / PQ.
KERNEL void BOUNDS(BROAD) curveDouble(int nx, int ny, int nz, const double *RESTRICT main, const double *RESTRICT x, const double *RESTRICT y,
                                        const double *RESTRICT z, const double *RESTRICT p, double *RESTRICT q, double *partial, double *scalars,
                                        u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  finishCurve<BROAD>(curve<BROAD>(Quad<double>{nx, ny, nz, main, x, y, z, 0, 0}, 1, p, q), lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(BROAD) curveDecoupled(int nx, int ny, int nz, const float *RESTRICT main, const float *RESTRICT x, const float *RESTRICT y,
                                           const float *RESTRICT z, const double *RESTRICT p, double *RESTRICT q, double *partial, double *scalars,
                                           u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  finishCurve<BROAD>(curve<BROAD>(Quad<float>{nx, ny, nz, main, x, y, z, 0, 0}, 1, p, q), lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) curveSingle(int nx, int ny, int nz, const float *RESTRICT main, const float *RESTRICT x, const float *RESTRICT y,
                                        const float *RESTRICT z, const float *RESTRICT p, float *RESTRICT q, double *partial, double *scalars,
                                        u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  finishCurve<THREADS>(curve<THREADS>(Quad<float>{nx, ny, nz, main, x, y, z, 0, 0}, 1, p, q), lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) curveHalf(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                      const half *RESTRICT z, float unit, float back, const half *RESTRICT p, half *RESTRICT q, double *partial,
                                      double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  finishCurve<THREADS>(curve<THREADS>(Quad<half>{nx, ny, nz, main, x, y, z, unit, 0}, back, p, q), lines, &last, partial, scalars, ticket);
}
