// The Chebyshev iteration, a step in one pass, and Lanczos vectors.
// Kernels with FP64 vectors have blocks of BROAD threads.
enum { FLAT = 256, BROAD = 256, THREADS = 128 };

#define RESIDENT 7
#include "quaddiag.h"

// A scalar in addition to those of device.h: the power of two by which a right-hand side was multiplied.
enum { LIFT = 10 };

// lift finds the power of two that brings peak to [4, 8): far from the largest FP16 number, as the iteration's corrections grow at first.
DEVICE double liftOf(double peak) {
  if (!(peak > 0) || peak > 1e300) return 1;
  int e = (int)(__builtin_bit_cast(u64, peak) >> 52) - 1023, by = 2 - e;
  by = by < -120 ? -120 : by > 120 ? 120 : by;
  return __builtin_bit_cast(double, (u64)(1023 + by) << 52);
}

template <class V>
DEVICE void peak(i64 n, const float *RESTRICT scale, const V *RESTRICT r, double theta, double *lines, int *last, double *partial, double *scalars,
                 u32 *ticket) {
  double m = 0;
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) m = larger(m, __builtin_fabs((double)r[c] * (scale ? scale[c] : 1.0f)));
  m = maxBlock(m, lines, FLAT);
  if (threadX() == 0) partial[blockX()] = m;
  if (!lastBlock(ticket, gridX(), last)) return;
  m = greatest(partial, gridX(), lines, FLAT);
  if (threadX() == 0) scalars[LIFT] = liftOf(m / theta);
}

// LIFT for max|S r|/theta. A null scale is 1.
KERNEL void BOUNDS(FLAT) peakSingle(i64 n, const float *RESTRICT scale, const float *RESTRICT r, double theta, double *partial, double *scalars,
                                    u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  peak(n, scale, r, theta, lines, &last, partial, scalars, ticket);
}
KERNEL void BOUNDS(FLAT) peakHalf(i64 n, const float *RESTRICT scale, const half *RESTRICT r, double theta, double *partial, double *scalars,
                                  u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  peak(n, scale, r, theta, lines, &last, partial, scalars, ticket);
}

template <class V>
DEVICE void start(i64 n, const float *RESTRICT scale, int lift, double theta, const V *RESTRICT r, V *RESTRICT rest, V *RESTRICT d, const double *scalars) {
  typedef typename Arithmetic<V, V>::Sum S;
  S by = lift ? (S)load(scalars + LIFT) : 1, inverse = (S)(1 / theta);
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) {
    S v = by * (S)r[c];
    if (scale) v *= (S)scale[c];
    rest[c] = (V)v;
    d[c] = (V)(v * inverse);
  }
}

// rest = c S r and d = rest / theta, c being LIFT where lift is 1, else 1.
KERNEL void BOUNDS(FLAT) startDouble(i64 n, const float *RESTRICT scale, int lift, double theta, const double *RESTRICT r, double *RESTRICT rest,
                                     double *RESTRICT d, const double *scalars) {
  start(n, scale, lift, theta, r, rest, d, scalars);
}
KERNEL void BOUNDS(FLAT) startSingle(i64 n, const float *RESTRICT scale, int lift, double theta, const float *RESTRICT r, float *RESTRICT rest,
                                     float *RESTRICT d, const double *scalars) {
  start(n, scale, lift, theta, r, rest, d, scalars);
}
KERNEL void BOUNDS(FLAT) startHalf(i64 n, const float *RESTRICT scale, int lift, double theta, const half *RESTRICT r, half *RESTRICT rest,
                                   half *RESTRICT d, const double *scalars) {
  start(n, scale, lift, theta, r, rest, d, scalars);
}

// What all steps share: the coefficients, which of the first and last step it is, and how the result is scaled back.
template <class S> struct Recurrence {
  S keep, gain;
  int first, last, lifted;
  const float *scale;
  const double *scalars;
};

