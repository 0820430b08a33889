// Exact solves of whole columns, one thread a column. NZ is the class of column lengths that this module is compiled for: the column stays in
// registers. NZ = 0 is the general path for longer columns, which keeps the elimination in memory; only it uses scratch.
#include "weight.h"

enum { THREADS = 128 };

// NZ is one of 0, 4, 10, 16, 24, 32
#ifndef NZ
#error NZ must be defined: the class of column lengths, 0 for any
#endif

template <class Numbers> DEVICE float lateral(Numbers gx, Numbers gy, const float *x, i64 c, int nx) {
  return gx[c] * x[c + 1] + gx[c - 1] * x[c - 1] + gy[c] * x[c + nx] + gy[c - nx] * x[c - nx];
}

// Columns of up to KEEP cells hold couplings and pivots in registers too; longer ones read them again on the way down.
enum { KEEP = 16 };
// Blocks of steps that a multiprocessor has registers for, where columns are short.
enum { SHORT = NZ > 0 && NZ <= 10, STEPS = SHORT ? 6 : 1, STEP_DOTS = SHORT ? 5 : 1 };
#define KEEP_CELLS 16 // the same for the preprocessor, which knows no enums
static_assert(KEEP == KEEP_CELLS, "one number");

#if NZ > 0
// Column holds a column on its way up (d the eliminated right-hand side) and down (d the solution); f are the factors of the way down. Planes beyond the
// column's length repeat its top plane, whose coupling upwards is zero: all loads are then unconditional and can be under way together.
struct Column {
  float d[NZ], f[NZ <= KEEP ? NZ : 1];
};

// plane is the offset of plane k of the column at c0.
DEVICE i64 plane(i64 c0, int k, int nz, i64 sheet) { return c0 + (k < nz ? k : nz - 1) * sheet; }

// eliminate takes the right-hand side of plane k; below is the coupling downwards, and becomes that of the next plane.
template <class Numbers> DEVICE void eliminate(Column &col, int k, float rhs, float &below, Numbers gz, Numbers inverse, i64 c) {
  float w = inverse[c], g = gz[c];
  if (k) rhs += below * col.d[k - 1];
  col.d[k] = rhs * w;
  if (NZ <= KEEP) col.f[k] = g * w;
  below = g;
}

// Planes of which a step reads what it combines before it stores the first: where dst is prev, a load behind a store waits for it, and 35M cells took 510 us in
// place of 330.
enum { AHEAD = NZ <= KEEP ? NZ : 8 };
static_assert(NZ % AHEAD == 0, "whole groups of planes");

template <class Numbers> DEVICE void substitute(Column &col, int k, Numbers gz, Numbers inverse, i64 c) {
  float f = NZ <= KEEP ? col.f[k] : gz[c] * inverse[c];
  if (k + 1 < NZ) col.d[k] += f * col.d[k + 1];
}
#endif

// x = c T^-1 b.
KERNEL void BOUNDS(THREADS) start(int nx, int ny, int nz, const float *RESTRICT gz, const float *RESTRICT inverse, const float *RESTRICT b,
                                  float *RESTRICT x, float scale) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
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

