// Randomised Cholesky elimination, as ParAC does it on GPUs: one kernel in which every warp takes vertices from a queue, waits until they are ready,
// and writes the edges that it makes right-looking into a hash table. Arithmetic and its order are those of host_star.go, to the last bit.
// Vertices are named by their places in the order of elimination.
#include "warp.h"

#pragma clang fp contract(off)

enum { THREADS = 128, WARPS = 4, SHORT = 128, AHEAD = 4 }; // AHEAD accesses of a lane are on their way together

#include "list.h"
#include "table.h"

DEVICE double powerOf2(int e) { return __builtin_bit_cast(double, (u64)(e + 1023) << 52); }
DEVICE int biasedExponent(double x) { return (int)(__builtin_bit_cast(u64, x) >> 52 & 0x7ff); }
DEVICE i64 toFixed(double x, int unit) {
  i64 v;
  double scaled = x * powerOf2(-unit);
  asm("cvt.rni.s64.f64 %0, %1;" : "=l"(v) : "d"(scaled));
  return v;
}

// entryOf finds that of row r and column c, 0 where none is stored.
DEVICE double entryOf(const i64 *rowPtr, const int *col, const double *val, int r, int c) {
  i64 lo = rowPtr[r], hi = rowPtr[r + 1];
  while (lo < hi) {
    i64 mid = lo + (hi - lo) / 2;
    if (col[mid] < c) lo = mid + 1;
    else hi = mid;
  }
  return lo < rowPtr[r + 1] && col[lo] == c ? val[lo] : 0;
}

// begin counts the earlier neighbours of every vertex, takes the excess of its diagonal as ground and queues those that wait for none. A row that will not
// do lowers control[ControlBad] to 8 row + reason.
KERNEL void BOUNDS(THREADS) begin(int n, int headroom, int mirrored, const u32 *place, const i64 *rowPtr, const int *col, const double *val,
                                  Vertex *vertices, u32 *queue, u64 *control) {
  int row = blockX() * THREADS + threadX(), ready = 0;
  u32 k = 0;
  if (row < n) {
    k = place[row];
    double diagonal = 0, coupled = 0;
    u32 waits = 0, bad = 0;
    i64 from = rowPtr[row], to = rowPtr[row + 1];
    for (i64 e = from; e < to; e++) {
      int c = col[e];
      double w = val[e];
      if (c == row) {
        diagonal = w;
        continue;
      }
      if (!(w <= 0)) bad = BadPositive;
      if (!mirrored) {
        double d = entryOf(rowPtr, col, val, c, row) - w;
        if (!(d <= -w * 1e-10 && d >= w * 1e-10) && !bad) bad = BadAsymmetric;
      }
      coupled -= w;
      if (w < 0 && place[c] < k) waits++;
    }
    int b = biasedExponent(diagonal);
    double excess = diagonal - coupled, rounding = (double)(int)(to - from) * 0x1p-52 * diagonal;
    if (!bad && (!(diagonal >= 0) || (diagonal > 0 && (b < 128 || b > 1919)) || (coupled > 0 && diagonal == 0))) bad = BadDiagonal;
    if (!bad && excess < -rounding) bad = BadNotDominant;
    if (excess <= rounding) excess = 0;
    if (bad) __nvvm_atom_min_gen_ull(control + ControlBad, (u64)row * 8 + bad);
    Vertex *v = vertices + k;
    v->unit = b - 1022 - 63 + headroom;
    v->state = waits;
    v->ground = bad ? 0 : (u64)toFixed(excess, v->unit);
    v->level = v->rows = v->height = 0;
    ready = waits == 0;
  }
  u32 all = ballot(ready);
  u64 at = 0;
  if ((threadX() & 31) == 0 && all) at = add(control + ControlTail, (u64)__builtin_popcount(all));
  at = (u64)fromLane64((i64)at, 0);
  if (ready) queue[at + (u64)bitsBelow(all)] = k + 1;
}

DEVICE void setFault(u64 *control, u64 why) { __nvvm_atom_or_gen_ll((i64 *)control + ControlFault, (i64)why); }

