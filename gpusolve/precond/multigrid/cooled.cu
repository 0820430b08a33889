// Levels of stacks with coolant: setup, the coolant's own equations, residuals and transfers.
//
// A plane of resolved channels becomes two planes on the next level, walls and coolant, as a porous cavity has them. split[k] is the flow of such a plane, -1 of
// others, and low[k] the coarse plane of its walls, or of the whole plane k; coolant goes to the one above.
#include "cooled.h"

enum { THREADS = 128, FEWEST = 16, FEW = 64, MANY = 128, ABREAST = 8, TOGETHER = FEW / FEWEST, SWEEP = FEW * ABREAST, WIDE = MANY * ABREAST, SHORT = 4, MEDIUM = 5, LONG = 9, BATCH = 8 };

DEVICE bool wetLine(const Flow &f, int i, int j) { return f.wet[f.axis == 0 ? j : i]; }

// pivot is one over d, or nothing where a cell has no equation.
DEVICE double pivot(double d) { return d > 0 ? d : 1e30; }

// diagonalOf is the diagonal of a row in FP64.
DEVICE double diagonalOf(int nx, i64 sheet, int i, int j, int k, const float *gx, const float *gy, const float *gz, const float *ground,
                         const int *groundSlot, const float *capacity, const float *far, const int *farSlot, const Flow *flows, const int *flowing) {
  i64 at = (i64)j * nx + i, c = at + k * sheet;
  double d = (double)gx[c] + gx[c - 1] + gy[c] + gy[c - nx] + gz[c];
  if (k) d += gz[c - sheet];
  int slot = groundSlot[k];
  if (slot >= 0) d += ground[slot * sheet + at];
  if (capacity) d += capacity[c];
  if ((slot = farSlot[k]) >= 0) d += far[slot * sheet + at];
  if (k > 1 && (slot = farSlot[k - 2]) >= 0) d += far[slot * sheet + at];
  if ((slot = flowing[k]) >= 0) d += flows[slot].heat[flows[slot].axis == 0 ? j : i];
  return d;
}

// factorColumns eliminates the columns from the bottom up, in FP64.
KERNEL void BOUNDS(THREADS) factorColumns(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                          const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                          const float *RESTRICT far, const int *RESTRICT farSlot, const Flow *RESTRICT flows,
                                          const int *RESTRICT flowing, float *RESTRICT e, float *RESTRICT inverse) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
  double g = 0, p = 1, beyond = 0, q = 1, last = 0; // couplings of the plane below to this one and the next, its pivot; those of the one before
  for (int k = 0; k < nz; k++, c += sheet) {
    double d = diagonalOf(nx, sheet, i, j, k, gx, gy, gz, ground, groundSlot, capacity, far, farSlot, flows, flowing);
    d = pivot(d - g * g / p - last * last / q);
    double up = gz[c] + g * beyond / p;
    e[c] = (float)up;
    inverse[c] = (float)(1 / d);
    last = beyond, q = p;
    int slot = farSlot[k];
    beyond = slot >= 0 ? far[slot * sheet + at] : 0;
    g = up, p = d;
  }
}

// Lines are those of cells along the flow in a plane of a cavity: of coolant, and of walls, which conduct along the flow and hardly across, so that columns alone
// would not smooth what varies from line to line. Line l begins at cell first + l across of the plane, and step leads to the next cell downstream. heat is what
// lines carry, nothing where it is null. Lines of one colour do not touch; those of a negative one do not count. inverse is one over the pivots of the
// elimination downstream, as the plane's cells lie, and rest is memory for a right-hand side. Where lines of coolant fill a plane, nothing couples them: lone is 1.
struct Lines {
  i64 first, across, step;
  int plane, lines, length, axis, lone, none;
  const float *heat;
  const int *colour;
  float *inverse, *rest;
};

// Planar is what few planes have, as a plane's cells lie. Where a plane has none, at is that of something else and share is 0: loads without branches can be
// under way together.
struct Planar {
  const float *at;
  float share;
};
DEVICE Planar planar(const float *data, int slot, i64 sheet, const float *other) {
  if (slot < 0) return {other, 0};
  return {data + slot * sheet, 1};
}
DEVICE float value(const Planar &p, i64 c) { return p.share * p.at[c]; }

