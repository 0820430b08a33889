// Operations on whole planes: sums of products of two profiles, weighted sums, and the residual in space.
#include "device.h"

enum { THREADS = 128, TILE = 8, BATCH = 64, FLAT = 256 };

// Two are read in one access.
struct __attribute__((aligned(16))) Two {
  double x, y;
};

// spread sets out[f][i], i < n, to the share of cell i in footprint f: those that begin at shares[from[f]] belong to the cells from start[f] on, others are 0.
KERNEL void BOUNDS(FLAT) spread(i64 count, int n, const int *RESTRICT start, const int *RESTRICT from, const double *RESTRICT shares, double *RESTRICT out) {
  i64 c = (i64)blockX() * FLAT + threadX();
  if (c >= count) return;
  int f = (int)(c / n), i = (int)(c - (i64)f * n) - start[f], at = from[f];
  out[c] = i >= 0 && i < from[f + 1] - at ? shares[at + i] : 0;
}

// product sets out[a][b] of every load, a < na, b < nb, to the sum over its footprints n of watts times x[n][a] y[n][b], and over its planes of factors times these.
// The footprints and planes of load l are those from firstPrint[l] and firstPlane[l] on, before those of the next; its watts and then its factors follow those of the
// load before. A block makes TILE rows of THREADS values. Footprint f has its values along a from x[f step] on.
KERNEL void BOUNDS(THREADS) product(int na, int nb, int step, const int *RESTRICT firstPrint, const int *RESTRICT firstPlane, const double *RESTRICT amounts,
                                    const double *RESTRICT x, const double *RESTRICT y, const double *RESTRICT plane, double *RESTRICT out) {
  SHARED Two weight[BATCH * TILE / 2];
  int across = tiles(nb, THREADS), each = across * tiles(na, TILE), load = (u32)blockX() / (u32)each, within = blockX() - load * each;
  int row = (u32)within / (u32)across, a = row * TILE, b = (within - row * across) * THREADS + threadX();
  int at = b < nb ? b : nb - 1, print = firstPrint[load], footprints = firstPrint[load + 1] - print;
  int map = firstPlane[load], planes = firstPlane[load + 1] - map;
  const double *watts = amounts + print + map, *factors = watts + footprints;
  double sum[TILE];
#pragma unroll
  for (int r = 0; r < TILE; r++) sum[r] = 0;
  for (int from = 0; from < footprints; from += BATCH) {
    for (int n = threadX(); n < BATCH * TILE; n += THREADS) {
      int f = from + n / TILE, r = a + n % TILE;
      ((double *)weight)[n] = f < footprints && r < na ? watts[f] * x[(i64)(print + f) * step + r] : 0;
    }
    barrier();
    int count = footprints - from < BATCH ? footprints - from : BATCH;
#pragma unroll 8
    for (int f = 0; f < count; f++) {
      double v = y[(i64)(print + from + f) * nb + at];
#pragma unroll
      for (int r = 0; r < TILE; r += 2) {
        Two w = weight[(f * TILE + r) / 2];
        sum[r] += w.x * v;
        sum[r + 1] += w.y * v;
      }
    }
    barrier();
  }
  if (b >= nb) return;
  i64 size = (i64)na * nb;
#pragma unroll
  for (int r = 0; r < TILE; r++)
    if (a + r < na) {
      i64 c = (i64)(a + r) * nb + b;
      for (int p = 0; p < planes; p++) sum[r] += factors[p] * plane[(map + p) * size + c];
      out[load * size + c] = sum[r];
    }
}

// weigh sets sums[k] to the sum over a, b of x[a] y[b] v[k][a][b], for nz planes k, with the given number of blocks a plane. halfA and halfB say that x[0] and y[0] count half.
KERNEL void BOUNDS(FLAT) weigh(int na, int nb, int nz, int blocks, int halfA, int halfB, const double *RESTRICT x, const double *RESTRICT y,
                               const double *RESTRICT v, double *partial, double *sums, u32 *ticket) {
  SHARED double room[32];
  SHARED int last;
  double sum = 0;
  int plane = (u32)blockX() / (u32)blocks;
  for (int a = blockX() - plane * blocks; a < na; a += blocks) {
    if (x[a] == 0) continue;
    const double *row = v + ((i64)plane * na + a) * nb;
    double s = 0;
#pragma unroll 4
    for (int b = threadX(); b < nb; b += FLAT) s += y[b] * row[b];
    if (halfB && threadX() == 0) s -= 0.5 * y[0] * row[0];
    sum += (halfA && a == 0 ? 0.5 : 1) * x[a] * s;
  }
  sum = sumBlock(sum, room, FLAT);
  if (threadX() == 0) partial[blockX()] = sum;
  if (!lastBlock(ticket, gridX(), &last)) return;
  for (int k = 0; k < nz; k++) {
    double s = total(partial + k * blocks, blocks, room, FLAT);
    if (threadX() == 0) sums[k] = s;
  }
}