// Step is one column of dst = x + a (x - prev) + scale (T^-1 (b + lateral x) - x); without subtract prev counts as zero; it may be dst. With DOT it returns
// dst.b and the largest |dst|.
template <bool DOT, class Numbers>
DEVICE void stepColumn(int nx, int nz, i64 sheet, i64 c0, Numbers gx, Numbers gy, Numbers gz, Numbers inverse, const float *RESTRICT b,
                       const float *RESTRICT x, const float *prev, bool subtract, float *dst, float a, float scale, float *RESTRICT scratch, double &dot,
                       float &most) {
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
  const float *before = subtract ? prev : x;
  float less = subtract ? a : 0;
#pragma unroll
  for (int top = NZ; top > 0; top -= AHEAD) {
    float old[AHEAD];
#pragma unroll
    for (int q = 0; q < AHEAD; q++) {
      i64 c = plane(c0, top - AHEAD + q, nz, sheet);
      old[q] = keep * x[c] - less * before[c];
    }
#pragma unroll
    for (int q = AHEAD - 1; q >= 0; q--) {
      int k = top - AHEAD + q;
      i64 c = plane(c0, k, nz, sheet);
      substitute(col, k, gz, inverse, c);
      if (k < nz) {
        float v = old[q] + scale * col.d[k];
        dst[c] = v;
        if (DOT) {
          dot += (double)v * b[c];
          most = __builtin_fmaxf(most, __builtin_fabsf(v));
        }
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
    if (subtract) v -= a * prev[c];
    dst[c] = v;
    if (DOT) {
      dot += (double)v * b[c];
      most = __builtin_fmaxf(most, __builtin_fabsf(v));
    }
  }
#endif
}

// dst = x + a (x - prev) + scale (T^-1 (b + lateral x) - x); prev may be null, which counts as zero, or dst.
KERNEL void BOUNDS(THREADS, STEPS) step(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                 const float *RESTRICT inverse, const float *RESTRICT b, const float *RESTRICT x, const float *prev, float *dst,
                                 float a, float scale, float *RESTRICT scratch) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  double dot = 0;
  float most = 0;
  stepColumn<false>(nx, nz, (i64)nx * ny, (i64)j * nx + i, gx, gy, gz, inverse, b, x, prev, prev != 0, dst, a, scale, scratch, dot, most);
}

// stepDot is step, and leaves each block's dst.b and largest |dst| in partial[block] and partial[blocks + block]. It takes no more rows than a launch has
// room for along y: with blockAt it has 96 registers in place of 80, and a multiprocessor five blocks in place of six.
KERNEL void BOUNDS(THREADS, STEP_DOTS) stepDot(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                    const float *RESTRICT inverse, const float *RESTRICT b, const float *RESTRICT x, const float *prev, float *dst,
                                    float a, float scale, float *RESTRICT scratch, double *partial) {
  SHARED double lines[32];
  int i = blockX() * THREADS + threadX(), j = blockY();
  double dot = 0;
  float most = 0;
  if (i < nx) stepColumn<true>(nx, nz, (i64)nx * ny, (i64)j * nx + i, gx, gy, gz, inverse, b, x, prev, prev != 0, dst, a, scale, scratch, dot, most);
  dot = sumBlock(dot, lines, THREADS);
  double m = maxBlock(most, lines, THREADS);
  if (threadX() == 0) {
    int block = blockY() * gridX() + blockX();
    partial[block] = dot;
    partial[gridX() * gridY() + block] = m;
  }
}

enum { BLOCK = 512, RUNGS = 24 };

// Rung is a small level with all it takes to cycle over it; every field has eight bytes. b and z are those of the first alone: a cycle keeps its vectors in shared
// memory.
struct Rung {
  i64 nx, ny;
  const float *gx, *gy, *gz, *inverse, *ground, *capacity;
  float *b, *z;
  const int *firstX, *nearX, *beyondX;
  const float *farX;
  const int *firstY, *nearY, *beyondY;
  const float *farY;
  const int *weightSlot;
  const u16 *wx, *wy;
};

#if NZ > 0 && NZ <= KEEP_CELLS
// Held is constant memory of the device whose address was itself loaded. The compiler would not know, and have accesses of shared memory wait for those through it.
struct Held {
  const float *at;
  __attribute__((device, always_inline)) float operator[](i64 c) const { return __nvvm_ldg_f(at + c); }
};
struct Weights {
  const u16 *at;
  __attribute__((device, always_inline)) float operator[](i64 c) const { return weightOf((u16)__nvvm_ldg_s((const short *)at + c)); }
};
struct Numbered {
  const int *at;
  __attribute__((device, always_inline)) int operator[](i64 c) const { return __nvvm_ldg_i(at + c); }
};

// Shelf is a level's vectors in shared memory: b, z and x, with pads of nx values on either side of x and z.
struct Shelf {
  float *b, *z, *x;
  int end; // where the next begins
};

DEVICE Shelf shelf(float *values, int at, const Rung &l, int nz) {
  int nx = l.nx, cells = nx * (int)l.ny * nz;
  Shelf s;
  s.b = values + at;
  s.z = s.b + cells + nx;
  s.x = s.z + cells + nx;
  s.end = at + 3 * (cells + nx);
  return s;
}

DEVICE void startAll(const Rung &l, int nz, const float *b, float *x, float scale) {
  int columns = (int)l.nx * (int)l.ny;
  Held gz = {l.gz}, inverse = {l.inverse};
  for (int c0 = threadX(); c0 < columns; c0 += BLOCK) {
    Column col;
    float below = 0;
#pragma unroll
    for (int k = 0; k < NZ; k++) {
      i64 c = plane(c0, k, nz, columns);
      eliminate(col, k, b[c], below, gz, inverse, c);
    }
#pragma unroll
    for (int k = NZ - 1; k >= 0; k--) {
      substitute(col, k, gz, inverse, 0);
      if (k < nz) x[plane(c0, k, nz, columns)] = scale * col.d[k];
    }
  }
  barrier();
}

// stepAll sets dst, of which it subtracts the old value if asked.
DEVICE void stepAll(const Rung &l, int nz, float *dst, const float *b, const float *x, bool subtract, float a, float scale) {
  int nx = l.nx, columns = nx * (int)l.ny;
  double dot = 0;
  float most = 0;
  for (int c0 = threadX(); c0 < columns; c0 += BLOCK)
    stepColumn<false, Held>(nx, nz, columns, c0, {l.gx}, {l.gy}, {l.gz}, {l.inverse}, b, x, dst, subtract, dst, a, scale, 0, dot, most);
  barrier();
}

// residualAll fills r with keep b + lateral x (keep >= 0) or b - A x.
DEVICE void residualAll(const Rung &l, int nz, float *r, const float *b, const float *x, float keep, const int *groundSlot) {
  int nx = l.nx, sheet = nx * (int)l.ny;
  Held gx = {l.gx}, gy = {l.gy}, gz = {l.gz}, ground = {l.ground}, capacity = {l.capacity};
#pragma unroll 4
  for (int c = threadX(); c < sheet * nz; c += BLOCK) {
    if (keep >= 0) {
      r[c] = keep * b[c] + lateral(gx, gy, x, c, nx);
      continue;
    }
    int k = c / sheet, slot = groundSlot[k];
    float own = x[c];
    float v = b[c] + gx[c] * (x[c + 1] - own) + gx[c - 1] * (x[c - 1] - own) + gy[c] * (x[c + nx] - own) + gy[c - nx] * (x[c - nx] - own);
    if (k) v += gz[c - sheet] * (x[c - sheet] - own);
    if (k + 1 < nz) v += gz[c] * (x[c + sheet] - own);
    if (slot >= 0) v -= ground[slot * sheet + c - k * sheet] * own;
    if (l.capacity) v -= capacity[c] * own;
    r[c] = v;
  }
  barrier();
}

// share of fine cell i, read at the safe index at, in the coarse cell of [lo, hi).
DEVICE float share(Held far, int i, int at, int lo, int hi, int n) {
  float w = far[at];
  if (i < 0 || i >= n || i > hi) return 0;
  return i >= lo && i < hi ? 1 - w : w;
}

// gatherAll sets the coarse right-hand side to P^T r.
DEVICE void gatherAll(const Rung &l, const Rung &coarse, int nz, const float *r, float *to) {
  int nx = l.nx, ny = l.ny, sheet = nx * ny, cx = coarse.nx, csheet = cx * (int)coarse.ny;
  Numbered firstX = {l.firstX}, firstY = {l.firstY}, weightSlot = {l.weightSlot};
  Held farX = {l.farX}, farY = {l.farY};
#pragma unroll 2
  for (int c = threadX(); c < csheet * nz; c += BLOCK) {
    int k = c / csheet, at = c - k * csheet, J = at / cx, I = at - J * cx;
    int ilo = firstX[I], ihi = firstX[I + 1], jlo = firstY[J], jhi = firstY[J + 1], slot = weightSlot[k];
    if (slot < 0) {
      // Four fine cells a direction, with weight 0 where there is none: all loads can be under way together.
      float s = 0;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        float line = 0;
        int j = jlo - 1 + b, js = j < 0 ? 0 : j < ny ? j : ny - 1;
#pragma unroll
        for (int a = 0; a < 4; a++) {
          int i = ilo - 1 + a, is = i < 0 ? 0 : i < nx ? i : nx - 1;
          line += share(farX, i, is, ilo, ihi, nx) * r[k * sheet + js * nx + is];
        }
        s += share(farY, j, js, jlo, jhi, ny) * line;
      }
      to[c] = s;
      continue;
    }
    Weights px = {l.wx + slot * sheet}, py = {l.wy + slot * sheet};
    float s = 0;
    for (int j = jlo > 0 ? jlo - 1 : 0; j <= jhi && j < ny; j++)
      for (int i = ilo > 0 ? ilo - 1 : 0; i <= ihi && i < nx; i++) {
        float u = l.wx ? px[j * nx + i] : farX[i], v = l.wy ? py[j * nx + i] : farY[j];
        if (i >= ilo && i < ihi) u = 1 - u;
        if (j >= jlo && j < jhi) v = 1 - v;
        s += u * v * r[k * sheet + j * nx + i];
      }
    to[c] = s;
  }
  barrier();
}