// factorLines eliminates lines downstream. With u what ties a cell to the one upstream, heat carried included, d to the one downstream, and m to everything
// beside, where the heat carried belongs at the inlet,
//
//	t_n = m_n + u_n t_{n-1} / pivot_{n-1},   pivot_n = d_n + t_n
//
// All terms are positive. A thread factors a line, and reads BATCH cells at a time.
KERNEL void BOUNDS(THREADS) factorLines(int nx, int ny, int most, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                        const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                        const float *RESTRICT far, const int *RESTRICT farSlot, const Lines *RESTRICT all) {
  BlockAt tile = blockAt(tiles(most, THREADS));
  const Lines &s = all[tile.y];
  int line = tile.x * THREADS + threadX(), k = s.plane;
  if (line >= s.lines || s.colour[line] < 0) return;
  i64 sheet = (i64)nx * ny, at = s.first + line * s.across, base = k * sheet, beside = s.axis == 0 ? nx : 1;
  const float *along = (s.axis == 0 ? gx : gy) + base, *side = (s.axis == 0 ? gy : gx) + base;
  const float *up = gz + base;
  Planar held = planar(ground, groundSlot[k], sheet, up), above = planar(far, farSlot[k], sheet, up);
  Planar below = planar(far, k > 1 ? farSlot[k - 2] : -1, sheet, up), warms = planar(capacity + base, capacity ? 0 : -1, 0, up);
  double heat = s.heat ? s.heat[line] : 0, t = 0, pivot = 1;
  for (int done = 0; done < s.length; done += BATCH) {
    double rest[BATCH], from[BATCH], to[BATCH];
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      int m = done + n < s.length ? done + n : s.length - 1;
      i64 c = at + m * s.step;
      rest[n] = (double)side[c] + side[c - beside] + up[c] + up[c - sheet];
      rest[n] += value(held, c), rest[n] += value(warms, c), rest[n] += value(above, c), rest[n] += value(below, c);
      from[n] = along[m > 0 && s.step > 0 ? c - s.step : c];
      to[n] = along[m + 1 < s.length && s.step < 0 ? c + s.step : c];
    }
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      int m = done + n;
      if (m >= s.length) break;
      t = rest[n] + (m > 0 ? (heat + from[n]) * (t / pivot) : heat);
      pivot = t + (m + 1 < s.length ? to[n] : 0);
      s.inverse[at + m * s.step] = (float)(1 / pivot);
    }
  }
}

// stepFew is stepCooled of cooledlines.cu where columns are too few to hide waits, for columns of any length: BATCH planes are read at a time, without branches.
KERNEL void BOUNDS(THREADS) stepFew(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT e,
                                    const float *RESTRICT inverse, const float *RESTRICT far, const int *RESTRICT farSlot, const Flow *RESTRICT flows,
                                    const int *RESTRICT flowing, const float *RESTRICT b, const float *RESTRICT x, const float *prev, float *dst, float a,
                                    float scale, float *RESTRICT scratch) {
  BlockAt tile = blockAt(tiles(nx, THREADS));
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i;
  float one = 0, two = 0; // the solution one and two planes below, and then above
  for (int done = 0; done < nz; done += BATCH) {
    float v[BATCH], w[BATCH], below[BATCH], beyond[BATCH];
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      int k = done + n < nz ? done + n : nz - 1, f = flowing[k];
      i64 c = at + k * sheet;
      const Flow &flow = flows[f >= 0 ? f : 0];
      bool carries = f >= 0 && (flow.axis == 0 ? i : j) != (flow.step > 0 ? 0 : flow.length - 1);
      v[n] = b[c] + gx[c] * x[c + 1] + gx[c - 1] * x[c - 1] + gy[c] * x[c + nx] + gy[c - nx] * x[c - nx];
      v[n] += (carries ? flow.heat[flow.axis == 0 ? j : i] : 0) * x[carries ? c - flow.step : c];
      w[n] = inverse[c], below[n] = e[k ? c - sheet : c];
      beyond[n] = value(planar(far, k > 1 ? farSlot[k - 2] : -1, sheet, inverse), at);
    }
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      if (done + n >= nz) break;
      float y = (v[n] + below[n] * one + beyond[n] * two) * w[n];
      two = one, one = y;
      scratch[at + (done + n) * sheet] = y;
    }
  }
  one = two = 0;
  float keep = 1 + a - scale;
  for (int done = 0; done < nz; done += BATCH) {
    float y[BATCH], above[BATCH], beyond[BATCH], v[BATCH];
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      int k = done + n < nz ? nz - 1 - done - n : 0;
      i64 c = at + k * sheet;
      float w = inverse[c];
      y[n] = scratch[c], above[n] = w * e[c], beyond[n] = w * value(planar(far, k + 2 < nz ? farSlot[k] : -1, sheet, inverse), at);
      v[n] = keep * x[c] - (prev ? a * prev[c] : 0);
    }
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      if (done + n >= nz) break;
      y[n] += above[n] * one + beyond[n] * two;
      two = one, one = y[n];
      dst[at + (nz - 1 - done - n) * sheet] = v[n] + scale * y[n];
    }
  }
}

