// Two steps of the smoother in one pass over a level of many columns, one thread a column of a row. NZ is the class of column lengths.
//
// A warp takes a strip of 32 columns and goes along y: it makes the first result of row j, then the second of row j-1, so that the memory is read once for both. The
// columns at the strip's edges have first results alone, as neighbours of the INNER ones between, and so have the rows beyond a block's ends. Columns along y belong to one
// thread and those along x to one warp: no barrier is needed.
#include "device.h"

// NZ is one of 4, 10, 16
#ifndef NZ
#error NZ must be defined: the class of column lengths
#endif

// INNER columns of a warp have second results. BLOCKS fit on a multiprocessor.
enum { THREADS = 128, INNER = 30, COLUMNS = THREADS / 32 * INNER, BLOCKS = NZ > 10 ? 2 : 4 };

// Level and its vectors: x is what the first step starts from, zero where it is null, and z what the second one makes. y is z - second x1, which restriction takes, or null.
struct Level {
  int nx, ny, nz, rows;
  const float *RESTRICT gx, *RESTRICT gy, *RESTRICT gz, *RESTRICT inverse, *RESTRICT b, *RESTRICT x;
  float *RESTRICT z, *RESTRICT y;
  float first, momentum, second;
};

// Factors of the columns of a row: w is one over the pivots, f = gz w.
struct Factors {
  float f[NZ][THREADS], w[NZ][THREADS];
};

// Row is what a block keeps of the row behind: the right-hand side of the second step and the first result, and the factors of that row and of the present one.
struct Row {
  float rhs[NZ][THREADS], x[NZ][THREADS];
  Factors of[2];
};

// opaque hides where a number comes from: the compiler would keep offsets of all planes, or an address in every array, in registers.
DEVICE int opaque(int n) {
  asm volatile("" : "+r"(n));
  return n;
}

// forget has the compiler read shared memory again, which it would keep in registers from one loop to the next.
DEVICE void forget() { asm volatile("" ::: "memory"); }

// Place goes through the planes of a column. Planes beyond the column's length repeat its top plane, whose coupling upwards is zero.
struct Place {
  int c, sheet, nz;
  __attribute__((device, always_inline)) void up(int k) { c = opaque(c + (k + 1 < nz ? sheet : 0)); } // from plane k
  __attribute__((device, always_inline)) void down(int k) { c = opaque(c - (k < nz ? sheet : 0)); }
};

DEVICE Place column(const Level &l, int c0) { return {opaque(c0), l.nx * l.ny, opaque(l.nz)}; }

DEVICE float fromLeft(float v) { return __builtin_bit_cast(float, __nvvm_shfl_sync_up_i32(0xffffffffu, __builtin_bit_cast(int, v), 1, 0)); }
DEVICE float fromRight(float v) { return __builtin_bit_cast(float, __nvvm_shfl_sync_down_i32(0xffffffffu, __builtin_bit_cast(int, v), 1, 31)); }

// firstStep makes u the first result of the column at c0, and its factors:
//   u_k = rhs_k + f_{k-1} u_{k-1} upwards,  u_k = w_k u_k + f_k u_{k+1} downwards.
template <bool AFTER> DEVICE void firstStep(const Level &l, int c0, Factors &of, float *u) {
  int t = threadX();
  float f[NZ], w[NZ];
  Place at = column(l, c0);
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    int c = at.c;
    if (k < NZ - 1) at.up(k);
    w[k] = l.inverse[c];
    f[k] = l.gz[c] * w[k];
    u[k] = l.b[c];
    if (AFTER) u[k] += l.gx[c] * l.x[c + 1] + l.gx[c - 1] * l.x[c - 1] + l.gy[c] * l.x[c + l.nx] + l.gy[c - l.nx] * l.x[c - l.nx];
    if (k) u[k] += f[k - 1] * u[k - 1];
  }
  float d = 0;
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--) {
    d = w[k] * u[k] + f[k] * d;
    u[k] = l.first * d;
    if (AFTER) u[k] += (1 - l.first) * l.x[at.c];
    at.down(k);
    of.f[k][t] = f[k];
    of.w[k][t] = w[k];
  }
}

