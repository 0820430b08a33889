// Exact solves of whole columns of stacks with coolant, one thread a column. NZ is the class of column lengths that this module is compiled for: the column stays
// in registers. NZ = 0 is the general path for longer columns, which keeps the elimination in scratch.
//
// T holds a column's couplings of planes k and k+1, those of k and k+2, and the whole diagonal with what coolant carries away. Elimination from the bottom
// fills no entry but those above the diagonal: e is gz with what elimination of the plane below adds.
//
//	forward    y_k = (b_k + e_{k-1} y_{k-1} + far_{k-2} y_{k-2}) inverse_k
//	backward   y_k += inverse_k (e_k y_{k+1} + far_k y_{k+2})
#include "cooled.h"

enum { THREADS = 128 };

// NZ is one of 0, 8, 12, 16, 24, 32, 48
#ifndef NZ
#error NZ must be defined: the class of column lengths, 0 for any
#endif

// Factors are those of a level's columns.
struct Factors {
  const float *e, *inverse, *far;
  const int *farSlot;
};

#if NZ > 0
// eliminate solves a column in registers: e and inverse are its factors, rhs its right-hand side.
template <class E, class Inverse, class Rhs, class Put>
DEVICE void eliminate(float *y, int nz, i64 sheet, i64 at, const Factors &t, E e, Inverse inverse, Rhs rhs, Put put) {
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    if (k >= nz) continue;
    i64 c = at + k * sheet;
    float v = rhs(k, c);
    if (k) v += e(k - 1, c - sheet) * y[k - 1];
    if (k > 1) {
      int slot = t.farSlot[k - 2];
      if (slot >= 0) v += t.far[slot * sheet + at] * y[k - 2];
    }
    y[k] = v * inverse(k, c);
  }
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--) {
    if (k >= nz) continue;
    i64 c = at + k * sheet;
    float v = 0;
    if (k + 1 < NZ && k + 1 < nz) v = e(k, c) * y[k + 1 < NZ ? k + 1 : 0];
    if (k + 2 < NZ && k + 2 < nz) {
      int slot = t.farSlot[k];
      if (slot >= 0) v += t.far[slot * sheet + at] * y[k + 2 < NZ ? k + 2 : 0];
    }
    y[k] += inverse(k, c) * v;
    put(c, y[k]);
  }
}
#endif

// solve turns the right-hand side rhs(c) + beside(k, c) of the column of cells c at a place of the plane into its solution, given cell by cell to put(c, y). beside is
// what few planes have. AHEAD reads all of the column first, which pays where little is read of each cell.
template <bool AHEAD, class Rhs, class Beside, class Put>
DEVICE void solve(int nz, i64 sheet, i64 at, const Factors &t, float *scratch, Rhs rhs, Beside beside, Put put) {
#if NZ > 0
  (void)scratch;
  float y[NZ];
  if (AHEAD) {
    // Planes beyond the column's length repeat its top plane, so that all loads can be under way together.
    float f[NZ], w[NZ];
#pragma unroll
    for (int k = 0; k < NZ; k++) {
      i64 c = at + (k < nz ? k : nz - 1) * sheet;
      y[k] = rhs(c);
      w[k] = t.inverse[c];
      f[k] = t.e[c];
    }
    eliminate(y, nz, sheet, at, t, [&](int k, i64) { return f[k]; }, [&](int k, i64) { return w[k]; }, [&](int k, i64) { return y[k]; }, put);
    return;
  }
  eliminate(y, nz, sheet, at, t, [&](int, i64 c) { return t.e[c]; }, [&](int, i64 c) { return t.inverse[c]; }, [&](int k, i64 c) { return rhs(c) + beside(k, c); },
            put);
#else
  float one = 0, two = 0;
  for (int k = 0; k < nz; k++) {
    i64 c = at + k * sheet;
    float v = rhs(c) + beside(k, c);
    if (k) v += t.e[c - sheet] * one;
    if (k > 1) {
      int slot = t.farSlot[k - 2];
      if (slot >= 0) v += t.far[slot * sheet + at] * two;
    }
    two = one;
    scratch[c] = one = v * t.inverse[c];
  }
  one = two = 0;
  for (int k = nz - 1; k >= 0; k--) {
    i64 c = at + k * sheet;
    float v = k + 1 < nz ? t.e[c] * one : 0;
    if (k + 2 < nz) {
      int slot = t.farSlot[k];
      if (slot >= 0) v += t.far[slot * sheet + at] * two;
    }
    two = one;
    one = scratch[c] + t.inverse[c] * v;
    put(c, one);
  }
#endif
}

// x = scale T^-1 b.
KERNEL void BOUNDS(THREADS) startCooled(int nx, int ny, int nz, const float *RESTRICT e, const float *RESTRICT inverse, const float *RESTRICT far,
                                        const int *RESTRICT farSlot, const float *RESTRICT b, float *RESTRICT x, float scale,
                                        float *RESTRICT scratch) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  solve<true>(
      nz, (i64)nx * ny, (i64)j * nx + i, {e, inverse, far, farSlot}, scratch, [&](i64 c) { return b[c]; }, [](int, i64) { return 0.0f; },
      [&](i64 c, float y) { x[c] = scale * y; });
}

// dst = x + a (x - prev) + scale (T^-1 (b + outside x) - x), outside being all couplings to other columns; prev may be null, which counts as zero, or dst.
KERNEL void BOUNDS(THREADS) stepCooled(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT e,
                                       const float *RESTRICT inverse, const float *RESTRICT far, const int *RESTRICT farSlot,
                                       const Flow *RESTRICT flows, const int *RESTRICT flowing, const float *RESTRICT b, const float *RESTRICT x,
                                       const float *prev, float *dst, float a, float scale, float *RESTRICT scratch) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  float keep = 1 + a - scale;
  solve<false>(
      nz, (i64)nx * ny, (i64)j * nx + i, {e, inverse, far, farSlot}, scratch,
      [&](i64 c) { return b[c] + gx[c] * x[c + 1] + gx[c - 1] * x[c - 1] + gy[c] * x[c + nx] + gy[c - nx] * x[c - nx]; },
      [&](int k, i64 c) {
        int f = flowing[k];
        return f >= 0 ? carriedTo(flows[f], i, j, x, c) : 0.0f;
      },
      [&](i64 c, float y) {
        float v = keep * x[c] + scale * y;
        if (prev) v -= a * prev[c];
        dst[c] = v;
      });
}