// Segment is the part of a line that a thread solves: cells [from, to) downstream, and what the thread reads.
struct Segment {
  int part, parts, line, from, to;
  int zeroth, apart; // where the line's parts are in shared memory
  i64 sheet, first, base, beside, up, down;
  i64 higher, lower, twoUp, twoDown; // steps to the cells beside and two planes away, 0 where none is
  Planar below, above;
  float heat;
};

template <int PARTS>
DEVICE Segment segmentOf(const Lines &s, int nx, int ny, int t, int tile, int colour, const float *gz, const float *far, const int *farSlot) {
  Segment g;
  // Threads of a warp read cells that are near in memory: parts of a line along x, and lines next to one another along y.
  int each = tiles(s.length, PARTS), k = s.plane, own = s.axis == 0 ? t / PARTS : t % ABREAST, line = tile * ABREAST + own;
  g.zeroth = s.axis == 0 ? own * PARTS : own, g.apart = s.axis == 0 ? 1 : ABREAST;
  g.part = s.axis == 0 ? t % PARTS : t / ABREAST, g.parts = tiles(s.length, each), g.line = colour ? 2 * line + colour - 1 : line; // walls are even or odd lines
  g.from = g.part * each < s.length ? g.part * each : s.length, g.to = g.from + each < s.length ? g.from + each : s.length;
  if (g.line >= s.lines || s.colour[g.line] != colour) g.to = g.from;
  g.sheet = (i64)nx * ny, g.first = s.first + g.line * s.across, g.base = k * g.sheet, g.beside = s.axis == 0 ? nx : 1;
  g.up = s.step > 0 ? -s.step : 0, g.down = s.step > 0 ? 0 : s.step; // where the couplings upstream and downstream are
  int below = k > 1 ? farSlot[k - 2] : -1, above = farSlot[k];
  g.below = planar(far, below, g.sheet, gz + g.base), g.above = planar(far, above, g.sheet, gz + g.base);
  g.twoUp = above >= 0 ? 2 * g.sheet : 0, g.twoDown = below >= 0 ? 2 * g.sheet : 0;
  g.heat = g.to > g.from && s.heat ? s.heat[g.line] : 0;
  bool lone = s.lone && colour == 0;
  g.higher = lone || g.line + 1 >= s.lines ? 0 : g.beside, g.lower = lone || g.line == 0 ? 0 : g.beside;
  return g;
}

// rightSide is b and what a cell's neighbours beside its line add.
DEVICE float rightSide(const Segment &g, i64 at, const float *side, const float *gz, const float *b, const float *x) {
  i64 c = g.base + at;
  float v = b[c] + gz[c - g.sheet] * x[c - g.sheet] + gz[c] * x[c + g.sheet];
  v += value(g.below, at) * x[c - g.twoDown];
  v += value(g.above, at) * x[c + g.twoUp];
  return v + (side[at] * x[c + g.higher] + side[at - g.beside] * x[c - g.lower]); // couplings are zero where no cell is
}

// joined is the value before a segment, from what all segments make of a start at zero and how much of any start comes through them: those before it
// downstream, or those behind.
DEVICE float joined(float end, float pass, float *ends, float *passes, const Segment &g, bool back) {
  int t = g.zeroth + g.part * g.apart;
  barrier();
  ends[t] = end, passes[t] = pass;
  barrier();
  float v = 0;
  if (g.part >= g.parts) return v;
  if (back) {
#pragma unroll 8
    for (int p = g.parts - 1; p > g.part; p--) v = ends[g.zeroth + p * g.apart] + passes[g.zeroth + p * g.apart] * v;
  } else {
#pragma unroll 8
    for (int p = 0; p < g.part; p++) v = ends[g.zeroth + p * g.apart] + passes[g.zeroth + p * g.apart] * v;
  }
  return v;
}

