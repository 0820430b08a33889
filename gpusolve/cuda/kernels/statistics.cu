// Planes of temperatures reduced to numbers, and to whole quanta: what package reduction defines, bit for bit. Sums are rounded after every product
// and every addition, in the order of that package. Planes lie anywhere in a field of values, to each of which an offset is added.
#include "device.h"

// AHEAD is how many values a thread asks for before it waits for the first, SEARCH the threads of a block that searches a plane.
enum { THREADS = 128, AHEAD = 16, SEARCH = 256, MISSING = -(1 << 30), WIDEST = 1 << 28 };

DEVICE double plus(double a, double b) { return __nvvm_add_rn_d(a, b); }
DEVICE double times(double a, double b) { return __nvvm_mul_rn_d(a, b); }

// Rect is a rectangle of ny rows of nx cells: at is its first cell, row the number of its first row among those of all rectangles, and weights[x] and weights[y]
// begin the weights of its columns and of its rows. z weighs all of it.
struct Rect {
  i64 at, row, x, y;
  double z;
  int nx, ny;
};

// Row holds the sums over the finite cells of a row: of weight times temperature, and of weights; the least and the greatest temperature, the first cell at the
// greatest, and how many cells are not finite.
struct Row {
  double sum, weight, least, greatest;
  int cell, missing;
};

// Extent is the same of a group of rectangles. cell counts from the first of the rectangle rect of the group.
struct Extent {
  double sum, weight, least, greatest;
  int rect, cell;
  i64 missing;
};

// Peak is the first of the hottest cells of a bin or a plane.
struct Peak {
  double greatest;
  int plane, cell;
};

// rows[n] = what row n of all rectangles comes to, a thread each. Rectangles stand in the order of their rows.
KERNEL void BOUNDS(THREADS) sumRows(i64 count, int nx, int rects, const Rect *RESTRICT list, const double *RESTRICT weights, const double *RESTRICT x,
                                    double offset, Row *RESTRICT rows) {
  i64 n = (i64)blockX() * THREADS + threadX();
  if (n >= count) return;
  int low = 0, high = rects - 1; // of the last rectangle that begins at row n or before
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (list[middle].row <= n)
      low = middle;
    else
      high = middle - 1;
  }
  Rect t = list[low];
  i64 j = n - t.row;
  const double *from = x + t.at + j * nx, *w = weights + t.x;
  double infinity = __builtin_inf();
  Row r = {0, 0, infinity, -infinity, 0, 0};
  double values[AHEAD], next[AHEAD];
#pragma unroll
  for (int a = 0; a < AHEAD; a++) next[a] = from[a < t.nx ? a : 0];
  for (int i = 0; i < t.nx; i += AHEAD) {
#pragma unroll
    for (int a = 0; a < AHEAD; a++) values[a] = next[a];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) next[a] = from[i + AHEAD + a < t.nx ? i + AHEAD + a : 0];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      if (i + a >= t.nx) break;
      double v = plus(values[a], offset);
      if (v - v != 0) {
        r.missing++;
        continue;
      }
      r.sum = plus(r.sum, times(v, w[i + a]));
      r.weight = plus(r.weight, w[i + a]);
      if (v > r.greatest) r.greatest = v, r.cell = (int)j * t.nx + i + a;
      if (v < r.least) r.least = v;
    }
  }
  rows[n] = r;
}

