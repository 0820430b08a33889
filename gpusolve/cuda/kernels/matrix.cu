// Conjugate gradients and products for systems that are given as a matrix, by diagonals or by rows. Entries, residuals and products are FP64, search
// directions FP32.
#include "device.h"

enum { THREADS = 256, LANES = 8 };

// Bands are the diagonals of a matrix: at offsets 1, nx and sheet above and below the main one.
struct Bands {
  i64 n, nx, sheet;
  const double *diagonal, *x, *y, *z, *lx, *ly, *lz;
};

// Product of a row, and of the absolute values of its factors.
struct Row {
  double value, size;
};

template <class T> DEVICE void term(Row *r, double a, T x) {
  double v = a * (double)x;
  r->value += v;
  r->size += __builtin_fabs(v);
}

template <class T> DEVICE Row rowOfBands(const Bands &b, i64 c, const T *RESTRICT v) {
  Row r = {0, 0};
  if (c >= b.sheet) term(&r, b.lz[c - b.sheet], v[c - b.sheet]);
  if (c >= b.nx) term(&r, b.ly[c - b.nx], v[c - b.nx]);
  if (c >= 1) term(&r, b.lx[c - 1], v[c - 1]);
  term(&r, b.diagonal[c], v[c]);
  if (c + 1 < b.n) term(&r, b.x[c], v[c + 1]);
  if (c + b.nx < b.n) term(&r, b.y[c], v[c + b.nx]);
  if (c + b.sheet < b.n) term(&r, b.z[c], v[c + b.sheet]);
  return r;
}

// rowOfEntries is called by all lanes of a warp; LANES of them share a row, and the first of these has the sums. Rows at and beyond n are empty.
template <class T> DEVICE Row rowOfEntries(i64 n, i64 c, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val, const T *RESTRICT v) {
  Row r = {0, 0};
  if (c < n)
    for (i64 at = rowPtr[c] + threadX() % LANES, end = rowPtr[c + 1]; at < end; at += LANES) term(&r, val[at], v[col[at]]);
  for (int by = LANES / 2; by; by >>= 1) {
    r.value += shuffleDown(r.value, by);
    r.size += shuffleDown(r.size, by);
  }
  return r;
}

KERNEL void BOUNDS(THREADS) multiplyBands(i64 n, i64 nx, i64 sheet, const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y,
                                          const double *RESTRICT z, const double *RESTRICT lx, const double *RESTRICT ly, const double *RESTRICT lz,
                                          const double *RESTRICT v, double *RESTRICT out) {
  Bands b = {n, nx, sheet, diagonal, x, y, z, lx, ly, lz};
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) out[c] = rowOfBands(b, c, v).value;
}

KERNEL void BOUNDS(THREADS) multiplyRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val,
                                         const double *RESTRICT v, double *RESTRICT out) {
  i64 stride = (i64)gridX() * (THREADS / LANES);
  for (i64 first = (i64)blockX() * (THREADS / LANES); first < n; first += stride) {
    i64 c = first + threadX() / LANES;
    Row r = rowOfEntries(n, c, rowPtr, col, val, v);
    if (c < n && threadX() % LANES == 0) out[c] = r.value;
  }
}

// p = z + BETA p.
KERNEL void BOUNDS(THREADS) turn(i64 n, const float *RESTRICT z, float *RESTRICT p, const double *scalars) {
  float beta = (float)load(scalars + BETA);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) p[c] = beta == 0 ? z[c] : __builtin_fmaf(beta, p[c], z[c]);
}

// finishApply adds the blocks' sums to PQ and sets ALPHA, 0 where the quotient means nothing.
DEVICE void finishApply(double s, double *lines, int *last, double *partial, double *scalars, u32 *ticket) {
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

// q = A p, PQ = p.q, ALPHA = RZ / PQ.
KERNEL void BOUNDS(THREADS) applyBands(i64 n, i64 nx, i64 sheet, const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y,
                                       const double *RESTRICT z, const double *RESTRICT lx, const double *RESTRICT ly, const double *RESTRICT lz,
                                       const float *RESTRICT p, double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  Bands b = {n, nx, sheet, diagonal, x, y, z, lx, ly, lz};
  double s = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double v = rowOfBands(b, c, p).value;
    q[c] = v;
    s += v * p[c];
  }
  finishApply(s, lines, &last, partial, scalars, ticket);
}