// streamsOf solves lines of PARTS segments of up to CELLS cells, which stay in registers, with the threads of a tile. It does nothing where idle.
template <int PARTS, int CELLS>
DEVICE void streamsOf(int nx, int ny, int t, int tile, bool idle, int colour, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                      const float *RESTRICT far, const int *RESTRICT farSlot, const Lines &s, const float *RESTRICT b, float *x, float *ends,
                      float *passes) {
  Segment g = segmentOf<PARTS>(s, nx, ny, t, tile, colour, gz, far, farSlot);
  if (idle) g.to = g.from;
  const float *along = (s.axis == 0 ? gx : gy) + g.base, *side = (s.axis == 0 ? gy : gx) + g.base;
  int count = g.to - g.from;
  float y[CELLS], u[CELLS], d[CELLS], end = 0, pass = 1;
  if (count > 0) {
    // Cells beyond the segment repeat its last, so that all loads can be under way together.
#pragma unroll
    for (int n = 0; n < CELLS; n++) {
      int m = g.from + (n < count ? n : count - 1);
      i64 at = g.first + m * s.step;
      float w = s.inverse[at];
      y[n] = rightSide(g, at, side, gz, b, x) * w;
      float from = along[m > 0 ? at + g.up : at], to = along[m + 1 < s.length ? at + g.down : at];
      u[n] = m > 0 ? (g.heat + from) * w : 0;
      d[n] = m + 1 < s.length ? to * w : 0;
    }
#pragma unroll
    for (int n = 0; n < CELLS; n++)
      if (n < count) end = y[n] + u[n] * end, pass *= u[n];
  }
  float v = joined(end, pass, ends, passes, g, false);
  end = 0, pass = 1;
  if (count > 0) {
#pragma unroll
    for (int n = 0; n < CELLS; n++)
      if (n < count) y[n] = v = y[n] + u[n] * v;
#pragma unroll
    for (int n = CELLS - 1; n >= 0; n--)
      if (n < count) end = y[n] + d[n] * end, pass *= d[n];
  }
  v = joined(end, pass, ends, passes, g, true);
  if (count > 0) {
#pragma unroll
    for (int n = CELLS - 1; n >= 0; n--)
      if (n < count) x[g.base + g.first + (g.from + n) * s.step] = v = y[n] + d[n] * v;
  }
}

// streamsShort makes x of the cells in lines of a colour the solution of the lines' own equations, for b and the rest of x. A block solves ABREAST neighbouring
// lines, each in FEW or MANY parts at a time. A thread computes the result of its part for a start at zero, and the influence of the start. The parts are then
// joined one after the other, and each is solved again from its true start: first downstream, then back. Parts may have up to SHORT, MEDIUM or LONG cells here,
// and any number in streamsOfAnyLength.
KERNEL void BOUNDS(SWEEP) streamsShort(int nx, int ny, int most, int colour, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                  const float *RESTRICT far, const int *RESTRICT farSlot, const Lines *RESTRICT all, const float *RESTRICT b,
                                  float *x) {
  SHARED float ends[SWEEP], passes[SWEEP];
  BlockAt tile = blockAt(tiles(most, ABREAST));
  streamsOf<FEW, SHORT>(nx, ny, threadX(), tile.x, false, colour, gx, gy, gz, far, farSlot, all[tile.y], b, x, ends, passes);
}

// streamsMedium is streamsShort for longer lines.
KERNEL void BOUNDS(WIDE) streamsMedium(int nx, int ny, int most, int colour, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                  const float *RESTRICT far, const int *RESTRICT farSlot, const Lines *RESTRICT all, const float *RESTRICT b,
                                  float *x) {
  SHARED float ends[WIDE], passes[WIDE];
  BlockAt tile = blockAt(tiles(most, ABREAST));
  streamsOf<MANY, MEDIUM>(nx, ny, threadX(), tile.x, false, colour, gx, gy, gz, far, farSlot, all[tile.y], b, x, ends, passes);
}

