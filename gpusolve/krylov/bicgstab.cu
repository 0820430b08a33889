// BiCGSTAB with right preconditioning: vectors in FP64, what the preconditioner takes and gives in FP32.
#include "device.h"

enum { THREADS = 256 };

// The scalars of an iteration, behind those of conjugate gradients, which has RR and SCRATCH too; the squared norm of the residual at half an iteration is in
// SCRATCH.
enum Stabilised { RHO = 9, RV, STEP, TS, TT, OMEGA, TURN };

DEVICE double quotient(double a, double b) {
  double q = a / b;
  return __builtin_fabs(q) <= 1.7976931348623157e308 ? q : 0;
}

// sums adds two values of every thread of the grid; true for the last block, whose thread 0 has the sums.
DEVICE bool sums(double *a, double *b, double *lines, int *last, double *partial, u32 *ticket) {
  int blocks = gridX();
  *a = sumBlock(*a, lines, THREADS);
  *b = sumBlock(*b, lines, THREADS);
  if (threadX() == 0) {
    partial[blockX()] = *a;
    partial[blocks + blockX()] = *b;
  }
  if (!lastBlock(ticket, blocks, last)) return false;
  *a = total(partial, blocks, lines, THREADS);
  *b = total(partial + blocks, blocks, lines, THREADS);
  return true;
}

template <class T>
DEVICE void begin(i64 n, const T *RESTRICT from, double *RESTRICT r, double *RESTRICT shadow, double *RESTRICT p, float *RESTRICT p32, double *partial,
                  double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, none = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double v = from[c];
    r[c] = v, shadow[c] = v, p[c] = v, p32[c] = (float)v;
    s += v * v;
  }
  if (sums(&s, &none, lines, &last, partial, ticket) && threadX() == 0) scalars[RHO] = s;
}

// r = shadow = p = from, RHO = r.r.
KERNEL void BOUNDS(THREADS) beginSingle(i64 n, const float *RESTRICT from, double *RESTRICT r, double *RESTRICT shadow, double *RESTRICT p,
                                        float *RESTRICT p32, double *partial, double *scalars, u32 *ticket) {
  begin(n, from, r, shadow, p, p32, partial, scalars, ticket);
}

KERNEL void BOUNDS(THREADS) beginDouble(i64 n, const double *RESTRICT from, double *RESTRICT r, double *RESTRICT shadow, double *RESTRICT p,
                                        float *RESTRICT p32, double *partial, double *scalars, u32 *ticket) {
  begin(n, from, r, shadow, p, p32, partial, scalars, ticket);
}

KERNEL void BOUNDS(THREADS) widen(i64 n, const float *RESTRICT from, double *RESTRICT to) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) to[c] = from[c];
}

// RV = shadow.v, STEP = RHO / RV.
KERNEL void BOUNDS(THREADS) measureFirst(i64 n, const double *RESTRICT shadow, const double *RESTRICT v, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, none = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) s += shadow[c] * v[c];
  if (sums(&s, &none, lines, &last, partial, ticket) && threadX() == 0) {
    scalars[RV] = s;
    scalars[STEP] = quotient(scalars[RHO], s);
  }
}

// x += STEP y, r -= STEP v, SCRATCH = r.r.
KERNEL void BOUNDS(THREADS) moveFirst(i64 n, double *RESTRICT x, double *RESTRICT r, float *RESTRICT r32, const double *RESTRICT v,
                                      const float *RESTRICT y, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, none = 0, step = load(scalars + STEP);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    x[c] += step * y[c];
    double w = r[c] - step * v[c];
    r[c] = w;
    r32[c] = (float)w;
    s += w * w;
  }
  if (sums(&s, &none, lines, &last, partial, ticket) && threadX() == 0) scalars[SCRATCH] = s;
}

// TS = t.r, TT = t.t, OMEGA = TS / TT.
KERNEL void BOUNDS(THREADS) measureSecond(i64 n, const double *RESTRICT t, const double *RESTRICT r, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double ts = 0, tt = 0;
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    ts += t[c] * r[c];
    tt += t[c] * t[c];
  }
  if (sums(&ts, &tt, lines, &last, partial, ticket) && threadX() == 0) {
    scalars[TS] = ts;
    scalars[TT] = tt;
    scalars[OMEGA] = quotient(ts, tt);
  }
}

// x += OMEGA z, r -= OMEGA t, RR = r.r, TURN = (shadow.r / RHO) (STEP / OMEGA), RHO = shadow.r.
KERNEL void BOUNDS(THREADS) moveSecond(i64 n, double *RESTRICT x, double *RESTRICT r, const double *RESTRICT shadow, const double *RESTRICT t,
                                       const float *RESTRICT z, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double rr = 0, rho = 0, omega = load(scalars + OMEGA);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    x[c] += omega * z[c];
    double w = r[c] - omega * t[c];
    r[c] = w;
    rr += w * w;
    rho += shadow[c] * w;
  }
  if (sums(&rr, &rho, lines, &last, partial, ticket) && threadX() == 0) {
    scalars[RR] = rr;
    scalars[TURN] = quotient(rho, scalars[RHO]) * quotient(scalars[STEP], scalars[OMEGA]);
    scalars[RHO] = rho;
  }
}

// p = r + TURN (p - OMEGA v).
KERNEL void BOUNDS(THREADS) nextDirection(i64 n, double *RESTRICT p, float *RESTRICT p32, const double *RESTRICT r, const double *RESTRICT v,
                                          const double *scalars) {
  double turn = load(scalars + TURN), omega = load(scalars + OMEGA);
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    double w = r[c] + turn * (p[c] - omega * v[c]);
    p[c] = w;
    p32[c] = (float)w;
  }
}