// prolongAll adds P xc to x.
DEVICE void prolongAll(const Rung &l, const Rung &coarse, int nz, float *x, const float *xc) {
  int nx = l.nx, sheet = nx * (int)l.ny, cx = coarse.nx, csheet = cx * (int)coarse.ny;
  Numbered nearX = {l.nearX}, beyondX = {l.beyondX}, nearY = {l.nearY}, beyondY = {l.beyondY}, weightSlot = {l.weightSlot};
  Held farX = {l.farX}, farY = {l.farY};
  Weights wx = {l.wx}, wy = {l.wy};
#pragma unroll 4
  for (int c = threadX(); c < sheet * nz; c += BLOCK) {
    int k = c / sheet, at = c - k * sheet, j = at / nx, i = at - j * nx, slot = weightSlot[k];
    float u = slot >= 0 && l.wx ? wx[slot * sheet + at] : farX[i], v = slot >= 0 && l.wy ? wy[slot * sheet + at] : farY[j];
    const float *p0 = xc + k * csheet + nearY[j] * cx, *p1 = xc + k * csheet + beyondY[j] * cx;
    int I = nearX[i], I1 = beyondX[i];
    x[c] += (1 - v) * ((1 - u) * p0[I] + u * p0[I1]) + v * ((1 - u) * p1[I] + u * p1[I1]);
  }
  barrier();
}

