// What a slab of rows of a larger grid needs in addition to the kernels of a whole one. Its rows are exchanged with the adjacent slabs. Sums are taken over
// the rows that it owns, and the sums of all slabs are added in the order of their ranks.
#include "direction.h"
#include "residual.h"

enum { THREADS = 128, MOST = 1024 };

// Side is a range of rows of a field, and where in the packed words it lies: plane by plane.
struct Side {
  i64 at;
  int first, count;
};

// packRows copies rows of a field of nx words of four bytes in a row to out. Blocks along z take the range of either side.
KERNEL void BOUNDS(THREADS) packRows(int nx, int ny, int nz, i64 at0, int first0, int count0, i64 at1, int first1, int count1, const u32 *RESTRICT x,
                                     u32 *RESTRICT out) {
  Side s = blockZ() ? Side{at1, first1, count1} : Side{at0, first0, count0};
  i64 n = (i64)nx * s.count, c = (i64)blockX() * THREADS + threadX();
  if (c >= n) return;
  for (int k = blockY(); k < nz; k += gridY()) out[s.at + k * n + c] = x[((i64)k * ny + s.first) * nx + c];
}

// unpackRows is the way back.
KERNEL void BOUNDS(THREADS) unpackRows(int nx, int ny, int nz, i64 at0, int first0, int count0, i64 at1, int first1, int count1, const u32 *RESTRICT in,
                                       u32 *RESTRICT x) {
  Side s = blockZ() ? Side{at1, first1, count1} : Side{at0, first0, count0};
  i64 n = (i64)nx * s.count, c = (i64)blockX() * THREADS + threadX();
  if (c >= n) return;
  for (int k = blockY(); k < nz; k += gridY()) x[((i64)k * ny + s.first) * nx + c] = in[s.at + k * n + c];
}

// packUpdatedRows is packRows of what update will make of r, so that it travels while update runs: the same operations, and so the same bits.
KERNEL void BOUNDS(THREADS) packUpdatedRows(int nx, int ny, int nz, i64 at0, int first0, int count0, i64 at1, int first1, int count1, const float *RESTRICT r,
                                            const float *RESTRICT q, const double *scalars, float *RESTRICT out) {
  Side s = blockZ() ? Side{at1, first1, count1} : Side{at0, first0, count0};
  i64 n = (i64)nx * s.count, c = (i64)blockX() * THREADS + threadX();
  if (c >= n) return;
  float alpha = (float)load(scalars + ALPHA);
  for (int k = blockY(); k < nz; k += gridY()) {
    i64 at = ((i64)k * ny + s.first) * nx + c;
    out[s.at + k * n + c] = __builtin_fmaf(-alpha, q[at], r[at]);
  }
}

// directionRows is direction with PQ over the rows from first up to end.
KERNEL void BOUNDS(THREADS) directionRows(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                          const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                          const float *RESTRICT z, float *p0, float *p1, int *side, float *RESTRICT q, double *partial,
                                          double *scalars, u32 *ticket, int first, int end) {
  SHARED double lines[32];
  SHARED int last;
  directionOf<true, THREADS>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, z, p0, p1, side, q, partial, scalars, ticket, first, end, lines, &last);
}

// residualRows is residual with the sums over the rows from first up to end.
KERNEL void BOUNDS(THREADS) residualRows(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                         const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                         const double *RESTRICT power, const int *RESTRICT powerSlot, const double *RESTRICT share,
                                         const double *RESTRICT inflow, const int *RESTRICT inflowSlot, const double *RESTRICT x,
                                         const double *RESTRICT old, float *RESTRICT r, double *RESTRICT r64, double *partial, double *scalars,
                                         u32 *ticket, int first, int end) {
  SHARED double lines[32];
  SHARED int last;
  residualOf<true, THREADS, true>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, power, powerSlot, share, inflow, inflowSlot, x, old, r, r64, partial,
                                   scalars, ticket, lines, &last, Alone(), first, end);
}

// residualOldZeroRows is residualOldZero in the same way.
KERNEL void BOUNDS(THREADS) residualOldZeroRows(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                                const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                                const double *RESTRICT power, const int *RESTRICT powerSlot, const double *RESTRICT share,
                                                const double *RESTRICT inflow, const int *RESTRICT inflowSlot, const double *RESTRICT x,
                                                const double *RESTRICT old, float *RESTRICT r, double *RESTRICT r64, double *partial,
                                                double *scalars, u32 *ticket, int first, int end) {
  SHARED double lines[32];
  SHARED int last;
  residualOf<false, THREADS, true>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, power, powerSlot, share, inflow, inflowSlot, x, old, r, r64, partial,
                                   scalars, ticket, lines, &last, Alone(), first, end);
}