// Former values of a cell. The first step's z counts as zero.
template <class V> struct Former {
  V z, rest;
};

template <class S, class V> DEVICE Former<V> former(const Recurrence<S> &u, i64 c, const V *z, const V *rest) { return {u.first ? (V)0 : z[c], rest[c]}; }

// relax is the arithmetic of a step at a cell, with the product (A d)[c] at hand.
template <class S, class V>
DEVICE void relax(const Recurrence<S> &u, S back, i64 c, V own, S product, Former<V> f, V *RESTRICT z, V *RESTRICT rest, V *RESTRICT next) {
  S sum = (S)f.z + (S)own;
  S left = (S)f.rest - product;
  S d = u.keep * (S)own + u.gain * left;
  if (u.last) {
    S v = (sum + d) * back;
    if (u.scale) v *= (S)u.scale[c];
    z[c] = (V)v;
    return;
  }
  z[c] = (V)sum;
  rest[c] = (V)left;
  next[c] = (V)d;
}

// Memory traffic of a step: d, rest, z read, next, rest, z written, and four diagonals: 32 B per cell with FP16 entries and FP32 vectors.
template <int BLOCK, bool PLANES, class M, class V>
DEVICE void step(Quad<M> a, float undo, Recurrence<typename Arithmetic<M, V>::Sum> u, V *RESTRICT z, V *RESTRICT rest, const V *RESTRICT d, V *RESTRICT next) {
  typedef typename Arithmetic<M, V>::Sum S;
  S back = u.lifted ? (S)(1 / load(u.scalars + LIFT)) : (S)1;
  march<BLOCK, PLANES>(
      a, d, [&](i64 c) { return former(u, c, z, rest); },
      [&](i64 c, V own, S product, Former<V> f) { relax(u, back, c, own, product * (S)undo, f, z, rest, next); });
}

// z += d, rest -= A d, next = keep d + gain rest; the last step sets z = S (z + d + next)/LIFT instead. undo is the inverse of the entries' power of
// two.
KERNEL void BOUNDS(BROAD) stepDouble(int nx, int ny, int nz, const double *RESTRICT main, const double *RESTRICT x, const double *RESTRICT y,
                                       const double *RESTRICT z, double keep, double gain, int first, int final, const float *RESTRICT scale,
                                       double *RESTRICT sum, double *RESTRICT rest, const double *RESTRICT d, double *RESTRICT next) {
  step<BROAD, false>(Quad<double>{nx, ny, nz, main, x, y, z, 0, 0}, 1, Recurrence<double>{keep, gain, first, final, 0, scale, 0}, sum, rest, d, next);
}
KERNEL void BOUNDS(THREADS) stepSingle(int nx, int ny, int nz, const float *RESTRICT main, const float *RESTRICT x, const float *RESTRICT y,
                                       const float *RESTRICT z, float keep, float gain, int first, int final, const float *RESTRICT scale,
                                       float *RESTRICT sum, float *RESTRICT rest, const float *RESTRICT d, float *RESTRICT next) {
  step<THREADS, false>(Quad<float>{nx, ny, nz, main, x, y, z, 0, 0}, 1, Recurrence<float>{keep, gain, first, final, 0, scale, 0}, sum, rest, d, next);
}
KERNEL void BOUNDS(THREADS) stepPhysics(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                        const half *RESTRICT z, float unit, float undo, float keep, float gain,
                                        int first, int final, int lifted, const float *RESTRICT scale, const double *scalars, float *RESTRICT sum,
                                        float *RESTRICT rest, const float *RESTRICT d, float *RESTRICT next) {
  step<THREADS, false>(Quad<half>{nx, ny, nz, main, x, y, z, unit, 0}, undo, Recurrence<float>{keep, gain, first, final, lifted, scale, scalars}, sum, rest, d, next);
}
KERNEL void BOUNDS(THREADS) stepPlanes(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                        const half *RESTRICT z, float unit, float undo, const int *RESTRICT promote, float keep, float gain,
                                        int first, int final, int lifted, const float *RESTRICT scale, const double *scalars, float *RESTRICT sum,
                                        float *RESTRICT rest, const float *RESTRICT d, float *RESTRICT next) {
  step<THREADS, true>(Quad<half>{nx, ny, nz, main, x, y, z, unit, promote}, undo, Recurrence<float>{keep, gain, first, final, lifted, scale, scalars}, sum, rest, d, next);
}
KERNEL void BOUNDS(THREADS) stepHalf(int nx, int ny, int nz, const half *RESTRICT main, const half *RESTRICT x, const half *RESTRICT y,
                                     const half *RESTRICT z, float unit, float undo, float keep, float gain, int first, int final, int lifted,
                                     const float *RESTRICT scale, const double *scalars, half *RESTRICT sum, half *RESTRICT rest,
                                     const half *RESTRICT d, half *RESTRICT next) {
  step<THREADS, false>(Quad<half>{nx, ny, nz, main, x, y, z, unit, 0}, undo, Recurrence<float>{keep, gain, first, final, lifted, scale, scalars}, sum, rest, d, next);
}

