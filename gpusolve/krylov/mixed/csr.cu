// Row-wise products with a matrix by rows, for comparison with Quad-Diag. A thread takes a row: with rows of seven entries 1.6 times as fast as eight
// threads for each.
#include "device.h"

enum { THREADS = 256 };

// Few registers and many threads: a row's loads wait for its pointers.
#undef BOUNDS
#define BOUNDS(threads) __attribute__((launch_bounds(threads, 5)))

// byRows calls each(c, (A v)[c]) for all rows.
template <class M, class V, class F>
DEVICE void byRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const M *RESTRICT val, const V *RESTRICT v, F each) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    V sum = 0;
    for (i64 at = rowPtr[c], end = rowPtr[c + 1]; at < end; at++) sum += (V)val[at] * v[col[at]];
    each(c, sum);
  }
}

// out = A v.
KERNEL void BOUNDS(THREADS) multiplyRowsDouble(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val,
                                               const double *RESTRICT v, double *RESTRICT out) {
  byRows(n, rowPtr, col, val, v, [&](i64 c, double sum) { out[c] = sum; });
}
KERNEL void BOUNDS(THREADS) multiplyRowsDecoupled(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const float *RESTRICT val,
                                                  const double *RESTRICT v, double *RESTRICT out) {
  byRows(n, rowPtr, col, val, v, [&](i64 c, double sum) { out[c] = sum; });
}
KERNEL void BOUNDS(THREADS) multiplyRowsSingle(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const float *RESTRICT val,
                                               const float *RESTRICT v, float *RESTRICT out) {
  byRows(n, rowPtr, col, val, v, [&](i64 c, float sum) { out[c] = sum; });
}

template <class M, class V>
DEVICE void curve(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const M *RESTRICT val, const V *RESTRICT p, V *RESTRICT q, double *lines,
                  int *last, double *partial, double *scalars, u32 *ticket) {
  double s = 0;
  byRows(n, rowPtr, col, val, p, [&](i64 c, V sum) {
    q[c] = sum;
    s += (double)sum * (double)p[c];
  });
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), last)) return;
  s = total(partial, gridX(), lines, THREADS);
  if (threadX() == 0) {
    scalars[PQ] = s;
    double alpha = scalars[RZ] / s;
    scalars[ALPHA] = s > 0 && __builtin_fabs(alpha) <= 1.7976931348623157e308 ? alpha : 0;
  }
}

// q = A p, PQ = p.q, ALPHA = RZ / PQ, 0 where that means nothing.
KERNEL void BOUNDS(THREADS) curveRowsDouble(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val,
                                            const double *RESTRICT p, double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  curve(n, rowPtr, col, val, p, q, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) curveRowsDecoupled(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const float *RESTRICT val,
                                               const double *RESTRICT p, double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  curve(n, rowPtr, col, val, p, q, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(THREADS) curveRowsSingle(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const float *RESTRICT val,
                                            const float *RESTRICT p, float *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  curve(n, rowPtr, col, val, p, q, lines, &last, partial, scalars, ticket);
}
