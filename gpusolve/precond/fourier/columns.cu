// Columns of modes: the tridiagonal systems along z of each pair of wave numbers, in FP64, one thread a column. Modes are stored as planes of nx rows of
// ny coefficients. A class of lengths keeps the column in registers; the general path keeps the elimination's factors in memory.
#include "device.h"

// SEGMENT is how many planes of a long column are in registers at a time.
enum { THREADS = 128, SEGMENT = 16 };

// Stack is what all columns have in common. In plane k, x[k] lambda + y[k] mu + rest[k] leads to the ground and up[k] to plane k+1, 0 in the top one. The
// right-hand side is gain[k] times the old state and, for the entries first[k] to first[k+1]-1, share[e] times sheet[e]. The elimination is that of Layered's
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

// Sweep is a column's way up: from below come the conductance g to the ground and the heat d that pass to the next plane; f and e are the plane's own:
// x[k] = e + f x[k+1].
struct Sweep {
  double l, m, g, d, e, f;
};
// up takes plane k in, whose old state is before.
DEVICE void up(const Stack &s, Sweep &w, int k, double before, i64 c, i64 plane) {
  double q = heat(s, k, c, plane) + part(s, k, gain) * before + w.d, g = ground(s, k, w.l, w.m) + w.g, to = part(s, k, upwards);
  double inverse = 1 / (g + to);
  w.e = q * inverse;
  w.f = to * inverse;
  w.g = w.f * g;
  w.d = to * w.e;
}

// once solves a column once. old may be x or null.
template <int NZ> DEVICE void once(const Stack &s, const double *old, double *x) {
  Sweep w = {0, 0, 0, 0, 0, 0};
  double e[NZ], f[NZ];
  i64 c = column(s, &w.l, &w.m), plane = (i64)s.nx * s.ny;
  if (c < 0) return;
#pragma unroll
  for (int k = 0; k < NZ; k++) e[k] = old && k < s.nz ? old[c + k * plane] : 0;
#pragma unroll
  for (int k = 0; k < NZ; k++)
    if (k < s.nz) {
      up(s, w, k, e[k], c, plane);
      e[k] = w.e;
      f[k] = w.f;
    }
  double t = 0;
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--)
    if (k < s.nz) x[c + k * plane] = t = e[k] + f[k] * t;
}

// often solves a column steps times in a row, each time with the result as the old state.
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

// march4 is solve4 steps times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march4(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<4>(STACK, old, x, steps);
}

// march10 is solve10 steps times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march10(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<10>(STACK, old, x, steps);
}

// march16 is solve16 steps times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march16(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<16>(STACK, old, x, steps);
}

// march32 is solve32 steps times in a row, each time with x as old.
KERNEL void BOUNDS(THREADS) march32(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                    const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                    const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, int steps) {
  often<32>(STACK, old, x, steps);
}

// solveAny is solve4 for columns of any length, in segments of planes that registers hold. On the way up, two values for each segment and thread of the grid
// are kept, which lead from one segment to the next. On the way down a segment's elimination is done again. A thread takes a column after the other.
KERNEL void BOUNDS(THREADS) solveAny(int nx, int ny, int nz, const double *RESTRICT lambda, const double *RESTRICT mu,
                                     const double *RESTRICT planes, const double *RESTRICT share, const double *RESTRICT sheets,
                                     const int *RESTRICT first, const int *RESTRICT sheet, const double *old, double *x, double *RESTRICT kept) {
  Stack s = STACK;
  i64 plane = (i64)nx * ny, all = (i64)gridX() * THREADS, own = (i64)blockX() * THREADS + threadX();
  for (i64 c = own; c < plane; c += all) {
    u32 kx = (u32)c / (u32)ny;
    Sweep w = {lambda[kx], mu[(u32)c - kx * ny], 0, 0, 0, 0};
    int segments = (nz + SEGMENT - 1) / SEGMENT;
    for (int n = 0; n < segments; n++) {
      kept[2 * n * all + own] = w.g;
      kept[(2 * n + 1) * all + own] = w.d;
      for (int k = n * SEGMENT; k < (n + 1) * SEGMENT && k < nz; k++) up(s, w, k, old ? old[c + k * plane] : 0, c, plane);
    }
    double t = 0;
    for (int n = segments - 1; n >= 0; n--) {
      double d[SEGMENT], f[SEGMENT];
      w.g = kept[2 * n * all + own];
      w.d = kept[(2 * n + 1) * all + own];
#pragma unroll
      for (int m = 0; m < SEGMENT; m++) {
        int k = n * SEGMENT + m;
        if (k < nz) {
          up(s, w, k, old ? old[c + k * plane] : 0, c, plane);
          d[m] = w.e;
          f[m] = w.f;
        }
      }
#pragma unroll
      for (int m = SEGMENT - 1; m >= 0; m--) {
        int k = n * SEGMENT + m;
        if (k < nz) x[c + k * plane] = t = d[m] + f[m] * t;
      }
    }
  }
}