// streamsLong is streamsShort for longer lines.
KERNEL void BOUNDS(WIDE) streamsLong(int nx, int ny, int most, int colour, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                  const float *RESTRICT far, const int *RESTRICT farSlot, const Lines *RESTRICT all, const float *RESTRICT b,
                                  float *x) {
  SHARED float ends[WIDE], passes[WIDE];
  BlockAt tile = blockAt(tiles(most, ABREAST));
  streamsOf<MANY, LONG>(nx, ny, threadX(), tile.x, false, colour, gx, gy, gz, far, farSlot, all[tile.y], b, x, ends, passes);
}

// streamsSmall is streamsShort for all colours one after the other on a small level, in one block: launches would cost more than the work. It solves ABREAST
// lines of TOGETHER planes at a time, each of FEWEST parts of up to SHORT cells.
KERNEL void BOUNDS(SWEEP) streamsSmall(int nx, int ny, int most, int count, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                  const float *RESTRICT far, const int *RESTRICT farSlot, const Lines *RESTRICT all, const float *RESTRICT b,
                                  float *x) {
  SHARED float ends[SWEEP], passes[SWEEP];
  int own = threadX() / (FEWEST * ABREAST), t = threadX() % (FEWEST * ABREAST);
  float *e = ends + own * FEWEST * ABREAST, *p = passes + own * FEWEST * ABREAST;
  for (int colour = 0; colour < 3; colour++) {
    int lines = colour ? tiles(most, 2) : most;
    for (int plane = 0; plane < count; plane += TOGETHER)
      for (int tile = 0; tile < tiles(lines, ABREAST); tile++) {
        bool idle = plane + own >= count;
        streamsOf<FEWEST, SHORT>(nx, ny, t, tile, idle, colour, gx, gy, gz, far, farSlot, all[idle ? plane : plane + own], b, x, e, p);
      }
    barrier();
  }
}

// streamsOfAnyLength is streamsShort for lines of any length, which keeps the right-hand side in memory.
KERNEL void BOUNDS(SWEEP) streamsOfAnyLength(int nx, int ny, int most, int colour, const float *gx, const float *gy, const float *gz, const float *far,
                                             const int *farSlot, const Lines *all, const float *b, float *x) {
  SHARED float ends[SWEEP], passes[SWEEP];
  BlockAt tile = blockAt(tiles(most, ABREAST));
  const Lines s = all[tile.y];
  Segment g = segmentOf<FEW>(s, nx, ny, threadX(), tile.x, colour, gz, far, farSlot);
  const float *along = (s.axis == 0 ? gx : gy) + g.base, *side = (s.axis == 0 ? gy : gx) + g.base;
  float end = 0, pass = 1;
  for (int m = g.from; m < g.to; m++) {
    i64 at = g.first + m * s.step;
    float v = rightSide(g, at, side, gz, b, x) * s.inverse[at], u = m > 0 ? (g.heat + along[at + g.up]) * s.inverse[at] : 0;
    s.rest[at] = v;
    end = v + u * end;
    pass *= u;
  }
  float v = joined(end, pass, ends, passes, g, false);
  for (int m = g.from; m < g.to; m++) {
    i64 at = g.first + m * s.step;
    v = s.rest[at] + (m > 0 ? (g.heat + along[at + g.up]) * s.inverse[at] : 0) * v;
    s.rest[at] = v;
  }
  end = 0, pass = 1;
  for (int m = g.to - 1; m >= g.from; m--) {
    i64 at = g.first + m * s.step;
    float d = m + 1 < s.length ? along[at + g.down] * s.inverse[at] : 0;
    end = s.rest[at] + d * end;
    pass *= d;
  }
  v = joined(end, pass, ends, passes, g, true);
  for (int m = g.to - 1; m >= g.from; m--) {
    i64 at = g.first + m * s.step;
    v = s.rest[at] + (m + 1 < s.length ? along[at + g.down] * s.inverse[at] : 0) * v;
    x[g.base + at] = v;
  }
}

