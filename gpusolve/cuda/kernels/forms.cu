// The matrix of a system in forms that other methods build on: seven diagonals, and rows.
#include "device.h"

enum { THREADS = 128, WIDE = 1024 };

// expand turns the couplings of a mesh into diagonals: main, summed in FP64, and those at the offsets 1, nx and nx ny above it, unpadded.
KERNEL void BOUNDS(THREADS) expand(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                   const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                   double *RESTRICT diagonal, double *RESTRICT x, double *RESTRICT y, double *RESTRICT z) {
  i64 sheet = (i64)nx * ny, n = sheet * nz, stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    int k = (int)(c / sheet);
    i64 at = c - k * sheet;
    double v = (double)gx[c - 1] + gx[c] + gy[c - nx] + gy[c] + (k ? gz[c - sheet] : 0.0f) + gz[c];
    int slot = groundSlot[k];
    if (slot >= 0) v += ground[slot * sheet + at];
    if (capacity) v += capacity[c];
    diagonal[c] = v;
    if (c + 1 < n) x[c] = -(double)gx[c];
    if (c + nx < n) y[c] = -(double)gy[c];
    if (c + sheet < n) z[c] = -(double)gz[c];
  }
}

// entry is a place in a row: the offset of its column from the diagonal, and its value.
struct Entry {
  i64 offset;
  double value;
};

// gather collects row c in ascending order of the columns, without zeros beside the diagonal. Offsets that coincide share an entry.
DEVICE int gather(i64 c, i64 n, i64 nx, i64 sheet, const double *diagonal, const double *x, const double *y, const double *z, const double *lx,
                  const double *ly, const double *lz, Entry *e) {
  Entry all[7] = {
      {-sheet, c >= sheet ? lz[c - sheet] : 0}, {-nx, c >= nx ? ly[c - nx] : 0}, {-1, c >= 1 ? lx[c - 1] : 0}, {0, diagonal[c]},
      {1, c + 1 < n ? x[c] : 0},                {nx, c + nx < n ? y[c] : 0},     {sheet, c + sheet < n ? z[c] : 0},
  };
  int count = 0;
#pragma unroll
  for (int i = 0; i < 7; i++) {
    if (i != 3 && all[i].value == 0) continue;
    if (count && e[count - 1].offset == all[i].offset)
      e[count - 1].value += all[i].value;
    else
      e[count++] = all[i];
  }
  return count;
}

// countRows sets length[c] to the entries of row c, and blockSum to the sum over each block's rows.
KERNEL void BOUNDS(WIDE) countRows(i64 n, int nx, i64 sheet, const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y,
                                   const double *RESTRICT z, const double *RESTRICT lx, const double *RESTRICT ly, const double *RESTRICT lz,
                                   i64 *RESTRICT rowPtr, double *RESTRICT blockSum) {
  SHARED double lines[32];
  i64 c = (i64)blockX() * WIDE + threadX();
  Entry e[7];
  int count = c < n ? gather(c, n, nx, sheet, diagonal, x, y, z, lx, ly, lz, e) : 0;
  if (c < n) rowPtr[c + 1] = count;
  double s = sumBlock(count, lines, WIDE);
  if (threadX() == 0) blockSum[blockX()] = s;
}

// startBlocks turns the sums of blocks into the number of entries before each block. One block, which goes through the sums in order.
KERNEL void BOUNDS(WIDE) startBlocks(int blocks, double *blockSum) {
  SHARED double line[WIDE];
  double before = 0;
  for (int first = 0; first < blocks; first += WIDE) {
    int t = threadX(), at = first + t;
    double own = at < blocks ? blockSum[at] : 0;
    line[t] = own;
    barrier();
    for (int by = 1; by < WIDE; by *= 2) {
      double v = t >= by ? line[t - by] : 0;
      barrier();
      line[t] += v;
      barrier();
    }
    if (at < blocks) blockSum[at] = before + line[t] - own;
    before += line[WIDE - 1];
    barrier();
  }
}

// startRows turns the rows' lengths in rowPtr[1..n] into their ends. Counts are whole numbers, exact in FP64.
KERNEL void BOUNDS(WIDE) startRows(i64 n, i64 *rowPtr, const double *RESTRICT blockSum) {
  SHARED int line[WIDE];
  int t = threadX();
  i64 c = (i64)blockX() * WIDE + t;
  line[t] = c < n ? (int)rowPtr[c + 1] : 0;
  barrier();
  for (int by = 1; by < WIDE; by *= 2) {
    int v = t >= by ? line[t - by] : 0;
    barrier();
    line[t] += v;
    barrier();
  }
  if (c < n) rowPtr[c + 1] = (i64)blockSum[blockX()] + line[t];
  if (c == 0) rowPtr[0] = 0;
}

// fillRows writes the entries.
KERNEL void BOUNDS(THREADS) fillRows(i64 n, int nx, i64 sheet, const double *RESTRICT diagonal, const double *RESTRICT x, const double *RESTRICT y,
                                     const double *RESTRICT z, const double *RESTRICT lx, const double *RESTRICT ly, const double *RESTRICT lz,
                                     const i64 *RESTRICT rowPtr, int *RESTRICT col, double *RESTRICT val) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    Entry e[7];
    int count = gather(c, n, nx, sheet, diagonal, x, y, z, lx, ly, lz, e);
    i64 at = rowPtr[c];
    for (int i = 0; i < count; i++) {
      col[at + i] = (int)(c + e[i].offset);
      val[at + i] = e[i].value;
    }
  }
}

// out = A v for the couplings of a mesh. Differences come first, so that a large common rise costs no digits.
KERNEL void BOUNDS(THREADS) multiply(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                     const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                     const double *RESTRICT v, double *RESTRICT out) {
  i64 sheet = (i64)nx * ny, n = sheet * nz, stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) {
    int k = (int)(c / sheet);
    i64 at = c - k * sheet;
    double own = v[c];
    double a = gx[c] * (own - v[c + 1]) + gx[c - 1] * (own - v[c - 1]) + gy[c] * (own - v[c + nx]) + gy[c - nx] * (own - v[c - nx]);
    if (k) a += gz[c - sheet] * (own - v[c - sheet]);
    if (k + 1 < nz) a += gz[c] * (own - v[c + sheet]);
    int slot = groundSlot[k];
    if (slot >= 0) a += ground[slot * sheet + at] * own;
    if (capacity) a += capacity[c] * own;
    out[c] = a;
  }
}