// dotRows forms r.z and max|z| over the rows from first up to end.
KERNEL void BOUNDS(THREADS) dotRows(int nx, int ny, int nz, int first, int end, const float *RESTRICT r, const float *RESTRICT z, double *partial,
                                    double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, m = 0;
  i64 n = (i64)nx * (end - first), stride = (i64)gridX() * THREADS;
  for (int k = blockY(); k < nz; k += gridY()) {
    i64 base = ((i64)k * ny + first) * nx;
#pragma unroll 4
    for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
      float v = z[base + c];
      s += (double)r[base + c] * v;
      m = larger(m, __builtin_fabsf(v));
    }
  }
  s = sumBlock(s, lines, THREADS);
  m = maxBlock(m, lines, THREADS);
  int blocks = gridX() * gridY(), block = blockY() * gridX() + blockX();
  if (threadX() == 0) {
    partial[block] = s;
    partial[blocks + block] = m;
  }
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  m = greatest(partial + blocks, blocks, lines, THREADS);
  if (threadX() == 0) {
    scalars[RZ] = s;
    scalars[MAXZ] = m;
  }
}

// dotOfStepRows is dotRows where a smoothing step has left the sums and maxima of all blocks in partial, those of the rows' own from first on, n of them.
KERNEL void BOUNDS(MOST) dotOfStepRows(int first, int n, int blocks, const double *RESTRICT partial, double *scalars) {
  SHARED double lines[32];
  double s = total(partial + first, n, lines, MOST), m = greatest(partial + blocks + first, n, lines, MOST);
  if (threadX() == 0) {
    scalars[RZ] = s;
    scalars[MAXZ] = m;
  }
}

enum { WIDE = 256 };

// Vectors of two values, as in krylov.cu.
typedef float float2 __attribute__((ext_vector_type(2)));
typedef double double2 __attribute__((ext_vector_type(2)));

// moved is what an update does to one value, as to two of them in updatePlane; it returns the new r.
template <bool BOTH> DEVICE float moved(i64 c, double *x, float *r, const float *p, const float *former, const float *q, double alpha, double pending) {
  float v = __builtin_fmaf(-(float)alpha, q[c], r[c]);
  r[c] = v;
  if (BOTH) x[c] += pending * former[c] + alpha * p[c];
  return v;
}

// LINE is how many values of r a line of memory has. Vectors begin at lines, and planes where they come to: a warp that began with its plane would touch a line more.
enum { LINE = 32 };

// updatePlane is updateRows of the plane that begins at base, and what it adds to RR; BOTH where x is due.
template <bool BOTH>
DEVICE double updatePlane(i64 base, i64 sheet, i64 from, i64 to, double *RESTRICT x, float *RESTRICT r, const float *RESTRICT p,
                          const float *RESTRICT former, const float *RESTRICT q, double alpha, double pending) {
  double s = 0;
  float alpha32 = (float)alpha;
  i64 before = base % LINE, stride = 2 * (i64)gridX() * WIDE, at = 2 * ((i64)blockX() * WIDE + threadX()) - before;
  if (at < 0) at += stride;
#pragma unroll 2
  for (; at + 1 < sheet; at += stride) {
    i64 c = (base + at) / 2;
    float2 v = ((const float2 *)r)[c], w = ((const float2 *)q)[c];
    if (BOTH) {
      float2 d = ((const float2 *)p)[c], e = ((const float2 *)former)[c];
      double2 t = ((const double2 *)x)[c];
      t[0] += pending * e[0] + alpha * d[0];
      t[1] += pending * e[1] + alpha * d[1];
      ((double2 *)x)[c] = t;
    }
    v[0] = __builtin_fmaf(-alpha32, w[0], v[0]);
    v[1] = __builtin_fmaf(-alpha32, w[1], v[1]);
    ((float2 *)r)[c] = v;
    if (at >= from && at < to) s += (double)v[0] * v[0];
    if (at + 1 >= from && at + 1 < to) s += (double)v[1] * v[1];
  }
  if (blockX() || threadX()) return s;
  if (before & 1) {
    double v = moved<BOTH>(base, x, r, p, former, q, alpha, pending);
    if (from == 0) s += v * v;
  }
  if ((before + sheet) & 1) {
    double v = moved<BOTH>(base + sheet - 1, x, r, p, former, q, alpha, pending);
    if (to == sheet) s += v * v;
  }
  return s;
}

// updateRows is update, with RR over the rows from first up to end; r moves in all rows, and x, with the step before, at every second call. Planes are taken apart, so that
// no cell needs a division: two neighbouring values at a time, except for one at an odd beginning or end of a plane.
KERNEL void BOUNDS(WIDE) updateRows(int nx, int ny, int nz, int first, int end, double *RESTRICT x, float *RESTRICT r, const float *p0, const float *p1,
                                    const int *side, const float *RESTRICT q, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  int now = *(const volatile int *)side;
  const float *RESTRICT p = now ? p1 : p0, *RESTRICT former = now ? p0 : p1;
  double s = 0, alpha = load(scalars + ALPHA), pending = load(scalars + PENDING);
  i64 sheet = (i64)nx * ny, from = (i64)nx * first, to = (i64)nx * end;
  if (pending == 0) {
    for (int k = blockY(); k < nz; k += gridY()) s += updatePlane<false>(k * sheet, sheet, from, to, x, r, p, former, q, alpha, pending);
  } else {
    for (int k = blockY(); k < nz; k += gridY()) s += updatePlane<true>(k * sheet, sheet, from, to, x, r, p, former, q, alpha, pending);
  }
  s = sumBlock(s, lines, WIDE);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, WIDE);
  if (threadX() == 0) {
    scalars[RR] = s;
    scalars[PENDING] = pending == 0 ? alpha : 0;
  }
}