template <class V> DEVICE void relaxAll(i64 n, Recurrence<V> u, V *z, V *rest, V *d, const V *RESTRICT y) {
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) relax(u, (V)1, c, d[c], y[c], former(u, c, z, rest), z, rest, d);
}

// A step where y = A d has been formed before, and d becomes next.
KERNEL void BOUNDS(FLAT) relaxDouble(i64 n, double keep, double gain, int first, int final, const float *RESTRICT scale, double *RESTRICT z,
                                     double *RESTRICT rest, double *RESTRICT d, const double *RESTRICT y) {
  relaxAll(n, Recurrence<double>{keep, gain, first, final, 0, scale, 0}, z, rest, d, y);
}
KERNEL void BOUNDS(FLAT) relaxSingle(i64 n, float keep, float gain, int first, int final, const float *RESTRICT scale, float *RESTRICT z,
                                     float *RESTRICT rest, float *RESTRICT d, const float *RESTRICT y) {
  relaxAll(n, Recurrence<float>{keep, gain, first, final, 0, scale, 0}, z, rest, d, y);
}

// finishSquare sets RR to the sum of the blocks' parts.
DEVICE void finishSquare(double s, double *lines, int *last, double *partial, double *scalars, u32 *ticket) {
  s = sumBlock(s, lines, FLAT);
  if (threadX() == 0) partial[blockX()] = s;
  if (!lastBlock(ticket, gridX(), last)) return;
  s = total(partial, gridX(), lines, FLAT);
  if (threadX() == 0) scalars[RR] = s;
}

// v is noise from -1 to 1, by a hash of position and seed (the finaliser of MurmurHash3), and RR = v.v.
KERNEL void BOUNDS(FLAT) noise(i64 n, u32 seed, float *RESTRICT v, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0;
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) {
    u32 h = (u32)c * 0x9e3779b9u ^ seed;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    float x = (float)((int)(h >> 8) - 0x800000) * 0x1p-23f;
    v[c] = x;
    s += (double)x * x;
  }
  finishSquare(s, lines, &last, partial, scalars, ticket);
}

// w -= alpha v + beta u, RR = w.w. A null u is zero.
KERNEL void BOUNDS(FLAT) purge(i64 n, float alpha, float beta, const float *RESTRICT v, const float *RESTRICT u, float *RESTRICT w, double *partial,
                               double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0;
  i64 stride = (i64)gridX() * FLAT;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < n; c += stride) {
    float x = w[c] - alpha * v[c];
    if (u) x -= beta * u[c];
    w[c] = x;
    s += (double)x * x;
  }
  finishSquare(s, lines, &last, partial, scalars, ticket);
}
