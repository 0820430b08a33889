// Conjugate gradients on vectors of chosen precision, sums in FP64.
#include "quaddiag.h"

enum { THREADS = 256 };

#define CELLS(c) i64 c = (i64)blockX() * THREADS + threadX(), stride = (i64)gridX() * THREADS; c < n; c += stride

template <class R, class Z>
DEVICE void dot(i64 n, int first, const R *RESTRICT r, const Z *RESTRICT z, double *lines, int *last, double *partial, double *scalars, u32 *ticket) {
  double s = 0, m = 0;
  for (CELLS(c)) {
    double v = (double)z[c];
    s += (double)r[c] * v;
    m = larger(m, __builtin_fabs(v));
  }
  s = sumBlock(s, lines, THREADS);
  m = maxBlock(m, lines, THREADS);
  if (threadX() == 0) {
    partial[blockX()] = s;
    partial[gridX() + blockX()] = m;
  }
  if (!lastBlock(ticket, gridX(), last)) return;
  s = total(partial, gridX(), lines, THREADS);
  m = greatest(partial + gridX(), gridX(), lines, THREADS);
  if (threadX() == 0) {
    scalars[BETA] = first ? 0 : s / scalars[RZ];
    scalars[RZ] = s;
    scalars[MAXZ] = m;
  }
}

// RZ = r.z, MAXZ = max|z|, BETA = RZ / previous RZ, or 0 at the first.
KERNEL void BOUNDS(THREADS) dotDouble(i64 n, int first, const double *RESTRICT r, const double *RESTRICT z, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  dot(n, first, r, z, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) dotDoubleSingle(i64 n, int first, const double *RESTRICT r, const float *RESTRICT z, double *partial, double *scalars,
                                            u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  dot(n, first, r, z, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) dotSingle(i64 n, int first, const float *RESTRICT r, const float *RESTRICT z, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  dot(n, first, r, z, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) dotHalf(i64 n, int first, const half *RESTRICT r, const half *RESTRICT z, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  dot(n, first, r, z, lines, &last, partial, scalars, ticket);
}

// Sums of FP16 values are formed in FP32.
template <class P, class Z> DEVICE void turn(i64 n, const Z *RESTRICT z, P *RESTRICT p, const double *scalars) {
  typedef typename Arithmetic<P, P>::Sum S;
  double beta = load(scalars + BETA);
  for (CELLS(c)) p[c] = beta == 0 ? (P)z[c] : (P)((S)z[c] + (S)beta * (S)p[c]);
}

// p = z + BETA p.
KERNEL void BOUNDS(THREADS) turnDouble(i64 n, const double *RESTRICT z, double *RESTRICT p, const double *scalars) { turn(n, z, p, scalars); }
KERNEL void BOUNDS(THREADS) turnDoubleSingle(i64 n, const float *RESTRICT z, double *RESTRICT p, const double *scalars) { turn(n, z, p, scalars); }
KERNEL void BOUNDS(THREADS) turnSingle(i64 n, const float *RESTRICT z, float *RESTRICT p, const double *scalars) { turn(n, z, p, scalars); }
KERNEL void BOUNDS(THREADS) turnHalf(i64 n, const half *RESTRICT z, half *RESTRICT p, const double *scalars) { turn(n, z, p, scalars); }

template <class V>
DEVICE void update(i64 n, V *RESTRICT x, V *RESTRICT r, float *RESTRICT r32, const V *RESTRICT p, const V *RESTRICT q, double *lines, int *last,
                   double *partial, double *scalars, u32 *ticket) {
  typedef typename Arithmetic<V, V>::Sum S;
  double s = 0;
  S alpha = (S)load(scalars + ALPHA);
  for (CELLS(c)) {
    if (alpha != 0) x[c] = (V)((S)x[c] + alpha * (S)p[c]);
    V v = (V)((S)r[c] - alpha * (S)q[c]);
    r[c] = v;
    if (r32) r32[c] = (float)v;
    s += (double)v * (double)v;
  }
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), last)) return;
  s = total(partial, gridX(), lines, THREADS);
  if (threadX() == 0) scalars[RR] = s;
}

// x += ALPHA p, r -= ALPHA q, r32 = r, RR = r.r. An ALPHA of 0 leaves x alone: after a breakdown p may be no number.
KERNEL void BOUNDS(THREADS) updateDouble(i64 n, double *RESTRICT x, double *RESTRICT r, float *RESTRICT r32, const double *RESTRICT p,
                                         const double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  update(n, x, r, r32, p, q, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) updateSingle(i64 n, float *RESTRICT x, float *RESTRICT r, const float *RESTRICT p, const float *RESTRICT q, double *partial,
                                         double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  update(n, x, r, (float *)0, p, q, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) updateHalf(i64 n, half *RESTRICT x, half *RESTRICT r, const half *RESTRICT p, const half *RESTRICT q, double *partial,
                                       double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  update(n, x, r, (float *)0, p, q, lines, &last, partial, scalars, ticket);
}

// scalars[SCRATCH] = sum of (a - b)^2.
KERNEL void BOUNDS(THREADS) gap(i64 n, const double *RESTRICT a, const double *RESTRICT b, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0;
  for (CELLS(c)) s += (a[c] - b[c]) * (a[c] - b[c]);
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), &last)) return;
  s = total(partial, gridX(), lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}

template <class F, class T> DEVICE void convert(i64 n, double factor, const F *RESTRICT from, T *RESTRICT to) {
  for (CELLS(c)) to[c] = (T)((double)from[c] * factor);
}

// to = factor from.
KERNEL void BOUNDS(THREADS) doubleToDouble(i64 n, double factor, const double *RESTRICT from, double *RESTRICT to) { convert(n, factor, from, to); }
KERNEL void BOUNDS(THREADS) doubleToSingle(i64 n, double factor, const double *RESTRICT from, float *RESTRICT to) { convert(n, factor, from, to); }
KERNEL void BOUNDS(THREADS) doubleToHalf(i64 n, double factor, const double *RESTRICT from, half *RESTRICT to) { convert(n, factor, from, to); }
KERNEL void BOUNDS(THREADS) singleToDouble(i64 n, double factor, const float *RESTRICT from, double *RESTRICT to) { convert(n, factor, from, to); }
KERNEL void BOUNDS(THREADS) singleToSingle(i64 n, double factor, const float *RESTRICT from, float *RESTRICT to) { convert(n, factor, from, to); }
KERNEL void BOUNDS(THREADS) halfToDouble(i64 n, double factor, const half *RESTRICT from, double *RESTRICT to) { convert(n, factor, from, to); }

template <class V> DEVICE void scale(i64 n, const float *RESTRICT d, const V *RESTRICT r, V *RESTRICT z) {
  typedef typename Arithmetic<V, V>::Sum S;
  for (CELLS(c)) z[c] = d ? (V)((S)d[c] * (S)r[c]) : r[c];
}

// z = d r, or z = r without d.
KERNEL void BOUNDS(THREADS) scaleDouble(i64 n, const float *RESTRICT d, const double *RESTRICT r, double *RESTRICT z) { scale(n, d, r, z); }
KERNEL void BOUNDS(THREADS) scaleSingle(i64 n, const float *RESTRICT d, const float *RESTRICT r, float *RESTRICT z) { scale(n, d, r, z); }
KERNEL void BOUNDS(THREADS) scaleHalf(i64 n, const float *RESTRICT d, const half *RESTRICT r, half *RESTRICT z) { scale(n, d, r, z); }
