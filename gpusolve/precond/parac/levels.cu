// From the columns that an elimination left to what triangular solves read, and the solves. Unknowns are sorted by level, by row inside a level. An
// entry is a place in that order in the upper half and the bits of -G in the lower.
//
// A solve is one kernel: every value waits for those it needs, by reading them until they are there. Units of work are handed out in the order of the
// levels to warps that all stay on the GPU, so what a warp waits for is always under way.
#include "warp.h"

enum { THREADS = 128, RESIDENT = 8, GROUP = 8, NARROW = 4, LONG = 48, QUADRATIC = 192, BATCH = 4, FLAT = 256 };

#define UNSET 0xffffffffu // a value that is not there yet; no arithmetic gives this NaN

DEVICE int globalThread() { return blockX() * FLAT + threadX(); }

// levelKeys sets keys to the levels of rows, and the control's depth and tree to the greatest level and height.
KERNEL void BOUNDS(FLAT) levelKeys(int n, const u32 *place, const Vertex *vertices, u32 *keys, u64 *control) {
  int row = globalThread();
  if (row >= n) return;
  const Vertex *v = vertices + place[row];
  keys[row] = (u32)v->level;
  if ((u64)v->level > strong(control + ControlDepth)) __nvvm_atom_max_gen_ull(control + ControlDepth, (u64)v->level);
  if ((u64)v->height > strong(control + ControlTree)) __nvvm_atom_max_gen_ull(control + ControlTree, (u64)v->height);
}

// renumber gives the lengths of columns and rows of G in the sorted order, the sorted places by those of the elimination, and 1/D.
KERNEL void BOUNDS(FLAT) renumber(int n, const u32 *sorted, const u32 *place, const Vertex *vertices, const u32 *count, const double *pivot,
                                          u32 *to, u32 *columnLengths, u32 *rowLengths, float *inverse) {
  int s = globalThread();
  if (s >= n) return;
  u32 k = place[sorted[s]];
  to[k] = (u32)s;
  columnLengths[s] = count[k];
  rowLengths[s] = (u32)vertices[k].rows;
  double d = pivot[k];
  inverse[s] = d > 0 ? (float)(1 / d) : 0;
}

// columns copies the columns in the sorted order and drops every entry into its row, wherever there is room; filled counts what rows have.
KERNEL void BOUNDS(FLAT) columns(int n, const u32 *sorted, const u32 *place, const i64 *first, const u64 *output, const u32 *to,
                                         const i64 *start, u64 *entries, const i64 *rowStart, u32 *filled, u64 *rowEntries) {
  int s = globalThread() / 8;
  if (s >= n) return;
  i64 from = first[place[sorted[s]]], at = start[s];
  int m = (int)(start[s + 1] - at);
  for (int i = threadX() & 7; i < m; i += 8) {
    u64 e = output[from + i];
    u32 r = to[e >> 32];
    entries[at + i] = (u64)r << 32 | (u32)e;
    rowEntries[rowStart[r] + add(filled + r, 1)] = (u64)(u32)s << 32 | (u32)e;
  }
}

// groups of GROUP rows are one unit of a warp, or one unit a row where a row of the group is long.
DEVICE int isLong(int n, const i64 *start, int group) {
  int wide = 0;
  for (int r = group * GROUP; r < n && r < (group + 1) * GROUP; r++) wide |= start[r + 1] - start[r] > LONG;
  return wide;
}

// countUnits sets counts to the units of each group.
KERNEL void BOUNDS(FLAT) countUnits(int n, const i64 *start, u32 *counts) {
  int g = globalThread();
  if (g * GROUP >= n) return;
  int rows = n - g * GROUP < GROUP ? n - g * GROUP : GROUP;
  counts[g] = isLong(n, start, g) ? (u32)rows : 1;
}

// fillUnits lists the units: 2 times the first row, plus 1 for a unit of a single row.
KERNEL void BOUNDS(FLAT) fillUnits(int n, const i64 *start, const i64 *firstUnit, u32 *units) {
  int g = globalThread();
  if (g * GROUP >= n) return;
  i64 from = firstUnit[g], to = firstUnit[g + 1];
  int wide = isLong(n, start, g);
  for (i64 u = from; u < to; u++) units[u] = (u32)((g * GROUP + (int)(u - from)) * 2 + wide);
}

// Lanes is a warp's work on a unit: rows of one row each, for a number of lanes.
struct Lanes {
  int count, row, part;
  i64 at, end;
};

DEVICE Lanes lanesOf(u32 unit, int n, const i64 *start) {
  int lane = threadX() & 31;
  Lanes l;
  l.count = unit & 1 ? 32 : NARROW;
  l.row = (int)(unit >> 1) + lane / l.count;
  l.part = lane & (l.count - 1);
  l.at = l.end = 0;
  if (l.row < n) {
    l.at = start[l.row] + l.part;
    l.end = start[l.row + 1];
  }
  return l;
}

// sortLong sorts the n entries of a row in place by a warp: a bitonic network whose comparators all put the smaller first, as in parac.cu.
DEVICE void sortLong(u64 *entries, i64 n) {
  i64 pairs = 1;
  while (2 * pairs < n) pairs *= 2;
  for (i64 size = 2; size <= 2 * pairs; size *= 2) {
    for (i64 apart = size / 2; apart; apart /= 2) {
      for (i64 q = threadX() & 31; q < pairs; q += 32) {
        i64 inside = q & (apart - 1), low = 2 * (q - inside) + inside, high = apart == size / 2 ? low ^ (size - 1) : low + apart;
        if (high >= n) continue;
        u64 a = entries[low], b = entries[high];
        if (b < a) {
          entries[low] = b;
          entries[high] = a;
        }
      }
      syncWarp();
    }
  }
}