// residualCooled sets r = b - A x, in each planes of a column in a thread.
KERNEL void BOUNDS(THREADS) residualCooled(int nx, int ny, int nz, int each, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                           const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                           const float *RESTRICT far, const int *RESTRICT farSlot, const Flow *RESTRICT flows,
                                           const int *RESTRICT flowing, const float *RESTRICT b, const float *RESTRICT x, float *RESTRICT r) {
  BlockAt tile = blockAt(tiles(nx, THREADS), ny);
  int i = tile.x * THREADS + threadX(), j = tile.y, low = tile.z * each, high = low + each < nz ? low + each : nz;
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at + low * sheet;
  float own = x[c], down = low ? gz[c - sheet] * (own - x[c - sheet]) : 0;
  for (int k = low; k < high; k++) {
    i64 next = k + 1 < nz ? c + sheet : c;
    float above = x[next], up = gz[c] * (above - own);
    float v = b[c] + gx[c] * (x[c + 1] - own) + gx[c - 1] * (x[c - 1] - own) + gy[c] * (x[c + nx] - own) + gy[c - nx] * (x[c - nx] - own) + (up - down);
    int slot = groundSlot[k];
    if (slot >= 0) v -= ground[slot * sheet + at] * own;
    if (capacity) v -= capacity[c] * own;
    if ((slot = farSlot[k]) >= 0) v += far[slot * sheet + at] * (x[c + 2 * sheet] - own);
    if (k > 1 && (slot = farSlot[k - 2]) >= 0) v += far[slot * sheet + at] * (x[c - 2 * sheet] - own);
    if ((slot = flowing[k]) >= 0) {
      const Flow &f = flows[slot];
      bool inlet = (f.axis == 0 ? i : j) == (f.step > 0 ? 0 : f.length - 1);
      v += f.heat[f.axis == 0 ? j : i] * ((inlet ? 0 : x[c - f.step]) - own);
    }
    r[c] = v;
    down = up;
    own = above;
    c = next;
  }
}

// series is the conductance between coarse cells c and c+1 of a line of couplings, stride apart: half of the coupling inside either pair and the
// one across.
DEVICE float series(const float *g, const int *first, int c, i64 stride) {
  int lo = first[c], mid = first[c + 1], hi = first[c + 2];
  float across = g[(mid - 1) * stride];
  if (across == 0) return 0;
  float r = 1 / across;
  if (mid - lo == 2) r += 0.5f / g[lo * stride];
  if (hi - mid == 2) r += 0.5f / g[mid * stride];
  return 1 / r;
}

// between adds the coupling of coarse cells c and c+1 along an axis of a plane of channels, in the line of fine cells at a place across it, to that of walls or of
// coolant: cells of one kind alone couple.
DEVICE void between(const Flow &f, const float *g, const int *first, int c, i64 stride, int axis, int place, float *to) {
  int end = first[c + 1];
  bool a = axis == 0 ? wetLine(f, end - 1, place) : wetLine(f, place, end - 1), b = axis == 0 ? wetLine(f, end, place) : wetLine(f, place, end);
  if (a == b) to[a] += g[(end - 1) * stride] / ((float)(first[c + 2] - first[c]) / 2);
}