// extents[g] is the result of the rectangles first[g] to first[g+1], a block each, from their rows; one thread adds the parts in order. points[p] is constants[p]
// and the terms firstTerm[p] to firstTerm[p+1]. tops[k] is the first of the hottest of the parts of plane k. After the groups' blocks there is a thread
// for each point, then one for each plane.
KERNEL void BOUNDS(THREADS) gather(int groups, const int *RESTRICT first, const Rect *RESTRICT list, const double *RESTRICT weights,
                                   const Row *RESTRICT rows, int count, const int *RESTRICT firstTerm, const double *RESTRICT constants,
                                   const i64 *RESTRICT cells, const double *RESTRICT shares, const double *RESTRICT x, double offset, int planes, int parts,
                                   const Peak *RESTRICT found, Extent *RESTRICT extents, double *RESTRICT points, Peak *RESTRICT tops) {
  SHARED double sums[THREADS], weighed[THREADS], least[THREADS], greatest[THREADS];
  SHARED int cell[THREADS], missing[THREADS];
  int own = threadX(), g = blockX();
  double infinity = __builtin_inf();
  if (g < groups) {
    Extent e = {0, 0, infinity, -infinity, 0, 0, 0};
    for (int r = first[g]; r < first[g + 1]; r++) {
      Rect t = list[r];
      for (int from = 0; from < t.ny; from += THREADS) {
        int some = t.ny - from < THREADS ? t.ny - from : THREADS;
        if (own < some) {
          Row v = rows[t.row + from + own];
          double y = weights[t.y + from + own];
          sums[own] = times(times(v.sum, y), t.z);
          weighed[own] = times(times(v.weight, y), t.z);
          least[own] = v.least;
          greatest[own] = v.greatest;
          cell[own] = v.cell;
          missing[own] = v.missing;
        }
        barrier();
        // Each of the results has a thread in a separate warp, so that they do not wait for one another.
        if (own == 0) {
#pragma unroll 8
          for (int a = 0; a < some; a++) e.sum = plus(e.sum, sums[a]);
        } else if (own == 32) {
#pragma unroll 8
          for (int a = 0; a < some; a++) e.weight = plus(e.weight, weighed[a]);
        } else if (own == 64) {
#pragma unroll 8
          for (int a = 0; a < some; a++) {
            if (greatest[a] > e.greatest) e.greatest = greatest[a], e.rect = r - first[g], e.cell = cell[a];
          }
        } else if (own == 96) {
#pragma unroll 8
          for (int a = 0; a < some; a++) {
            if (least[a] < e.least) e.least = least[a];
            e.missing += missing[a];
          }
        }
        barrier();
      }
    }
    if (own == 0) extents[g].sum = e.sum;
    if (own == 32) extents[g].weight = e.weight;
    if (own == 64) extents[g].greatest = e.greatest, extents[g].rect = e.rect, extents[g].cell = e.cell;
    if (own == 96) extents[g].least = e.least, extents[g].missing = e.missing;
    return;
  }
  int p = (g - groups) * THREADS + own;
  if (p < count) {
    double v = constants[p];
    for (int t = firstTerm[p]; t < firstTerm[p + 1]; t++) v = plus(v, times(shares[t], plus(x[cells[t]], offset)));
    points[p] = v;
    return;
  }
  int k = p - count;
  if (k >= planes) return;
  Peak top = {-infinity, 0, 0};
#pragma unroll 8
  for (int b = 0; b < parts; b++) {
    Peak o = found[k * parts + b];
    if (o.greatest > top.greatest) top = o;
  }
  tops[k] = top;
}

// searchPlanes finds the first of the hottest finite cells in each part of planes; parts begin at the cells at[k], with a block for each part.
KERNEL void BOUNDS(SEARCH) searchPlanes(int cells, int parts, const i64 *RESTRICT at, const double *RESTRICT x, double offset, Peak *RESTRICT found) {
  SHARED double values[SEARCH];
  SHARED int places[SEARCH];
  int k = (u32)blockX() / (u32)parts, part = blockX() - k * parts, each = tiles(cells, parts), own = threadX();
  int from = part * each, to = from + each < cells ? from + each : cells;
  double infinity = __builtin_inf(), best = -infinity;
  int place = 0;
  const double *plane = x + at[k];
#pragma unroll 4
  for (int c = from + own; c < to; c += SEARCH) {
    double v = plus(plane[c], offset);
    if (v > best && v < infinity) best = v, place = c;
  }
  values[own] = best;
  places[own] = place;
  barrier();
  for (int half = SEARCH / 2; half; half /= 2) {
    if (own < half) {
      double v = values[own + half];
      int c = places[own + half];
      if (v > values[own] || (v == values[own] && c < places[own])) values[own] = v, places[own] = c;
    }
    barrier();
  }
  if (own == 0) found[blockX()] = values[0] > -infinity ? Peak{values[0], k, places[0]} : Peak{-infinity, 0, 0};
}