KERNEL void BOUNDS(THREADS) applyRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val, const float *RESTRICT p,
                                      double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0;
  i64 stride = (i64)gridX() * (THREADS / LANES);
  for (i64 first = (i64)blockX() * (THREADS / LANES); first < n; first += stride) {
    i64 c = first + threadX() / LANES;
    Row r = rowOfEntries(n, c, rowPtr, col, val, p);
    if (c < n && threadX() % LANES == 0) {
      q[c] = r.value;
      s += r.value * p[c];
    }
  }
  finishApply(s, lines, &last, partial, scalars, ticket);
}

// x += ALPHA p, r -= ALPHA q, r32 = r, RR = r.r.
KERNEL void BOUNDS(THREADS) advance(i64 n, double *RESTRICT x, double *RESTRICT r, float *RESTRICT r32, const float *RESTRICT p,
                                    const double *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, alpha = load(scalars + ALPHA);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    x[c] += alpha * p[c];
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

// Sums of a residual.
struct Sums {
  double rr, bb, ff;
};

DEVICE void settle(Sums *s, i64 c, Row a, const double *RESTRICT b, double *RESTRICT r, float *RESTRICT r32) {
  double v = b[c] - a.value, f = a.size + __builtin_fabs(b[c]);
  r[c] = v;
  r32[c] = (float)v;
  s->rr += v * v;
  s->bb += b[c] * b[c];
  s->ff += f * f;
}

// finishResidual adds up RR = r.r, BB = b.b and FLOOR = |A||x| + |b| squared.
DEVICE void finishResidual(Sums s, double *lines, int *last, double *partial, double *scalars, u32 *ticket) {
  int blocks = gridX();
  double rr = sumBlock(s.rr, lines, THREADS), bb = sumBlock(s.bb, lines, THREADS), ff = sumBlock(s.ff, lines, THREADS);
  if (threadX() == 0) {
    partial[blockX()] = rr;
    partial[blocks + blockX()] = bb;
    partial[2 * blocks + blockX()] = ff;
  }
  if (!lastBlock(ticket, blocks, last)) return;
  rr = total(partial, blocks, lines, THREADS);
  bb = total(partial + blocks, blocks, lines, THREADS);
  ff = total(partial + 2 * blocks, blocks, lines, THREADS);
  if (threadX() == 0) {
    scalars[RR] = rr;
    scalars[BB] = bb;
    scalars[FLOOR] = ff;
  }
}

// r = b - A v with its sums. A null v is zero.
KERNEL void BOUNDS(THREADS) residualBands(i64 n, i64 nx, i64 sheet, const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y,
                                          const double *RESTRICT z, const double *RESTRICT lx, const double *RESTRICT ly, const double *RESTRICT lz,
                                          const double *RESTRICT b, const double *RESTRICT v, double *RESTRICT r, float *RESTRICT r32,
                                          double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  Bands bands = {n, nx, sheet, diagonal, x, y, z, lx, ly, lz};
  Sums s = {0, 0, 0};
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    Row a = {0, 0};
    if (v) a = rowOfBands(bands, c, v);
    settle(&s, c, a, b, r, r32);
  }
  finishResidual(s, lines, &last, partial, scalars, ticket);
}

KERNEL void BOUNDS(THREADS) residualRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val,
                                         const double *RESTRICT b, const double *RESTRICT v, double *RESTRICT r, float *RESTRICT r32, double *partial,
                                         double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  Sums s = {0, 0, 0};
  i64 stride = (i64)gridX() * (THREADS / LANES);
  for (i64 first = (i64)blockX() * (THREADS / LANES); first < n; first += stride) {
    i64 c = first + threadX() / LANES;
    Row a = {0, 0};
    if (v) a = rowOfEntries(n, c, rowPtr, col, val, v);
    if (c < n && threadX() % LANES == 0) settle(&s, c, a, b, r, r32);
  }
  finishResidual(s, lines, &last, partial, scalars, ticket);
}