// coarsenCooled makes the couplings of the next level, a thread for each of its columns and each plane of this one. Lateral couplings are in series, others
// add. In a plane of channels, films of side walls become the coupling of walls and coolant.
KERNEL void BOUNDS(THREADS) coarsenCooled(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                          const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                          const float *RESTRICT far, const int *RESTRICT farSlot, const Flow *RESTRICT flows,
                                          const int *RESTRICT split, const int *RESTRICT low, int cx, int cy, const int *RESTRICT firstX,
                                          const int *RESTRICT firstY, float *RESTRICT cgx, float *RESTRICT cgy, float *RESTRICT cgz,
                                          float *RESTRICT cground, const int *RESTRICT cgroundSlot, float *RESTRICT cfar,
                                          const int *RESTRICT cfarSlot) {
  BlockAt tile = blockAt(tiles(cx, THREADS), cy);
  int i = tile.x * THREADS + threadX(), j = tile.y, k = tile.z;
  if (i >= cx) return;
  i64 sheet = (i64)nx * ny, base = k * sheet, csheet = (i64)cx * cy, at = (i64)j * cx + i, c = low[k] * csheet + at;
  int slot = groundSlot[k], beyond = farSlot[k], own = split[k], next = k + 1 < nz ? split[k + 1] : -1;
  // Sums over cells of walls and of coolant, all of them the former where the plane is not split.
  float x[2] = {0, 0}, y[2] = {0, 0}, z[2] = {0, 0}, g[2] = {0, 0}, wet = 0, longer = 0, film = 0;
  for (int jj = firstY[j]; jj < firstY[j + 1]; jj++)
    for (int ii = firstX[i]; ii < firstX[i + 1]; ii++) {
      i64 f = (i64)jj * nx + ii;
      int kind = own >= 0 && wetLine(flows[own], ii, jj);
      float up = gz[base + f];
      if (next >= 0 && wetLine(flows[next], ii, jj))
        wet += up;
      else
        z[kind] += up;
      if (slot >= 0) g[kind] += ground[slot * sheet + f];
      if (capacity) g[kind] += capacity[base + f];
      if (beyond >= 0) longer += far[beyond * sheet + f];
      if (kind) film += flows[own].axis == 0 ? gy[base + f] + gy[base + f - nx] : gx[base + f] + gx[base + f - 1];
    }
  if (i + 1 < cx)
    for (int jj = firstY[j]; jj < firstY[j + 1]; jj++) {
      i64 f = base + (i64)jj * nx;
      if (own < 0)
        x[0] += series(gx + f, firstX, i, 1);
      else
        between(flows[own], gx + f, firstX, i, 1, 0, jj, x);
    }
  if (j + 1 < cy)
    for (int ii = firstX[i]; ii < firstX[i + 1]; ii++) {
      if (own < 0)
        y[0] += series(gy + base + ii, firstY, j, nx);
      else
        between(flows[own], gy + base + ii, firstY, j, nx, 1, ii, y);
    }
  cgx[c] = x[0], cgy[c] = y[0];
  if ((slot = cgroundSlot[low[k]]) >= 0) cground[slot * csheet + at] = g[0];
  int walls = cfarSlot[low[k]];
  if (own < 0) {
    cgz[c] = z[0];
    if (walls >= 0) cfar[walls * csheet + at] = next >= 0 ? wet : longer;
    return;
  }
  cgz[c] = film;
  cfar[walls * csheet + at] = z[0];
  c += csheet;
  cgx[c] = x[1], cgy[c] = y[1], cgz[c] = z[1];
  if ((slot = cgroundSlot[low[k] + 1]) >= 0) cground[slot * csheet + at] = g[1];
}

// completeCooled gives cells of the two planes that a plane of channels became equations where they represent no wall or no coolant, of which the flow is one of
// the coarse level: what lacks follows the other by FOLLOW of what ties it.
#define FOLLOW 1e-3f
KERNEL void BOUNDS(THREADS) completeCooled(int cx, int cy, int flow, const Flow *RESTRICT flows, const int *RESTRICT cfarSlot, float *RESTRICT cgz,
                                           float *RESTRICT cfar) {
  BlockAt tile = blockAt(tiles(cx, THREADS));
  const Flow &f = flows[flow];
  int i = tile.x * THREADS + threadX(), j = tile.y, k = f.plane;
  if (i >= cx) return;
  i64 sheet = (i64)cx * cy, at = (i64)j * cx + i;
  float *below = cgz + (k - 2) * sheet + at, *film = cgz + (k - 1) * sheet + at, *across = cfar + cfarSlot[k - 1] * sheet + at;
  if (*below == 0 && *across == 0) {
    float v = *film;
    if (v == 0) v = cfar[cfarSlot[k - 2] * sheet + at];
    *below = v, *across = v;
  }
  if (*film == 0 && cfar[cfarSlot[k - 2] * sheet + at] == 0) *film = FOLLOW * *below;
}

// farther is the weight of the coarse cell beyond a fine cell's own along one axis: far, and none in coolant where that line has none.
DEVICE float farther(const Flow *flow, int axis, int beyond, float far) { return flow && flow->axis != axis && !flow->wet[beyond] ? 0 : far; }

