// Exact solves of whole columns, one thread a column. NZ is the class of column lengths that this module is compiled for: the column stays in
// registers. NZ = 0 is the general path for longer columns, which keeps the elimination in memory; only it uses scratch.
#include "device.h"

enum { THREADS = 128 };

#ifndef NZ
#error NZ must be defined: the class of column lengths, 0 for any
#endif

DEVICE float lateral(const float *gx, const float *gy, const float *x, i64 c, int nx) {
  return gx[c] * x[c + 1] + gx[c - 1] * x[c - 1] + gy[c] * x[c + nx] + gy[c - nx] * x[c - nx];
}

// Columns of up to KEEP cells hold couplings and pivots in registers too; longer ones read them again on the way down.
enum { KEEP = 16 };

#if NZ > 0
// Column holds a column on its way up (d the eliminated right side) and down (d the solution); f are the factors of the way down. Planes beyond the
// column's length repeat its top plane, whose coupling upwards is zero: all loads are then unconditional and can be under way together.
struct Column {
  float d[NZ], f[NZ <= KEEP ? NZ : 1];
};

// plane is the offset of plane k of the column at c0.
DEVICE i64 plane(i64 c0, int k, int nz, i64 sheet) { return c0 + (k < nz ? k : nz - 1) * sheet; }

// eliminate takes the right side of plane k; below is the coupling downwards, and becomes that of the next plane.
DEVICE void eliminate(Column &col, int k, float rhs, float &below, const float *gz, const float *inverse, i64 c) {
  float w = inverse[c], g = gz[c];
  if (k) rhs += below * col.d[k - 1];
  col.d[k] = rhs * w;
  if (NZ <= KEEP) col.f[k] = g * w;
  below = g;
}

DEVICE void substitute(Column &col, int k, const float *gz, const float *inverse, i64 c) {
  float f = NZ <= KEEP ? col.f[k] : gz[c] * inverse[c];
  if (k + 1 < NZ) col.d[k] += f * col.d[k + 1];
}
#endif

// x = c T^-1 b.
KERNEL void BOUNDS(THREADS) start(int nx, int ny, int nz, const float *RESTRICT gz, const float *RESTRICT inverse, const float *RESTRICT b,
                                  float *RESTRICT x, float scale) {
  int i = blockX() * THREADS + threadX(), j = blockY();
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, c0 = (i64)j * nx + i;
#if NZ > 0
  Column col;
  float below = 0;
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    i64 c = plane(c0, k, nz, sheet);
    eliminate(col, k, b[c], below, gz, inverse, c);
  }
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--) {
    i64 c = plane(c0, k, nz, sheet);
    substitute(col, k, gz, inverse, c);
    if (k < nz) x[c] = scale * col.d[k];
  }
#else
  float d = 0;
  for (int k = 0; k < nz; k++) {
    i64 c = c0 + k * sheet;
    float rhs = b[c];
    if (k) rhs += gz[c - sheet] * d;
    x[c] = d = rhs * inverse[c];
  }
  for (int k = nz - 1; k >= 0; k--) {
    i64 c = c0 + k * sheet;
    if (k < nz - 1) d = x[c] + gz[c] * inverse[c] * d;
    x[c] = scale * d;
  }
#endif
}

// Step is one column of dst = x + a (x - prev) + scale (T^-1 (b + lateral x) - x); prev may be null, which counts as zero, or dst. With DOT it returns
// dst.b and the largest |dst|.
template <bool DOT>
DEVICE void stepColumn(int nx, int nz, i64 sheet, i64 c0, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                       const float *RESTRICT inverse, const float *RESTRICT b, const float *RESTRICT x, const float *prev, float *dst, float a,
                       float scale, float *RESTRICT scratch, double &dot, float &most) {
  float keep = 1 + a - scale;
#if NZ > 0
  (void)scratch;
  Column col;
  float below = 0;
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    i64 c = plane(c0, k, nz, sheet);
    eliminate(col, k, b[c] + lateral(gx, gy, x, c, nx), below, gz, inverse, c);
  }
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--) {
    i64 c = plane(c0, k, nz, sheet);
    substitute(col, k, gz, inverse, c);
    if (k < nz) {
      float v = keep * x[c] + scale * col.d[k];
      if (prev) v -= a * prev[c];
      dst[c] = v;
      if (DOT) {
        dot += (double)v * b[c];
        most = __builtin_fmaxf(most, __builtin_fabsf(v));
      }
    }
  }
#else
  float d = 0;
  for (int k = 0; k < nz; k++) {
    i64 c = c0 + k * sheet;
    float rhs = b[c] + lateral(gx, gy, x, c, nx);
    if (k) rhs += gz[c - sheet] * d;
    scratch[c] = d = rhs * inverse[c];
  }
  for (int k = nz - 1; k >= 0; k--) {
    i64 c = c0 + k * sheet;
    if (k < nz - 1) d = scratch[c] + gz[c] * inverse[c] * d;
    float v = keep * x[c] + scale * d;
    if (prev) v -= a * prev[c];
    dst[c] = v;
    if (DOT) {
      dot += (double)v * b[c];
      most = __builtin_fmaxf(most, __builtin_fabsf(v));
    }
  }
#endif
}

// dst = x + a (x - prev) + scale (T^-1 (b + lateral x) - x); prev may be null, which counts as zero, or dst.
KERNEL void BOUNDS(THREADS) step(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                 const float *RESTRICT inverse, const float *RESTRICT b, const float *RESTRICT x, const float *prev, float *dst,
                                 float a, float scale, float *RESTRICT scratch) {
  int i = blockX() * THREADS + threadX(), j = blockY();
  if (i >= nx) return;
  double dot = 0;
  float most = 0;
  stepColumn<false>(nx, nz, (i64)nx * ny, (i64)j * nx + i, gx, gy, gz, inverse, b, x, prev, dst, a, scale, scratch, dot, most);
}

// stepDot is step, and leaves each block's dst.b and largest |dst| in partial[block] and partial[blocks + block].
KERNEL void BOUNDS(THREADS) stepDot(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                    const float *RESTRICT inverse, const float *RESTRICT b, const float *RESTRICT x, const float *prev, float *dst,
                                    float a, float scale, float *RESTRICT scratch, double *partial) {
  SHARED double lines[32];
  int i = blockX() * THREADS + threadX(), j = blockY();
  double dot = 0;
  float most = 0;
  if (i < nx) stepColumn<true>(nx, nz, (i64)nx * ny, (i64)j * nx + i, gx, gy, gz, inverse, b, x, prev, dst, a, scale, scratch, dot, most);
  dot = sumBlock(dot, lines, THREADS);
  double m = maxBlock(most, lines, THREADS);
  if (threadX() == 0) {
    int block = blockY() * gridX() + blockX();
    partial[block] = dot;
    partial[gridX() * gridY() + block] = m;
  }
}
