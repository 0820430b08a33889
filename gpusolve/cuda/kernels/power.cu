// The power of layers, drawn onto sheets in FP64.
#include "device.h"

enum { THREADS = 128, ROWS = 16 };

// Footprint is a rectangle of uniform power: of 1 W, cell (i + a, j + b) gets x[a] y[b] W. shares[at] begins its nx values of x, then ny of y.
struct Footprint {
  int i, j, nx, ny;
  i64 at;
};

// draw sets sheet s, the block's plane, to the sum of its footprints times their watts and of planes planeFirst[s] to planeFirst[s+1] times their factors. A block
// draws a tile of THREADS x ROWS cells; the footprints that touch tile t are order[first[t]] to order[first[t+1]], always in the same order.
KERNEL void BOUNDS(THREADS) draw(int nx, int ny, const int *RESTRICT first, const int *RESTRICT order, const Footprint *RESTRICT footprints,
                                 const double *RESTRICT shares, const double *RESTRICT watts, const int *RESTRICT planeFirst,
                                 const double *RESTRICT planes, const double *RESTRICT factors, double *RESTRICT sheets) {
  BlockAt block = blockAt(tiles(nx, THREADS), tiles(ny, ROWS));
  int i = block.x * THREADS + threadX(), j = block.y * ROWS, s = block.z;
  if (i >= nx) return;
  double w[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) w[r] = 0;
  int tile = (blockZ() * gridY() + blockY()) * gridX() + blockX(), end = first[tile + 1];
  for (int n = first[tile]; n < end; n++) {
    int id = order[n];
    Footprint k = footprints[id];
    int a = i - k.i, b = j - k.j;
    if (a < 0 || a >= k.nx) continue;
    const double *x = shares + k.at, *y = x + k.nx;
    double share = x[a], v = watts[id];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (b + r >= 0 && b + r < k.ny) w[r] += v * y[b + r] * share;
  }
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i;
  for (int p = planeFirst[s]; p < planeFirst[s + 1]; p++) {
    const double *plane = planes + p * sheet + at;
    double f = factors[p];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (j + r < ny) w[r] += f * plane[(i64)r * nx];
  }
  double *out = sheets + s * sheet + at;
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    if (j + r < ny) out[(i64)r * nx] = w[r];
}