// eliminate runs until all vertices are eliminated or a fault is set. Column k of the factor is count[k] entries of output from first[k] on, a neighbour's
// place in the upper half and its share in the lower.
KERNEL void BOUNDS(THREADS) eliminate(int n, const u32 *order, const u32 *place, const i64 *rowPtr, const int *col, const double *val,
                                      Vertex *vertices, u32 *queue, u64 *control, u32 *owner, u64 *slots, u32 *reached, u32 pieces, u32 stride, int width,
                                      u64 key0, u64 key1, i64 *first, u32 *count, double *pivot, u64 *output, i64 outputs, u64 *scratch, i64 scratches,
                                      u64 seed, u32 patience) {
  SHARED u64 memory[WARPS][4][SHORT];
  int warp = threadX() / 32, lane = threadX() & 31;
  Table table = {owner, slots, reached, pieces, stride, (u32)n, width, key0, key1};
  u64 *lent = 0; // the warp's part of scratch, for lists that are too long for shared memory
  i64 lentSize = 0, ticket = 0;
  if (lane == 0) ticket = (i64)add(control + ControlHead, 1);
  for (;;) {
    ticket = fromLane64(ticket, 0);
    if (ticket >= n) return;
    // Wait for the vertex.
    int k = 0;
    if (lane == 0) {
      for (u32 spins = 0;; spins++) {
        k = (int)strong(queue + ticket);
        if (k) break;
        if ((spins & 31) == 31 && strong(control + ControlFault)) break;
        if (spins > patience) {
          setFault(control, FaultWaited);
          break;
        }
        if (spins > 3) sleep(100);
      }
      fence();
      if (k) ticket = (i64)add(control + ControlHead, 1);
    }
    k = fromLane(k, 0) - 1;
    if (k < 0) return;
    syncWarp();
    Vertex *me = vertices + k;
    int row = (int)order[k];
    i64 from = rowPtr[row], to = rowPtr[row + 1];
    u32 waiting = (u32)(strong(&me->state) >> 32);
    i64 most = to - from + waiting;
    Lists l = {memory[warp][0], memory[warp][1], (double *)memory[warp][2], (double *)memory[warp][3]};
    if (most > SHORT) {
      if (most > lentSize) {
        lentSize = 2 * most;
        i64 at = 0;
        if (lane == 0) at = (i64)add(control + ControlScratch, (u64)lentSize);
        at = fromLane64(at, 0);
        if (at + lentSize > scratches) {
          if (lane == 0) setFault(control, FaultNoScratch);
          return;
        }
        lent = scratch + 4 * at;
      }
      l = {lent, lent + most, (double *)(lent + 2 * most), (double *)(lent + 3 * most)};
    }
    // Gather the edges to later vertices: of the matrix, then of the table.
    int edges = 0;
    for (i64 base = from; base < to; base += 32) {
      i64 e = base + lane;
      int p = -1;
      double x = 0;
      if (e < to) {
        x = val[e];
        if (x < 0) p = (int)place[col[e]];
      }
      u32 take = ballot(p > k);
      if (p > k) {
        int d = edges + bitsBelow(take);
        l.key[d] = (u64)(u32)p << 32;
        l.w[d] = -x;
      }
      edges += __builtin_popcount(take);
    }
    u32 home = homeOf(table, (u32)k) / 32, step = stepOf(table, (u32)k);
    u64 mine = 0;
    u32 searched = 0, piece = home;
    for (u32 left = waiting; left; searched += AHEAD) {
      if (searched >= pieces) {
        if (lane == 0) setFault(control, FaultLost);
        return;
      }
      u32 who[AHEAD], at[AHEAD];
#pragma unroll
      for (int j = 0; j < AHEAD; j++) {
        at[j] = piece * 32 + (u32)lane;
        who[j] = searched + (u32)j < pieces ? strong(owner + at[j]) : 0;
        piece += step;
        if (piece >= pieces) piece -= pieces;
      }
#pragma unroll
      for (int j = 0; j < AHEAD; j++) {
        int found = who[j] == (u32)k + 1;
        u32 all = ballot(found);
        if (found) {
          u64 key, bits;
          asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(key), "=l"(bits) : "l"(slots + 2 * (u64)at[j]) : "memory");
          int d = edges + bitsBelow(all);
          l.key[d] = key;
          l.w[d] = __builtin_bit_cast(double, bits);
          if (searched + (u32)j < 64) mine |= 1ull << (searched + (u32)j);
        }
        edges += __builtin_popcount(all);
        left -= (u32)__builtin_popcount(all);
      }
      if (searched >= 64) { // beyond what mine remembers
        fence();
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
          if (who[j] == (u32)k + 1) setStrong(owner + at[j], 0);
      }
    }
    syncWarp();
    int isLong = most > SHORT;
    if (isLong) {
      sortLong(l.key, l.w, edges, 0);
      copyOver(l, edges);
    } else {
      sortByKey(l, edges);
    }
    int m = merge(l, edges);
    if (isLong) {
      sortLong(l.key, l.w, m, 1);
      copyOver(l, m);
    } else {
      sortByWeight(l, m);
    }
    suffixSums(l, m);
    i64 units = (i64)strong(&me->ground);
    double ground = (double)units * powerOf2(me->unit), d = ground;
    if (m) d += l.w[0];
    // The column of the factor.
    i64 at = 0;
    if (lane == 0 && m) at = (i64)add(control + ControlOutput, (u64)m);
    at = fromLane64(at, 0);
    if (at + m > outputs) {
      if (lane == 0) setFault(control, FaultNoOutput);
      return;
    }
    if (lane == 0) {
      first[k] = at;
      count[k] = (u32)m;
      pivot[k] = d;
    }
    int parent = 0x7fffffff;
    for (int i = lane; i < m; i += 32) {
      int neighbour = (int)(l.key2[i] >> 32);
      float share = (float)(l.w2[i] / d);
      output[at + i] = (u64)(u32)neighbour << 32 | __builtin_bit_cast(u32, share);
      parent = neighbour < parent ? neighbour : parent;
      l.key[i] = 0; // counts new edges of the list from here on
    }
    parent = smallestOfWarp(parent);
    syncWarp();
    // Draw the tree.
    u64 stream = mix(mix(seed + GOLDEN) + ((u64)row + 1) * GOLDEN);
    int level = (int)strong((const u32 *)&me->level), height = (int)strong((const u32 *)&me->height), stuck = 0;
    for (int base = lane; base < m - 1; base += 32 * AHEAD) {
      Waiting made[AHEAD];
      u32 hint[AHEAD];
#pragma unroll
      for (int j = 0; j < AHEAD; j++) {
        int i = base + 32 * j;
        made[j].earlier = hint[j] = 0;
        if (i >= m - 1) continue;
        double total = l.w[i + 1], t = (double)(mix(stream + ((u64)i + 1) * GOLDEN) >> 11) * 0x1p-53 * total;
        int lo = i + 1, hi = m - 1;
        while (lo < hi) {
          int mid = (lo + hi + 1) / 2;
          if (l.w[mid] > t) lo = mid;
          else hi = mid - 1;
        }
        u32 a = (u32)(l.key2[i] >> 32), b = (u32)(l.key2[lo] >> 32), later = a < b ? b : a, earlier = a < b ? a : b;
        u32 others = (u32)add(&l.key[a < b ? i : lo], 1);
        // Counted before any neighbour is let go: the earlier end might be eliminated at once, and would take the edge off the count again.
        add(&vertices[later].state, 1);
        hint[j] = (u32)(strong(&vertices[earlier].state) >> 32) + others;
        made[j] = {0, earlier + 1, (u64)later << 32 | ((u32)k + 1), total * (l.w2[i] / d)};
      }
#pragma unroll
      for (int j = 0; j < AHEAD; j++)
        {
        u32 first = homeOf(table, made[j].earlier ? made[j].earlier - 1 : 0);
        made[j].slot = (first & ~31u) + ((first + hint[j]) & 31);
      }
      if (!insert(table, made)) stuck = 1;
    }
    if (ballot(stuck)) {
      if (lane == 0) setFault(control, FaultNoSlot);
      return;
    }
    for (int i = lane; i < m; i += 32) {
      Vertex *v = vertices + (l.key2[i] >> 32);
      if (ground > 0) {
        double part = ground * (l.w2[i] / d);
        const double half = 0x1p62;
        if (!(part * powerOf2(-v->unit) < half)) setFault(control, FaultGround);
        else {
          u64 more = (u64)toFixed(part, v->unit);
          if (add(&v->ground, more) + more >= 1ull << 62) setFault(control, FaultGround);
        }
      }
      raise(&v->level, level + 1);
      add((u32 *)&v->rows, 1);
    }
    if (lane == 0 && m) raise(&vertices[parent].height, height + 1);
    syncWarp();
    fence();
    // The slots are free again, and the neighbours are let go.
    piece = home;
    for (u64 rest = mine; ballot(rest != 0); rest >>= 1) {
      if (rest & 1) setStrong(owner + piece * 32 + (u32)lane, 0);
      piece += step;
      if (piece >= pieces) piece -= pieces;
    }
    for (int base = 0; base < m; base += 32 * 32) {
      u32 ready = 0;
      for (int j = 0; j < 32 && base + 32 * j < m; j += AHEAD) {
        u64 now[AHEAD];
#pragma unroll
        for (int h = 0; h < AHEAD; h++) {
          int i = base + 32 * (j + h) + lane;
          now[h] = 1;
          if (i < m) {
            u64 change = (l.key[i] << 32) - (u64)(u32)l.key2[i];
            now[h] = add(&vertices[l.key2[i] >> 32].state, change) + change;
          }
        }
#pragma unroll
        for (int h = 0; h < AHEAD; h++)
          if ((u32)now[h] == 0) ready |= 1u << (j + h);
      }
      if (!ballot(ready != 0)) continue;
      fence();
      for (int j = 0; j < 32; j++) {
        u32 all = ballot(ready >> j & 1);
        if (!all) continue;
        i64 tail = 0;
        if (lane == 0) tail = (i64)add(control + ControlTail, (u64)__builtin_popcount(all));
        tail = fromLane64(tail, 0);
        if (ready >> j & 1) setStrong(queue + tail + bitsBelow(all), (u32)(l.key2[base + 32 * j + lane] >> 32) + 1);
      }
    }
    syncWarp();
  }
}