// Terms are A x of a cell and what bounds its rounding. add takes the difference to a neighbour in.
struct Terms {
  double flow, size;
};
DEVICE Terms add(Terms t, double g, double own, double other) { return {t.flow + g * (own - other), t.size + __builtin_fabs(g) * (__builtin_fabs(own) + __builtin_fabs(other))}; }

// end is the term of the low or the high end of an axis: 2 g to a held one. ends has bit 0 for a held low end, bit 1 for a held high one.
DEVICE Terms end(Terms t, int held, double g, double own) { return held ? add(t, 2 * g, own, 0) : t; }

// Numbers of a plane, as those of columns.cu.
enum { alongX, alongY, rest, upwards, gain, PARTS };

// residualOf takes planes k0 to k0+gridX/each-1 of nz, each blocks a plane. It adds to scalars[0..2] the squares of the residual, of the right-hand side, and of
// |A| |x| + |b|, and raises scalars[3] to the largest absolute value of the residual; fresh says that they begin there. own are the planes, one behind the
// other, below and above those around them; null ones do not exist, and old is null in a steady state. bottom and top couple to what holds the outer planes.
// The heat of plane k is the sum of share[e] times sheet[e] for the entries first[k] to first[k+1]-1. With ROWS the rows from low to high-1 are taken alone:
// in one kernel for both all rows of 35 million cells took a twentieth of a whole solve longer. On a graded grid widths are those of the columns and rows, and value i
// of their couplings is that of cells i-1 and i or of an end; scalars[3] then is that of a mean cell's area.
template <bool ROWS, bool GRADED = false>
DEVICE void residualOf(int nx, int ny, int nz, int low, int high, int k0, int each, int fresh, const double *below, const double *own, const double *above,
                       const double *old, const double *RESTRICT planes, double bottom, double top, int xEnds, int yEnds,
                       const int *RESTRICT first, const double *RESTRICT share, const int *RESTRICT sheet, const double *RESTRICT sheets,
                       double *partial, double *scalars, u32 *ticket, double *room, int *final, const double *RESTRICT xWidths = 0,
                       const double *RESTRICT yWidths = 0, const double *RESTRICT xCouplings = 0, const double *RESTRICT yCouplings = 0) {
  i64 plane = (i64)nx * ny, stride = (i64)each * FLAT;
  int at = (u32)blockX() / (u32)each, last = gridX() / each - 1, k = k0 + at;
  const double *x = own + at * plane, *down = at ? x - plane : below, *up = at < last ? x + plane : above, *before = old ? old + at * plane : 0;
  const double *parts = planes + k * PARTS;
  double gx = parts[alongX], gy = parts[alongY], c = parts[gain];
  double gDown = k ? parts[upwards - PARTS] : bottom, gUp = k + 1 < nz ? parts[upwards] : top;
  int from = first[k], to = first[k + 1];
  double rr = 0, bb = 0, ss = 0, most = 0;
  i64 begin = ROWS ? (i64)low * nx : 0, stop = ROWS ? (i64)high * nx : plane;
  for (i64 n = begin + (i64)(blockX() - at * each) * FLAT + threadX(); n < stop; n += stride) {
    int j = (u32)n / (u32)nx, i = (int)n - j * nx;
    double area = GRADED ? xWidths[i] * yWidths[j] : 1, v = x[n], b = before ? c * area * before[n] : 0;
    for (int e = from; e < to; e++) b += share[e] * sheets[sheet[e] * plane + n];
    Terms t = {c * area * v, __builtin_fabs(c * area * v)};
    if (GRADED) {
      double along = gx * yWidths[j], across = gy * xWidths[i];
      t = add(t, along * xCouplings[i], v, i ? x[n - 1] : 0);
      t = add(t, along * xCouplings[i + 1], v, i + 1 < nx ? x[n + 1] : 0);
      t = add(t, across * yCouplings[j], v, j ? x[n - nx] : 0);
      t = add(t, across * yCouplings[j + 1], v, j + 1 < ny ? x[n + nx] : 0);
    } else {
      t = i ? add(t, gx, v, x[n - 1]) : end(t, xEnds & 1, gx, v);
      t = i + 1 < nx ? add(t, gx, v, x[n + 1]) : end(t, xEnds & 2, gx, v);
      t = j ? add(t, gy, v, x[n - nx]) : end(t, yEnds & 1, gy, v);
      t = j + 1 < ny ? add(t, gy, v, x[n + nx]) : end(t, yEnds & 2, gy, v);
    }
    t = add(t, gDown * area, v, down ? down[n] : 0);
    t = add(t, gUp * area, v, up ? up[n] : 0);
    double r = b - t.flow, size = t.size + __builtin_fabs(b);
    rr += r * r;
    bb += b * b;
    ss += size * size;
    most = larger(__builtin_fabs(r) / area, most);
  }
  double sums[3] = {rr, bb, ss};
#pragma unroll
  for (int n = 0; n < 3; n++) {
    double s = sumBlock(sums[n], room, FLAT);
    if (threadX() == 0) partial[n * gridX() + blockX()] = s;
  }
  most = maxBlock(most, room, FLAT);
  if (threadX() == 0) partial[3 * gridX() + blockX()] = most;
  if (!lastBlock(ticket, gridX(), final)) return;
#pragma unroll
  for (int n = 0; n < 3; n++) {
    double s = total(partial + n * gridX(), gridX(), room, FLAT);
    if (threadX() == 0) scalars[n] = fresh ? s : load(scalars + n) + s;
  }
  most = greatest(partial + 3 * gridX(), gridX(), room, FLAT);
  if (threadX() == 0) scalars[3] = fresh ? most : larger(most, load(scalars + 3));
}

