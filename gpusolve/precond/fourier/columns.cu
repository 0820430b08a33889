// Columns of modes: the tridiagonal systems along z of each pair of wave numbers, in FP64, one thread a column. Modes are stored as planes of nx rows of
// ny coefficients. A class of lengths keeps the column in registers; the general path keeps the elimination's factors in memory.
#include "device.h"

enum { THREADS = 128 };

// Stack is what all columns have in common. In plane k, x[k] lambda + y[k] mu + rest[k] leads to the ground and up[k] to plane k+1, 0 in the top one. The
// right side is gain[k] times the old state and, for the entries first[k] to first[k+1]-1, share[e] times sheet[e]. The elimination is that of Layered's
// comment, without a difference.
struct Stack {
  int nx, ny, nz;
  const double *lambda, *mu, *planes, *share, *sheets;
  const int *first, *sheet;
};
enum { alongX, alongY, rest, upwards, gain, PARTS };

// Planes lie one behind the other with PARTS numbers each.
DEVICE double part(const Stack &s, int k, int p) { return s.planes[k * PARTS + p]; }

// ground is what leads from a cell of plane k to the ground.
DEVICE double ground(const Stack &s, int k, double l, double m) { return part(s, k, alongX) * l + part(s, k, alongY) * m + part(s, k, rest); }

DEVICE double heat(const Stack &s, int k, i64 c, i64 plane) {
  double q = 0;
#pragma unroll 1
  for (int e = s.first[k]; e < s.first[k + 1]; e++) q += s.share[e] * s.sheets[s.sheet[e] * plane + c];
  return q;
}

DEVICE i64 column(const Stack &s, double *l, double *m) {
  u32 c = (u32)blockX() * THREADS + threadX(), n = (u32)s.nx * s.ny;
  if (c >= n) return -1;
  u32 kx = c / (u32)s.ny;
  *l = s.lambda[kx];
  *m = s.mu[c - kx * s.ny];
  return c;
}

// once solves a column once. old may be x or null.
template <int NZ> DEVICE void once(const Stack &s, const double *old, double *x) {
  double l, m, d[NZ], f[NZ], g = 0;
  i64 c = column(s, &l, &m), plane = (i64)s.nx * s.ny;
  if (c < 0) return;
  if (old) {
#pragma unroll
    for (int k = 0; k < NZ; k++)
      if (k < s.nz) d[k] = old[c + k * plane];
  }
#pragma unroll
  for (int k = 0; k < NZ; k++)
    if (k < s.nz) {
      double q = heat(s, k, c, plane), up = part(s, k, upwards);
      if (old) q += part(s, k, gain) * d[k];
      if (k) q += part(s, k - 1, upwards) * d[k - 1];
      g = ground(s, k, l, m) + (k ? f[k - 1] * g : 0);
      double inverse = 1 / (g + up);
      d[k] = q * inverse;
      f[k] = up * inverse;
    }
  double t = 0;
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--)
    if (k < s.nz) x[c + k * plane] = t = d[k] + f[k] * t;
}

// often solves a column so many times in a row, each time with the result as the old state.
template <int NZ> DEVICE void often(const Stack &s, const double *old, double *x, int steps) {
  double l, m, d[NZ], q[NZ], inverse[NZ], g = 0;
  i64 c = column(s, &l, &m), plane = (i64)s.nx * s.ny;
  if (c < 0) return;
#pragma unroll
  for (int k = 0; k < NZ; k++)
    if (k < s.nz) {
      d[k] = old[c + k * plane];
      q[k] = heat(s, k, c, plane);
      g = ground(s, k, l, m) + (k ? part(s, k - 1, upwards) * inverse[k - 1] * g : 0);
      inverse[k] = 1 / (g + part(s, k, upwards));
    }
  for (int step = 0; step < steps; step++) {
    double t = 0;
#pragma unroll
    for (int k = 0; k < NZ; k++)
      if (k < s.nz) {
        t = (q[k] + part(s, k, gain) * d[k] + (k ? part(s, k - 1, upwards) * t : 0)) * inverse[k];
        d[k] = t;
      }
    t = 0;
#pragma unroll
    for (int k = NZ - 1; k >= 0; k--)
      if (k < s.nz) d[k] = t = d[k] + part(s, k, upwards) * inverse[k] * t;
  }
#pragma unroll
  for (int k = 0; k < NZ; k++)
    if (k < s.nz) x[c + k * plane] = d[k];
}

#define STACK Stack{nx, ny, nz, lambda, mu, planes, share, sheets, first, sheet}

// solve4 sets x to the solution of columns of up to 4 planes. old may be x or null.
KERNEL void BOUNDS(THREADS) solve4(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x) {
  once<4>(STACK, old, x);
}

// solve10 sets x to the solution of columns of up to 10 planes. old may be x or null.
KERNEL void BOUNDS(THREADS) solve10(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x) {
  once<10>(STACK, old, x);
}

// solve16 sets x to the solution of columns of up to 16 planes. old may be x or null.
KERNEL void BOUNDS(THREADS) solve16(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x) {
  once<16>(STACK, old, x);
}

// solve32 sets x to the solution of columns of up to 32 planes. old may be x or null.
KERNEL void BOUNDS(THREADS) solve32(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x) {
  once<32>(STACK, old, x);
}

// march4 is solve4 so many times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march4(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<4>(STACK, old, x, steps);
}

// march10 is solve10 so many times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march10(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<10>(STACK, old, x, steps);
}

// march16 is solve16 so many times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march16(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<16>(STACK, old, x, steps);
}

// march32 is solve32 so many times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march32(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<32>(STACK, old, x, steps);
}

// solveAny is solve4 for columns of any length. Factors go to memory, nz values for each thread of the grid; so a thread takes a column after the other.
KERNEL void BOUNDS(THREADS) solveAny(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, double *RESTRICT factors) {
  Stack s = STACK;
  i64 plane = (i64)nx * ny, all = (i64)gridX() * THREADS, own = (i64)blockX() * THREADS + threadX();
  for (i64 c = own; c < plane; c += all) {
    u32 kx = (u32)c / (u32)ny;
    double l = lambda[kx], m = mu[(u32)c - kx * ny], d = 0, f = 0, g = 0;
    for (int k = 0; k < nz; k++) {
      double q = heat(s, k, c, plane), up = part(s, k, upwards);
      if (old) q += part(s, k, gain) * old[c + k * plane];
      if (k) q += part(s, k - 1, upwards) * d;
      g = ground(s, k, l, m) + f * g;
      double inverse = 1 / (g + up);
      x[c + k * plane] = d = q * inverse;
      factors[k * all + own] = f = up * inverse;
    }
    for (int k = nz - 2; k >= 0; k--) x[c + k * plane] = d = x[c + k * plane] + factors[k * all + own] * d;
  }
}