// gatherCooled sets bc = P^T r, a thread for each coarse cell. origin is the plane that a coarse plane comes from, and kind what of it: 0 all, 1 walls, 2
// coolant. flows are those of this level, cflows those of the coarse one.
KERNEL void BOUNDS(THREADS) gatherCooled(int nx, int ny, int cx, int cy, const int *RESTRICT firstX, const int *RESTRICT parentX,
                                         const int *RESTRICT beyondX, const float *RESTRICT farX, const int *RESTRICT firstY,
                                         const int *RESTRICT parentY, const int *RESTRICT beyondY, const float *RESTRICT farY,
                                         const int *RESTRICT origin, const int *RESTRICT kind, const Flow *RESTRICT flows,
                                         const int *RESTRICT split, const Flow *RESTRICT cflows, const int *RESTRICT cflowing,
                                         const float *RESTRICT r, float *RESTRICT bc) {
  BlockAt tile = blockAt(tiles(cx, THREADS), cy);
  int I = tile.x * THREADS + threadX(), J = tile.y, K = tile.z;
  if (I >= cx) return;
  int k = origin[K], part = kind[K], flow = cflowing[K];
  const Flow *fine = part ? flows + split[k] : nullptr, *coarse = flow >= 0 ? cflows + flow : nullptr;
  i64 base = (i64)k * nx * ny;
  int ilo = firstX[I] > 0 ? firstX[I] - 1 : 0, ihi = firstX[I + 1] < nx ? firstX[I + 1] : nx - 1;
  int jlo = firstY[J] > 0 ? firstY[J] - 1 : 0, jhi = firstY[J + 1] < ny ? firstY[J + 1] : ny - 1;
  // Coarse cells are pairs at most, so that at most 4 fine cells take from one along an axis.
  float u[4], v[4], sum = 0;
  int x[4], y[4];
#pragma unroll
  for (int n = 0; n < 4; n++) {
    x[n] = ilo + n < ihi ? ilo + n : ihi, y[n] = jlo + n < jhi ? jlo + n : jhi;
    u[n] = farX[x[n]], v[n] = farY[y[n]];
  }
  if (coarse) {
#pragma unroll
    for (int n = 0; n < 4; n++) u[n] = farther(coarse, 0, beyondX[x[n]], u[n]), v[n] = farther(coarse, 1, beyondY[y[n]], v[n]);
  }
#pragma unroll
  for (int n = 0; n < 4; n++) {
    u[n] = ilo + n > ihi ? 0 : (parentX[x[n]] == I ? 1 - u[n] : 0) + (beyondX[x[n]] == I ? u[n] : 0);
    v[n] = jlo + n > jhi ? 0 : (parentY[y[n]] == J ? 1 - v[n] : 0) + (beyondY[y[n]] == J ? v[n] : 0);
  }
  if (part) {
#pragma unroll
    for (int n = 0; n < 4; n++) {
      if (!fine->axis && fine->wet[y[n]] != (part == 2)) v[n] = 0;
      if (fine->axis && fine->wet[x[n]] != (part == 2)) u[n] = 0;
    }
  }
#pragma unroll
  for (int n = 0; n < 4; n++) {
    const float *row = r + base + (i64)y[n] * nx;
    float line = 0;
#pragma unroll
    for (int m = 0; m < 4; m++) line += u[m] * row[x[m]];
    sum += v[n] * line;
  }
  bc[((i64)K * cy + J) * cx + I] = sum;
}

// prolongCooled adds P xc to x, in each planes of a column in a thread.
KERNEL void BOUNDS(THREADS) prolongCooled(int nx, int ny, int nz, int each, int cx, int cy, const int *RESTRICT parentX, const int *RESTRICT beyondX,
                                          const float *RESTRICT farX, const int *RESTRICT parentY, const int *RESTRICT beyondY,
                                          const float *RESTRICT farY, const Flow *RESTRICT flows, const int *RESTRICT split,
                                          const int *RESTRICT low, const Flow *RESTRICT cflows, const int *RESTRICT cflowing,
                                          const float *RESTRICT xc, float *RESTRICT x) {
  BlockAt tile = blockAt(tiles(nx, THREADS), ny);
  int i = tile.x * THREADS + threadX(), j = tile.y, first = tile.z * each, last = first + each < nz ? first + each : nz;
  if (i >= nx) return;
  int I = parentX[i], I1 = beyondX[i], J = parentY[j], J1 = beyondY[j];
  float ownU = farX[i], ownV = farY[j];
  for (int k = first; k < last; k++) {
    int K = low[k];
    if (split[k] >= 0 && wetLine(flows[split[k]], i, j)) K++;
    int flow = cflowing[K];
    const Flow *coarse = flow >= 0 ? cflows + flow : nullptr;
    float u = farther(coarse, 0, I1, ownU), v = farther(coarse, 1, J1, ownV);
    const float *p0 = xc + ((i64)K * cy + J) * cx, *p1 = xc + ((i64)K * cy + J1) * cx;
    x[((i64)k * ny + j) * nx + i] += (1 - v) * ((1 - u) * p0[I] + u * p0[I1]) + v * ((1 - u) * p1[I] + u * p1[I1]);
  }
}