// peaks[b] = the first of the hottest finite cells in bin b of planes that begin at the cells at[k], a thread for each bin. Bin b along x holds the cells i with
// i*binsX/nx = b, and so along y.
KERNEL void BOUNDS(THREADS) hottest(int nx, int ny, int planes, const i64 *RESTRICT at, int binsX, int binsY, const double *RESTRICT x, double offset,
                                    Peak *RESTRICT peaks) {
  int n = blockX() * THREADS + threadX();
  if (n >= binsX * binsY) return;
  i64 bx = n % binsX, by = n / binsX;
  int i0 = (int)((bx * nx + binsX - 1) / binsX), i1 = (int)(((bx + 1) * nx + binsX - 1) / binsX);
  int j0 = (int)((by * ny + binsY - 1) / binsY), j1 = (int)(((by + 1) * ny + binsY - 1) / binsY);
  double infinity = __builtin_inf();
  Peak p = {-infinity, 0, 0};
  for (int k = 0; k < planes; k++) {
    for (int j = j0; j < j1; j++) {
      const double *row = x + at[k] + (i64)j * nx;
#pragma unroll 4
      for (int i = i0; i < i1; i++) {
        double v = plus(row[i], offset);
        if (v > p.greatest && v < infinity) p = {v, k, j * nx + i};
      }
    }
  }
  peaks[n] = p;
}

// nearest rounds half away from zero.
DEVICE double nearest(double v) {
  double whole = __nvvm_trunc_d(v), rest = v - whole;
  if (rest >= 0.5) return whole + 1;
  return rest <= -0.5 ? whole - 1 : whole;
}

// counts = planes of nx x ny values from x on, reduced by maximum over squares of factor x factor, as numbers of quanta above base. A value without a number is
// passed over where its square has others; alone it is MISSING. A thread makes one count; count is that of all planes.
KERNEL void BOUNDS(THREADS) quantise(i64 count, int nx, int ny, int factor, const double *RESTRICT x, double offset, double base, double quantum,
                                     int *RESTRICT counts) {
  i64 n = (i64)blockX() * THREADS + threadX();
  if (n >= count) return;
  int w = (nx + factor - 1) / factor, h = (ny + factor - 1) / factor;
  i64 line = n / w, plane = line / h;
  int i0 = (int)(n - line * w) * factor, j0 = (int)(line - plane * h) * factor;
  int i1 = i0 + factor < nx ? i0 + factor : nx, j1 = j0 + factor < ny ? j0 + factor : ny;
  const double *from = x + plane * nx * ny;
  double best = plus(from[(i64)j0 * nx + i0], offset);
  for (int j = j0; j < j1; j++) {
    for (int i = i0; i < i1; i++) {
      double v = plus(from[(i64)j * nx + i], offset);
      if (v > best || best != best) best = v;
    }
  }
  double q = nearest((best - base) / quantum);
  int c = MISSING;
  if (q - q == 0) c = q > WIDEST ? WIDEST : q < -WIDEST ? -WIDEST : (int)q;
  counts[n] = c;
}

// out = planes of values from x on, sheet values each, in bins: the maximum over the cells that a bin shows, a thread for each of count bins, width of them a row. The hottest of
// the planes comes first, then that of a column's rows, then that of the columns; a value that is no number stays where it is the first.
KERNEL void BOUNDS(THREADS) maxima(i64 count, int width, int nx, i64 sheet, int planes, const double *RESTRICT x, double offset, const int *RESTRICT firstX,
                                   const int *RESTRICT lastX, const int *RESTRICT firstY, const int *RESTRICT lastY, double *RESTRICT out) {
  i64 n = (i64)blockX() * THREADS + threadX();
  if (n >= count) return;
  int q = (int)(n / width), p = (int)(n - (i64)q * width);
  int i0 = firstX[p], i1 = lastX[p], j0 = firstY[q], j1 = lastY[q];
  double best = 0;
  for (int i = i0; i <= i1; i++) {
    double column = 0;
    for (int j = j0; j <= j1; j++) {
      const double *from = x + (i64)j * nx + i;
      double cell = plus(from[0], offset);
      for (int k = 1; k < planes; k++) {
        double v = plus(from[k * sheet], offset);
        if (v > cell) cell = v;
      }
      if (j == j0 || cell > column) column = cell;
    }
    if (i == i0 || column > best) best = column;
  }
  out[n] = best;
}
