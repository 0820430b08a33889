// The true residual of a mesh's operator in FP64.
#pragma once
#include "device.h"

// Alone is nothing beside couplings and ground.
struct Alone {
  __attribute__((device, always_inline)) void operator()(int, int, int, i64, i64, double *, double *) const {}
};

// residualOf sets r = b - A x, rounded to FP32, r64 the same in FP64 (each may be null), and the sums RR = r.r, BB = b.b, FLOOR = |A||x| + |b| squared. power
// and inflow hold planes in the slots that powerSlot[k] and inflowSlot[k] name; a plane receives share[k] of its layer's power. The capacity acts on old - x,
// so that the heat content at the start of the step, which nearly cancels, is never formed. A null x is zero.
// With ROWS the sums are over the rows from first up to end, those that a slab owns.
// beside(i, j, k, at, c, a, diagonal) adds to the row of cell c, at its place in plane k, what else A has, and to its diagonal.
template <bool WITH_OLD, int THREADS, bool ROWS = false, class Beside>
DEVICE void residualOf(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz, const float *RESTRICT ground,
                       const int *RESTRICT groundSlot, const float *RESTRICT capacity, const double *RESTRICT power, const int *RESTRICT powerSlot,
                       const double *RESTRICT share, const double *RESTRICT inflow, const int *RESTRICT inflowSlot, const double *RESTRICT x,
                       const double *RESTRICT old, float *RESTRICT r, double *RESTRICT r64, double *partial, double *scalars, u32 *ticket, double *lines,
                       int *last, Beside beside, int first = 0, int end = 0) {
  int i = blockX() * THREADS + threadX();
  double rr = 0, bb = 0, ff = 0;
  for (int j = blockY(); i < nx && j < ny; j += gridY()) {
    i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
    double own = x ? x[c] : 0, down = 0;
    float g = 0;
    double rrBefore = rr, bbBefore = bb, ffBefore = ff;
#pragma unroll 2
    for (int k = 0; k < nz; k++) {
      i64 next = k + 1 < nz ? c + sheet : c;
      float e = 0, w = 0, n = 0, s = 0, up = 0;
      double above = 0, flow = 0, a = 0;
      if (x) {
        above = x[next];
        e = gx[c], w = gx[c - 1], n = gy[c], s = gy[c - nx], up = gz[c];
        flow = up * (own - above);
        a = e * (own - x[c + 1]) + w * (own - x[c - 1]) + n * (own - x[c + nx]) + s * (own - x[c - nx]) + (flow - down);
      }
      double diagonal = (double)e + w + n + s + g + up;
      if (x) beside(i, j, k, at, c, &a, &diagonal);
      int slot = groundSlot[k];
      if (slot >= 0) {
        double v = ground[slot * sheet + at];
        a += v * own;
        diagonal += v;
      }
      double b = 0;
      if ((slot = powerSlot[k]) >= 0) b = power[slot * sheet + at] * share[k];
      if ((slot = inflowSlot[k]) >= 0) b += inflow[slot * sheet + at];
      double source = b;
      if (capacity) {
        double v = capacity[c], before = WITH_OLD ? old[c] : 0;
        a += v * (own - before);
        diagonal += v;
        source += v * before;
      }
      double v = b - a;
      if (r) r[c] = (float)v;
      if (r64) r64[c] = v;
      rr += v * v;
      bb += source * source;
      double f = diagonal * __builtin_fabs(own) + __builtin_fabs(b);
      ff += f * f;
      down = flow;
      own = above;
      g = up;
      c = next;
    }
    if (ROWS && (j < first || j >= end)) rr = rrBefore, bb = bbBefore, ff = ffBefore;
  }
  int blocks = gridX() * gridY(), block = blockY() * gridX() + blockX();
  rr = sumBlock(rr, lines, THREADS);
  bb = sumBlock(bb, lines, THREADS);
  ff = sumBlock(ff, lines, THREADS);
  if (threadX() == 0) {
    partial[block] = rr;
    partial[blocks + block] = bb;
    partial[2 * blocks + block] = ff;
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
