// The coolant's own equations along its lines in FP64, for central differences.
#include "device.h"

enum { THREADS = 128, SWEEP = 512, SEGMENTS = 32, LINES = SWEEP / SEGMENTS };

// Stream is the coolant of a cavity with central differences, and the factors of its equations, one tridiagonal system for each line in the order of the flow. Line l begins at cell
// first + l across of plane, which is the number of the plane's first cell; step leads to the next cell downstream. Factors lie as the plane's cells do: lower
// is the entry of a cell towards the one upstream over that one's pivot, upper that towards the one downstream, inverse one over the pivot, and all of them are
// zero in lines without coolant.
struct Stream {
  i64 plane, first, across, step;
  int lines, length, axis, none;
  const double *heat;
  const int *wet;
  double *lower, *upper, *inverse;
};

// factor takes the entries from the couplings along the flow and from diagonal, that of the whole operator. A thread factors a line.
KERNEL void BOUNDS(THREADS) factor(int most, const Stream *streams, const float *gx, const float *gy, const double *diagonal) {
  BlockAt tile = blockAt(tiles(most, THREADS));
  const Stream &s = streams[tile.y];
  int line = tile.x * THREADS + threadX();
  if (line >= s.lines || !s.wet[line]) return;
  const float *g = (s.axis == 0 ? gx : gy) + s.plane;
  double heat = s.heat[line], inverse = 0, upper = 0;
  i64 at = s.first + line * s.across;
  for (int m = 0; m < s.length; m++, at += s.step) {
    double pivot = diagonal[s.plane + at], lower = 0;
    if (m > 0) {
      double axial = g[s.step > 0 ? at - s.step : at];
      lower = (heat * -0.5 - axial) * inverse;
      pivot -= lower * upper;
    }
    upper = 0;
    if (m + 1 < s.length) upper = heat * 0.5 - (double)g[s.step > 0 ? at : at + s.step];
    inverse = 1 / pivot;
    s.lower[at] = lower, s.upper[at] = upper, s.inverse[at] = inverse;
  }
}

// sweep adds to z the solutions for the residual t, which is overwritten. A block solves LINES neighbouring lines, each in SEGMENTS parts at a time. A thread
// computes the result of its part for a start at zero, and the influence of the start. The parts are then joined one after the other, and each is solved
// again from its true start: first downstream, then back.
KERNEL void BOUNDS(SWEEP) sweep(int most, const Stream *streams, double *t, double *z) {
  SHARED double ends[SWEEP], passes[SWEEP];
  BlockAt tile = blockAt(tiles(most, LINES));
  const Stream &s = streams[tile.y];
  int part = threadX() / LINES, line = tile.x * LINES + threadX() % LINES, each = tiles(s.length, SEGMENTS);
  int from = part * each < s.length ? part * each : s.length, to = from + each < s.length ? from + each : s.length;
  bool own = line < s.lines;
  if (!own) to = from;
  i64 first = s.first + line * s.across;
  double *r = t + s.plane;
  double end = 0, pass = 1;
  for (int m = from; m < to; m++) {
    i64 at = first + m * s.step;
    double l = s.lower[at];
    end = r[at] - l * end;
    pass *= -l;
  }
  ends[threadX()] = end, passes[threadX()] = pass;
  barrier();
  double v = 0;
  for (int p = 0; p < part; p++) v = ends[p * LINES + threadX() % LINES] + passes[p * LINES + threadX() % LINES] * v;
  barrier();
  for (int m = from; m < to; m++) {
    i64 at = first + m * s.step;
    v = r[at] - s.lower[at] * v;
    r[at] = v;
  }
  end = 0, pass = 1;
  for (int m = to - 1; m >= from; m--) {
    i64 at = first + m * s.step;
    double u = s.upper[at], i = s.inverse[at];
    end = (r[at] - u * end) * i;
    pass *= -u * i;
  }
  ends[threadX()] = end, passes[threadX()] = pass;
  barrier();
  v = 0;
  for (int p = SEGMENTS - 1; p > part; p--) v = ends[p * LINES + threadX() % LINES] + passes[p * LINES + threadX() % LINES] * v;
  for (int m = to - 1; m >= from; m--) {
    i64 at = first + m * s.step;
    v = (r[at] - s.upper[at] * v) * s.inverse[at];
    z[s.plane + at] += v;
  }
}

// subtract sets t = r - y; a null y is zero. t may be y.
KERNEL void BOUNDS(THREADS) subtract(i64 n, const float *r, const double *y, double *t) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) t[c] = y ? r[c] - y[c] : r[c];
}

// narrow rounds v to FP32.
KERNEL void BOUNDS(THREADS) narrow(i64 n, const double *RESTRICT v, float *RESTRICT to) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) to[c] = (float)v[c];
}

// addSingle adds an FP32 vector to z.
KERNEL void BOUNDS(THREADS) addSingle(i64 n, const float *RESTRICT v, double *RESTRICT z) {
  i64 stride = (i64)gridX() * THREADS;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < n; c += stride) z[c] += v[c];
}