// sortRows sorts the entries of rows by column: in short rows each counts those before it.
KERNEL void BOUNDS(THREADS) sortRows(int n, i64 units, const u32 *unit, const i64 *start, u64 *entries, u64 *sorted) {
  for (i64 u = (i64)blockX() * (THREADS / 32) + threadX() / 32; u < units; u += (i64)gridX() * (THREADS / 32)) {
    Lanes l = lanesOf(unit[u], n, start);
    if (l.row >= n) continue;
    i64 from = start[l.row];
    if (l.count == 32 && l.end - from > QUADRATIC) {
      sortLong(entries + from, l.end - from);
      for (i64 e = l.at; e < l.end; e += 32) sorted[e] = entries[e];
      continue;
    }
    for (i64 e = l.at; e < l.end; e += l.count) {
      u64 own = entries[e];
      i64 rank = 0;
      for (i64 t = from; t < l.end; t++) rank += entries[t] < own;
      sorted[from + rank] = own;
    }
  }
}

// solveUnit adds up value + sum of -G x over the entries of the unit's rows, waiting for each x, and stores into x. Entries are in the order in which
// their x come; BATCH of them are waited for together, while the next ones are on their way. It is called by whole warps, and keeps their lanes
// together: a row may wait for another of the same warp. A wait beyond patience ends in a NaN, which goes through the whole solution.
DEVICE void solveUnit(Lanes l, int n, int descending, const u64 *entries, float value, float *x, u32 patience, float *result, const u32 *order) {
  u32 together = l.count == 32 ? ~0u : 0xfu << (threadX() & 28);
  int stored = l.row >= n, left = l.at < l.end ? (int)((l.end - l.at + l.count - 1) / l.count) : 0, step = l.count;
  const u64 *at = entries + l.at;
  if (descending) { // the same lanes from the other end
    at = entries + l.end - 1 - l.part;
    step = -step;
  }
  float sum = 0, got[BATCH];
  u64 batch[BATCH];
  u32 idle = 0, missing = 0;
#pragma unroll
  for (int j = 0; j < BATCH; j++) {
    got[j] = 0;
    batch[j] = 0;
    if (j < left) {
      batch[j] = at[j * step];
      missing |= 1u << j;
    }
  }
  for (;;) {
    int moved = 0;
    if (missing) {
      u32 bits[BATCH];
#pragma unroll
      for (int j = 0; j < BATCH; j++) bits[j] = missing >> j & 1 ? strong((const u32 *)x + (batch[j] >> 32)) : UNSET;
#pragma unroll
      for (int j = 0; j < BATCH; j++) {
        if (idle > patience && missing >> j & 1) bits[j] = 0x7fffffffu;
        if (bits[j] != UNSET) {
          got[j] = __builtin_bit_cast(float, bits[j]);
          missing &= ~(1u << j);
          moved = 1;
        }
      }
      if (!missing) {
#pragma unroll
        for (int j = 0; j < BATCH; j++)
          if (j < left) sum += __builtin_bit_cast(float, (u32)batch[j]) * got[j];
        left -= BATCH;
        at += BATCH * step;
#pragma unroll
        for (int j = 0; j < BATCH; j++)
          if (j < left) {
            batch[j] = at[j * step];
            missing |= 1u << j;
          }
      }
    }
    u32 through = ballot(!missing);
    int complete = !stored && (through & together) == together;
    if (ballot(complete)) {
      float all = sum;
      for (int by = 16; by; by >>= 1) {
        float other = __builtin_bit_cast(float, __nvvm_shfl_sync_bfly_i32(-1, __builtin_bit_cast(int, all), by, 31));
        if (by < l.count) all += other;
      }
      if (complete) {
        stored = 1;
        if (l.part == 0) {
          u32 bits = __builtin_bit_cast(u32, value + all);
          if (bits == UNSET) bits = 0x7fffffffu;
          setStrong((u32 *)x + l.row, bits);
          if (result) result[order[l.row]] = __builtin_bit_cast(float, bits);
        }
      }
      if (!ballot(!stored)) return;
    }
    if (ballot(moved)) idle = 0;
    else if (++idle > 8) sleep(20);
  }
}

// forward solves G y = r, ascending. It clears x for the backward solve.
KERNEL void BOUNDS(THREADS, RESIDENT) forward(int n, i64 units, const u32 *unit, const i64 *start, const u64 *entries, const u32 *order,
                                              const float *r, float *y, float *x, u32 patience) {
  for (i64 u = (i64)blockX() * (THREADS / 32) + threadX() / 32; u < units; u += (i64)gridX() * (THREADS / 32)) {
    Lanes l = lanesOf(unit[u], n, start);
    float value = 0;
    if (l.row < n && l.part == 0) {
      value = r[order[l.row]];
      ((u32 *)x)[l.row] = UNSET;
    }
    solveUnit(l, n, 0, entries, value, y, patience, 0, 0);
  }
}

// backward solves D G^T x = y, descending, and puts x into the rows' order. It clears y for the next forward solve.
KERNEL void BOUNDS(THREADS, RESIDENT) backward(int n, i64 units, const u32 *unit, const i64 *start, const u64 *entries, const u32 *order,
                                               const float *inverse, float *y, float *x, float *z, u32 patience) {
  for (i64 u = (i64)blockX() * (THREADS / 32) + threadX() / 32; u < units; u += (i64)gridX() * (THREADS / 32)) {
    Lanes l = lanesOf(unit[units - 1 - u], n, start);
    float value = 0;
    if (l.row < n && l.part == 0) {
      value = y[l.row] * inverse[l.row];
      ((u32 *)y)[l.row] = UNSET;
    }
    solveUnit(l, n, 1, entries, value, x, patience, z, order);
  }
}