// visit is a level's part of a cycle on the way down, at the end or on the way up. The compiler expands each operation once: the driver's compilation of the
// kernel took a second with an expansion for each of its uses.
DEVICE void visit(const Rung &l, const Rung &coarse, int nz, bool down, bool up, const Shelf &on, Shelf &next, const int *groundSlot, float first, float momentum,
                  float second) {
  bool chebyshev = momentum != 0;
  float *x = chebyshev ? on.x : on.z, *z = chebyshev ? on.z : on.x; // a step goes from z to x, a second one back
  if (up) prolongAll(l, coarse, nz, z, next.z);
  if (!up) startAll(l, nz, on.b, down ? on.x : on.z, down ? first : 1);
  int steps = down ? chebyshev : up ? 1 + chebyshev : 0;
#pragma unroll 1
  for (int n = 0; n < steps; n++) {
    bool last = chebyshev && n == steps - 1;
    stepAll(l, nz, last ? on.z : x, on.b, last ? on.x : z, last && up, last ? momentum : 0, last ? second : first);
  }
  if (!down) return;
  residualAll(l, nz, x, on.b, z, chebyshev ? -1 : 1 - first, groundSlot);
  gatherAll(l, coarse, nz, x, next.b);
}
#endif

// bottom runs a V-cycle over count small levels, from rungs[0].b to rungs[0].z, in one block: on such grids launches would cost more than the work. A
// momentum of 0 selects line Jacobi damped by first, any other Chebyshev of degree 2 with these coefficients. The last level is one column. Only classes of up to
// KEEP cells have it; in others it does nothing. It takes 4 bytes of shared memory for each of room values: three vectors of every level, with pads of 4 nx in all.
KERNEL void BOUNDS(BLOCK) DYNAMIC bottom(const Rung *list, int count, int nz, const int *groundSlot, float first, float momentum, float second, int room) {
#if NZ > 0 && NZ <= KEEP_CELLS
  SHARED i64 words[RUNGS * sizeof(Rung) / 8];
  SHARED int places[RUNGS];
  DYNAMIC_SHARED float values[];
  for (int w = threadX(); w < count * (int)(sizeof(Rung) / 8); w += BLOCK) words[w] = ((const i64 *)list)[w];
  for (int c = threadX(); c < room; c += BLOCK) values[c] = 0;
  barrier();
  const Rung *rungs = (const Rung *)words;
  Shelf on = shelf(values, 0, rungs[0], nz);
  int cells = (int)rungs[0].nx * (int)rungs[0].ny * nz;
  for (int c = threadX(); c < cells; c += BLOCK) on.b[c] = rungs[0].b[c];
  if (threadX() == 0) places[0] = 0;
  barrier();
#pragma unroll 1
  for (int v = 0; v < 2 * count - 1; v++) {
    bool down = v < count - 1, up = v >= count;
    int n = up ? 2 * count - 2 - v : v, beyond = n + 1 < count ? n + 1 : n;
    on = shelf(values, places[n], rungs[n], nz);
    if (down && threadX() == 0) places[n + 1] = on.end;
    Shelf next = shelf(values, n + 1 < count ? on.end : 0, rungs[beyond], nz);
    visit(rungs[n], rungs[beyond], nz, down, up, on, next, groundSlot, first, momentum, second);
  }
  for (int c = threadX(); c < cells; c += BLOCK) rungs[0].z[c] = on.z[c];
#else
  (void)list, (void)count, (void)nz, (void)groundSlot, (void)first, (void)momentum, (void)second, (void)room;
#endif
}