// residual is residualOf of all rows.
KERNEL void BOUNDS(FLAT) residual(int nx, int ny, int nz, int k0, int each, int fresh, const double *below, const double *own, const double *above,
                                  const double *old, const double *RESTRICT planes, double bottom, double top, int xEnds, int yEnds,
                                  const int *RESTRICT first, const double *RESTRICT share, const int *RESTRICT sheet, const double *RESTRICT sheets,
                                  double *partial, double *scalars, u32 *ticket) {
  SHARED double room[32];
  SHARED int final;
  residualOf<false>(nx, ny, nz, 0, ny, k0, each, fresh, below, own, above, old, planes, bottom, top, xEnds, yEnds, first, share, sheet, sheets, partial, scalars, ticket,
                    room, &final);
}

// residualRows is residualOf of a rank's rows.
KERNEL void BOUNDS(FLAT) residualRows(int nx, int ny, int nz, int low, int high, int k0, int each, int fresh, const double *below, const double *own, const double *above,
                                  const double *old, const double *RESTRICT planes, double bottom, double top, int xEnds, int yEnds,
                                  const int *RESTRICT first, const double *RESTRICT share, const int *RESTRICT sheet, const double *RESTRICT sheets,
                                  double *partial, double *scalars, u32 *ticket) {
  SHARED double room[32];
  SHARED int final;
  residualOf<true>(nx, ny, nz, low, high, k0, each, fresh, below, own, above, old, planes, bottom, top, xEnds, yEnds, first, share, sheet, sheets, partial, scalars, ticket,
                    room, &final);
}

// residualGraded is residualOf of a rank's rows of a graded grid.
KERNEL void BOUNDS(FLAT) residualGraded(int nx, int ny, int nz, int low, int high, int k0, int each, int fresh, const double *below, const double *own,
                                  const double *above, const double *old, const double *RESTRICT planes, double bottom, double top,
                                  const int *RESTRICT first, const double *RESTRICT share, const int *RESTRICT sheet, const double *RESTRICT sheets,
                                  double *partial, double *scalars, u32 *ticket, const double *RESTRICT xWidths, const double *RESTRICT yWidths,
                                  const double *RESTRICT xCouplings, const double *RESTRICT yCouplings) {
  SHARED double room[32];
  SHARED int final;
  residualOf<true, true>(nx, ny, nz, low, high, k0, each, fresh, below, own, above, old, planes, bottom, top, 0, 0, first, share, sheet, sheets, partial, scalars, ticket,
                    room, &final, xWidths, yWidths, xCouplings, yCouplings);
}

// place copies lines of line values of two doubles, count values of each plane, into lines of width values, from value at on. The planes are those of a launch's y.
KERNEL void BOUNDS(FLAT) place(int line, int count, int width, int at, i64 from, i64 to, const double *RESTRICT in, double *RESTRICT out) {
  int n = blockX() * FLAT + threadX();
  if (n >= count) return;
  int u = (u32)n / (u32)line;
  ((Two *)out)[blockY() * to + (i64)u * width + at + (n - u * line)] = ((const Two *)in)[blockY() * from + n];
}
