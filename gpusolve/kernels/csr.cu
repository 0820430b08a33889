// Row-wise products with a matrix by rows: what general-purpose libraries do, for comparison with Quad-Diag. LANES threads share a row.
#include "device.h"

enum { THREADS = 256, LANES = 8 };

DEVICE double down(double v, int by) { return shuffleDown(v, by); }
DEVICE float down(float v, int by) {
  return __builtin_bit_cast(float, __nvvm_shfl_sync_down_i32(0xffffffffu, __builtin_bit_cast(int, v), by, 31));
}

// byRows calls each(c, (A v)[c]) for all rows.
template <class M, class V, class F>
DEVICE void byRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const M *RESTRICT val, const V *RESTRICT v, F each) {
  i64 stride = (i64)gridX() * (THREADS / LANES);
  for (i64 first = (i64)blockX() * (THREADS / LANES); first < n; first += stride) {
    i64 c = first + threadX() / LANES;
    V sum = 0;
    if (c < n)
      for (i64 at = rowPtr[c] + threadX() % LANES, end = rowPtr[c + 1]; at < end; at += LANES) sum += (V)val[at] * v[col[at]];
    for (int by = LANES / 2; by; by >>= 1) sum += down(sum, by);
    if (c < n && threadX() % LANES == 0) each(c, sum);
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
