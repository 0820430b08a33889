// Operations on whole planes: sums of products of two profiles, weighted sums, and the residual in space.
#include "device.h"

enum { THREADS = 128, TILE = 8, BATCH = 64, FLAT = 256 };

// Two are read in one access.
struct __attribute__((aligned(16))) Two {
  double x, y;
};

// product sets out[a][b], a < na, b < nb, to the sum over so many footprints n of watts[n] x[n][a] y[n][b], and over planes p of factors[p] times plane p.
// A block makes TILE rows of THREADS values.
KERNEL void BOUNDS(THREADS) product(int na, int nb, int footprints, const double *RESTRICT watts, const double *RESTRICT x, const double *RESTRICT y,
                                    int planes, const double *RESTRICT factors, const double *RESTRICT plane, double *RESTRICT out) {
  SHARED Two weight[BATCH * TILE / 2];
  int across = tiles(nb, THREADS), row = (u32)blockX() / (u32)across, a = row * TILE, b = (blockX() - row * across) * THREADS + threadX();
  int at = b < nb ? b : nb - 1;
  double sum[TILE];
#pragma unroll
  for (int r = 0; r < TILE; r++) sum[r] = 0;
  for (int from = 0; from < footprints; from += BATCH) {
    for (int n = threadX(); n < BATCH * TILE; n += THREADS) {
      int f = from + n / TILE, r = a + n % TILE;
      ((double *)weight)[n] = f < footprints && r < na ? watts[f] * x[(i64)f * na + r] : 0;
    }
    barrier();
    int count = footprints - from < BATCH ? footprints - from : BATCH;
#pragma unroll 8
    for (int f = 0; f < count; f++) {
      double v = y[(i64)(from + f) * nb + at];
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
#pragma unroll
  for (int r = 0; r < TILE; r++)
    if (a + r < na) {
      i64 c = (i64)(a + r) * nb + b;
      for (int p = 0; p < planes; p++) sum[r] += factors[p] * plane[p * (i64)na * nb + c];
      out[c] = sum[r];
    }
}

// weigh sets sums[k] to the sum over a, b of x[a] y[b] v[k][a][b], for nz planes k, with so many blocks a plane. halfA and halfB say that x[0] and y[0] count half.
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

// residual adds to scalars[0..2] the squares of the residual of plane k, of its right side, and of |A| |x| + |b|, and raises scalars[3] to its largest
// absolute value. own is the plane, below and above are its
// neighbours; null ones do not exist, and old is null in a steady state. gx, gy couple along the axes, down and up to the planes or what holds the outer ones,
// gain is C/dt. The heat is the sum of share[e] times sheet[e] for the entries first to last-1.
KERNEL void BOUNDS(FLAT) residual(int nx, int ny, const double *below, const double *own, const double *above, const double *old, double gx, double gy,
                                  double down, double up, double gain, int xEnds, int yEnds, int first, int last, const double *RESTRICT share,
                                  const int *RESTRICT sheet, const double *RESTRICT sheets, double *partial, double *scalars, u32 *ticket) {
  SHARED double room[32];
  SHARED int final;
  i64 plane = (i64)nx * ny, stride = (i64)gridX() * FLAT;
  double rr = 0, bb = 0, ss = 0, most = 0;
  for (i64 c = (i64)blockX() * FLAT + threadX(); c < plane; c += stride) {
    int j = (u32)c / (u32)nx, i = (int)c - j * nx;
    double x = own[c], b = old ? gain * old[c] : 0;
    for (int e = first; e < last; e++) b += share[e] * sheets[sheet[e] * plane + c];
    Terms t = {gain * x, __builtin_fabs(gain * x)};
    t = i ? add(t, gx, x, own[c - 1]) : end(t, xEnds & 1, gx, x);
    t = i + 1 < nx ? add(t, gx, x, own[c + 1]) : end(t, xEnds & 2, gx, x);
    t = j ? add(t, gy, x, own[c - nx]) : end(t, yEnds & 1, gy, x);
    t = j + 1 < ny ? add(t, gy, x, own[c + nx]) : end(t, yEnds & 2, gy, x);
    t = add(t, down, x, below ? below[c] : 0);
    t = add(t, up, x, above ? above[c] : 0);
    double r = b - t.flow, size = t.size + __builtin_fabs(b);
    rr += r * r;
    bb += b * b;
    ss += size * size;
    most = larger(__builtin_fabs(r), most);
  }
  double sums[3] = {rr, bb, ss};
#pragma unroll
  for (int n = 0; n < 3; n++) {
    double s = sumBlock(sums[n], room, FLAT);
    if (threadX() == 0) partial[n * gridX() + blockX()] = s;
  }
  most = maxBlock(most, room, FLAT);
  if (threadX() == 0) partial[3 * gridX() + blockX()] = most;
  if (!lastBlock(ticket, gridX(), &final)) return;
#pragma unroll
  for (int n = 0; n < 3; n++) {
    double s = total(partial + n * gridX(), gridX(), room, FLAT);
    if (threadX() == 0) scalars[n] = load(scalars + n) + s;
  }
  most = greatest(partial + 3 * gridX(), gridX(), room, FLAT);
  if (threadX() == 0) scalars[3] = larger(most, load(scalars + 3));
}
