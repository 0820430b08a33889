// Orders of elimination, and sorting: running sums and stable radix passes over keys of 32 bits.
#include "warp.h"

enum { THREADS = 256, TILE = 2048, DIGITS = 256, WARPS = 8, ROUNDS = 8 };

// scanBlock returns the sum of v over the threads before, and over all of them.
DEVICE u64 scanBlock(u64 v, u64 *memory, u64 *all) {
  int t = threadX();
  memory[t] = v;
  barrier();
  for (int by = 1; by < THREADS; by *= 2) {
    u64 more = t >= by ? memory[t - by] : 0;
    barrier();
    memory[t] += more;
    barrier();
  }
  u64 before = t ? memory[t - 1] : 0;
  *all = memory[THREADS - 1];
  barrier();
  return before;
}

// tileSums adds up the TILE counts of each block.
KERNEL void BOUNDS(THREADS) tileSums(i64 n, const u32 *counts, u64 *sums) {
  SHARED u64 memory[THREADS];
  i64 at = (i64)blockX() * TILE + threadX();
  u64 sum = 0, all;
  for (int r = 0; r < ROUNDS; r++, at += THREADS)
    if (at < n) sum += counts[at];
  scanBlock(sum, memory, &all);
  if (threadX() == 0) sums[blockX()] = all;
}

// scanSums replaces the sums of tiles by the sums of all tiles before; one block.
KERNEL void BOUNDS(THREADS) scanSums(i64 tiles, u64 *sums) {
  SHARED u64 memory[THREADS];
  u64 carry = 0;
  for (i64 base = 0; base < tiles; base += THREADS) {
    i64 at = base + threadX();
    u64 all, v = at < tiles ? sums[at] : 0, before = scanBlock(v, memory, &all);
    if (at < tiles) sums[at] = carry + before;
    carry += all;
  }
}

// starts sets first[i] to the sum of the counts before i, first[n] to all.
KERNEL void BOUNDS(THREADS) starts(i64 n, const u32 *counts, const u64 *sums, i64 *first) {
  SHARED u64 memory[THREADS];
  i64 at = (i64)blockX() * TILE + (i64)threadX() * ROUNDS;
  u64 sum = 0, all;
  for (int r = 0; r < ROUNDS; r++)
    if (at + r < n) sum += counts[at + r];
  u64 run = sums[blockX()] + scanBlock(sum, memory, &all);
  for (int r = 0; r < ROUNDS; r++) {
    if (at + r < n) {
      first[at + r] = (i64)run;
      run += counts[at + r];
      if (at + r == n - 1) first[n] = (i64)run;
    }
  }
}

// list sets items[t] to the image of t under a random permutation, or to t.
KERNEL void BOUNDS(THREADS) list(int n, int random, int width, u64 key0, u64 key1, u32 *items) {
  int t = blockX() * THREADS + threadX();
  if (t < n) items[t] = random ? permuted((u32)t, (u32)n, width, key0, key1) : (u32)t;
}

// degrees sets keys to the entries of rows, and control[ControlDegree] to the most of them.
KERNEL void BOUNDS(THREADS) degrees(int n, const i64 *rowPtr, u32 *keys, u64 *control) {
  int v = blockX() * THREADS + threadX();
  if (v >= n) return;
  u32 d = (u32)(rowPtr[v + 1] - rowPtr[v]);
  keys[v] = d;
  if (d > strong(control + ControlDegree)) __nvvm_atom_max_gen_ull(control + ControlDegree, d);
}

// invert sets place[items[t]] = t.
KERNEL void BOUNDS(THREADS) invert(int n, const u32 *items, u32 *place) {
  int t = blockX() * THREADS + threadX();
  if (t < n) place[items[t]] = (u32)t;
}

DEVICE u32 digitOf(const u32 *keys, u32 item, int shift) { return keys[item] >> shift & (DIGITS - 1); }

// countDigits counts the digits of a tile's keys: counts[digit * tiles + tile].
KERNEL void BOUNDS(THREADS) countDigits(int n, int shift, const u32 *items, const u32 *keys, u32 *counts) {
  SHARED u32 seen[DIGITS];
  seen[threadX()] = 0;
  barrier();
  i64 at = (i64)blockX() * TILE + threadX();
  for (int r = 0; r < ROUNDS; r++, at += THREADS)
    if (at < n) add(&seen[digitOf(keys, items[at], shift)], 1);
  barrier();
  counts[(i64)threadX() * gridX() + blockX()] = seen[threadX()];
}

// place moves the items of a tile behind all with smaller digits and those with the same digit before them; first is the running sum of the counts.
KERNEL void BOUNDS(THREADS) place(int n, int shift, const u32 *items, const u32 *keys, const i64 *first, u32 *sorted) {
  SHARED u32 seen[WARPS][DIGITS];
  int warp = threadX() / 32, lane = threadX() & 31;
  for (int w = 0; w < WARPS; w++) seen[w][threadX()] = 0;
  barrier();
  i64 at = (i64)blockX() * TILE + warp * (32 * ROUNDS) + lane;
  u32 rank[ROUNDS];
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    int there = at + 32 * r < n;
    u32 digit = there ? digitOf(keys, items[at + 32 * r], shift) : 0, same = ballot(there);
    for (int b = 0; b < 8; b++) {
      u32 set = ballot(digit >> b & 1);
      same &= digit >> b & 1 ? set : ~set;
    }
    rank[r] = 0;
    if (there) rank[r] = seen[warp][digit] + (u32)bitsBelow(same);
    syncWarp();
    if (there && bitsBelow(same) == 0) seen[warp][digit] += (u32)__builtin_popcount(same);
    syncWarp();
  }
  barrier();
  u32 sum = 0;
  for (int w = 0; w < WARPS; w++) {
    u32 c = seen[w][threadX()];
    seen[w][threadX()] = sum;
    sum += c;
  }
  barrier();
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    if (at + 32 * r >= n) continue;
    u32 item = items[at + 32 * r], digit = digitOf(keys, item, shift);
    sorted[first[(i64)digit * gridX() + blockX()] + seen[warp][digit] + rank[r]] = item;
  }
}