// secondStep makes and stores the result of the row behind, whose column is at c0; u is the first result of the row after it. It reads all before it stores.
template <bool AFTER>
DEVICE void secondStep(const Level &l, int c0, const Row &row, const Factors &of, const float *u, bool inner, double &dot, float &most) {
  int t = threadX();
  float keep = 1 + l.momentum - l.second, v[NZ], old[NZ], b[NZ];
  Place at = column(l, c0);
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    int c = at.c;
    at.up(k);
    v[k] = l.gy[c] * u[k];
    old[k] = AFTER ? l.x[c] : 0;
    b[k] = AFTER ? l.b[c] : 0;
  }
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    v[k] += row.rhs[k][t];
    if (k) v[k] += of.f[k - 1][t] * v[k - 1];
  }
  float d = 0;
#pragma unroll
  for (int k = NZ - 1; k >= 0; k--) {
    d = of.w[k][t] * v[k] + of.f[k][t] * d;
    v[k] = keep * row.x[k][t] + l.second * d - l.momentum * old[k];
  }
  at = column(l, c0);
  int planes = inner ? at.nz : 0;
#pragma unroll
  for (int k = 0; k < NZ; k++) {
    int c = at.c;
    at.up(k);
    if (k >= planes) continue;
    l.z[c] = v[k];
    if (!AFTER) l.y[c] = v[k] - l.second * row.x[k][t];
    dot += (double)v[k] * b[k];
    most = __builtin_fmaxf(most, __builtin_fabsf(v[k]));
  }
}

// smooth takes rows of a strip: j is the row of first results, one ahead of second ones.
template <bool AFTER> DEVICE void smooth(const Level &l, Row &row, double &dot, float &most) {
  int t = threadX(), i = blockX() * COLUMNS + t / 32 * INNER - 1 + t % 32, column0 = i < 0 ? 0 : i < l.nx ? i : l.nx - 1;
  bool inner = t % 32 > 0 && t % 32 <= INNER && i < l.nx;
  int from = blockY() * l.rows, to = from + l.rows < l.ny ? from + l.rows : l.ny;
#pragma unroll
  for (int k = 0; k < NZ; k++) row.x[k][t] = 0;
#pragma unroll 1
  for (int j = from ? from - 1 : 0;; j++) {
    int c0 = j * l.nx + column0;
    float u[NZ] = {};
    forget();
    if (j < l.ny) firstStep<AFTER>(l, c0, row.of[j & 1], u);
    if (j > from) secondStep<AFTER>(l, c0 - l.nx, row, row.of[~j & 1], u, inner, dot, most);
    if (j == to) return;
    float rhs[NZ], right[NZ], left[NZ];
    Place at = column(l, c0);
#pragma unroll
    for (int k = 0; k < NZ; k++) {
      int c = at.c;
      at.up(k);
      rhs[k] = l.b[c] + l.gy[c - l.nx] * row.x[k][t];
      right[k] = l.gx[c];
      left[k] = l.gx[c - 1];
    }
#pragma unroll
    for (int k = 0; k < NZ; k++) {
      row.rhs[k][t] = rhs[k] + right[k] * fromRight(u[k]) + left[k] * fromLeft(u[k]);
      row.x[k][t] = u[k];
    }
  }
}

// before makes z of zero, x1 = first T^-1 b, z = x1 + momentum x1 + second T^-1 (b - A x1), and y = z - second x1. A block takes COLUMNS columns of rows rows.
KERNEL void BOUNDS(THREADS, BLOCKS) before(int nx, int ny, int nz, int rows, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                           const float *RESTRICT inverse, const float *RESTRICT b, float *RESTRICT z, float *RESTRICT y, float first,
                                           float momentum, float second) {
  SHARED Row row;
  double dot;
  float most;
  smooth<false>({nx, ny, nz, rows, gx, gy, gz, inverse, b, 0, z, y, first, momentum, second}, row, dot, most);
}

// after makes z of x in the same two steps, and leaves each block's z.b and largest |z| in partial[block] and partial[blocks + block].
KERNEL void BOUNDS(THREADS, BLOCKS) after(int nx, int ny, int nz, int rows, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                          const float *RESTRICT inverse, const float *RESTRICT b, const float *RESTRICT x, float *RESTRICT z, float first,
                                          float momentum, float second, double *partial) {
  SHARED union {
    Row row;
    double lines[32];
  } shared;
  double dot = 0, *lines = shared.lines;
  float most = 0;
  smooth<true>({nx, ny, nz, rows, gx, gy, gz, inverse, b, x, z, 0, first, momentum, second}, shared.row, dot, most);
  barrier();
  dot = sumBlock(dot, lines, THREADS);
  double m = maxBlock(most, lines, THREADS);
  if (threadX() == 0) {
    int block = blockY() * gridX() + blockX();
    partial[block] = dot;
    partial[gridX() * gridY() + block] = m;
  }
}