// storedRows sets scalars[SCRATCH] = sum of capacity (x - old) over the rows from first up to end.
KERNEL void BOUNDS(THREADS) storedRows(int nx, int ny, int nz, int first, int end, const float *RESTRICT capacity, const double *RESTRICT x,
                                       const double *RESTRICT old, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0;
  i64 n = (i64)nx * (end - first), stride = (i64)gridX() * THREADS;
  for (int k = blockY(); k < nz; k += gridY()) {
    i64 base = ((i64)k * ny + first) * nx;
    for (i64 at = (i64)blockX() * THREADS + threadX(); at < n; at += stride) s += capacity[base + at] * (x[base + at] - old[base + at]);
  }
  s = sumBlock(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}

// maximumRows sets scalars[SCRATCH] = max x over the rows from first up to end, not a number where any of x there is none.
KERNEL void BOUNDS(THREADS) maximumRows(int nx, int ny, int nz, int first, int end, const double *RESTRICT x, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = x[(i64)nx * first];
  i64 n = (i64)nx * (end - first), stride = (i64)gridX() * THREADS;
  for (int k = blockY(); k < nz; k += gridY()) {
    i64 base = ((i64)k * ny + first) * nx;
    for (i64 at = (i64)blockX() * THREADS + threadX(); at < n; at += stride) s = hotter(s, x[base + at]);
  }
  s = maxBlock<hotter>(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = load(partial);
  for (int b = threadX(); b < blocks; b += THREADS) s = hotter(s, load(partial + b));
  s = maxBlock<hotter>(s, lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}

// innerRows sets scalars[SCRATCH] = x.y and scalars[MAXZ] = max|x| over the rows from first up to end.
KERNEL void BOUNDS(THREADS) innerRows(int nx, int ny, int nz, int first, int end, const double *RESTRICT x, const double *RESTRICT y, double *partial,
                                      double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  double s = 0, top = 0;
  i64 n = (i64)nx * (end - first), stride = (i64)gridX() * THREADS;
  for (int k = blockY(); k < nz; k += gridY()) {
    i64 base = ((i64)k * ny + first) * nx;
    for (i64 at = (i64)blockX() * THREADS + threadX(); at < n; at += stride) {
      double v = x[base + at];
      s += v * y[base + at];
      top = larger(top, __builtin_fabs(v));
    }
  }
  s = sumBlock(s, lines, THREADS);
  top = maxBlock(top, lines, THREADS);
  int blocks = gridX() * gridY(), block = blockY() * gridX() + blockX();
  if (threadX() == 0) {
    partial[block] = s;
    partial[blocks + block] = top;
  }
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  top = greatest(partial + blocks, blocks, lines, THREADS);
  if (threadX() == 0) {
    scalars[SCRATCH] = s;
    scalars[MAXZ] = top;
  }
}

// RANKSCALARS is how many scalars each rank gives to combine.
enum { RANKSCALARS = 16 };

// combineDot makes RZ and MAXZ of the rank those of all, and forms BETA, 0 at the first. all has the scalars of every rank, which hold its own sums: every rank adds
// them in the same order and has the same bits. kept is the RZ of all before, and after. One thread.
KERNEL void BOUNDS(32) combineDot(int ranks, int first, const double *RESTRICT all, double *scalars, double *kept) {
  if (threadX()) return;
  double s = 0, m = 0;
  for (int n = 0; n < ranks; n++) {
    s += all[n * RANKSCALARS + RZ];
    m = larger(m, all[n * RANKSCALARS + MAXZ]);
  }
  scalars[BETA] = first ? 0 : s / *kept;
  scalars[MAXZ] = m;
  scalars[RZ] = s;
  *kept = s;
}

// combineDirection makes PQ that of all ranks and forms ALPHA, as direction does.
KERNEL void BOUNDS(32) combineDirection(int ranks, const double *RESTRICT all, double *scalars) {
  if (threadX()) return;
  double s = 0;
  for (int n = 0; n < ranks; n++) s += all[n * RANKSCALARS + PQ];
  scalars[PQ] = s;
  double alpha = scalars[RZ] / s;
  scalars[ALPHA] = s > 0 && __builtin_fabs(alpha) <= 1.7976931348623157e308 ? alpha : 0;
}

// combineSums makes those scalars of the rank sums over all that the bits of which name, and reports in ENDED whether any rank has ASKED for an end. One thread for each scalar.
KERNEL void BOUNDS(32) combineSums(int ranks, u32 which, const double *RESTRICT all, double *scalars) {
  int k = threadX();
  if (k >= RANKSCALARS) return;
  double s = 0, most = 0;
  for (int n = 0; n < ranks; n++) {
    s += all[n * RANKSCALARS + k];
    most = larger(most, all[n * RANKSCALARS + ASKED]);
  }
  if (which >> k & 1) scalars[k] = s;
  if (k == ENDED) scalars[k] = most;
}
