// The edges of one vertex in elimination: sorted, merged, summed. Arithmetic and its order are those of host_star.go. AHEAD comes from parac.cu.
#pragma once
#include "warp.h"

#pragma clang fp contract(off)

// Lists is the memory of one elimination: 4 arrays of as many values as the vertex has edges.
struct Lists {
  u64 *key, *key2;
  double *w, *w2;
};

// sortByKey sorts n edges by neighbour and origin: every edge counts those before it.
DEVICE void sortByKey(Lists l, int n) {
  for (int e = threadX() & 31; e < n; e += 128) {
    u64 own[4];
    int rank[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      own[j] = e + 32 * j < n ? l.key[e + 32 * j] : 0;
      rank[j] = 0;
    }
    if (n <= 32)
      for (int t = 0; t < n; t++) rank[0] += l.key[t] < own[0];
    else
      for (int t = 0; t < n; t++) {
        u64 other = l.key[t];
#pragma unroll
        for (int j = 0; j < 4; j++) rank[j] += other < own[j];
      }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      if (e + 32 * j >= n) continue;
      l.key2[rank[j]] = own[j];
      l.w2[rank[j]] = l.w[e + 32 * j];
    }
  }
  syncWarp();
}

// sortLong sorts n values in place, by key or by weight and key: a bitonic network whose comparators all put the smaller value first, so that what lies beyond n
// can be left out. Four comparators of a lane are on their way together.
DEVICE void sortLong(u64 *key, double *w, int n, int byWeight) {
  int lane = threadX() & 31, pairs = 1;
  while (2 * pairs < n) pairs *= 2;
  for (int size = 2; size <= 2 * pairs; size *= 2) {
    for (int apart = size / 2; apart; apart /= 2) {
      int mirrored = apart == size / 2;
      for (int p = lane; p - lane < pairs; p += 32 * AHEAD) {
        int low[AHEAD], high[AHEAD];
        u64 a[AHEAD], b[AHEAD];
        double x[AHEAD], y[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
          int q = p + 32 * j, inside = q & (apart - 1);
          low[j] = 2 * (q - inside) + inside;
          high[j] = mirrored ? low[j] ^ (size - 1) : low[j] + apart;
          if (high[j] < n) {
            a[j] = key[low[j]];
            b[j] = key[high[j]];
            x[j] = w[low[j]];
            y[j] = w[high[j]];
          }
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
          if (high[j] >= n) continue;
          int swap = byWeight ? y[j] < x[j] || (y[j] == x[j] && b[j] < a[j]) : b[j] < a[j];
          if (!swap) continue;
          key[low[j]] = b[j];
          key[high[j]] = a[j];
          w[low[j]] = y[j];
          w[high[j]] = x[j];
        }
      }
      syncWarp();
    }
  }
}

// copyOver puts sorted lists where the rest expects them.
DEVICE void copyOver(Lists l, int n) {
  for (int e = threadX() & 31; e < n; e += 32) {
    l.key2[e] = l.key[e];
    l.w2[e] = l.w[e];
  }
  syncWarp();
}

// merge sums the edges to each neighbour in the order of their origins: key becomes neighbour and multiplicity, w the sum. It returns how many are left.
DEVICE int merge(Lists l, int n) {
  int m = 0;
  for (int base = 0; base < n; base += 32) {
    int e = base + (threadX() & 31);
    u32 own = e < n ? (u32)(l.key2[e] >> 32) : 0;
    int head = e < n && (e == 0 || (u32)(l.key2[e - 1] >> 32) != own);
    u32 heads = ballot(head);
    if (head) {
      double sum = l.w2[e];
      int t = e + 1;
      for (; t < n && (u32)(l.key2[t] >> 32) == own; t++) sum += l.w2[t];
      int to = m + bitsBelow(heads);
      l.key[to] = (u64)own << 32 | (u32)(t - e);
      l.w[to] = sum;
    }
    m += __builtin_popcount(heads);
  }
  syncWarp();
  return m;
}

// sortByWeight sorts neighbours, which come in ascending order, by weight.
DEVICE void sortByWeight(Lists l, int m) {
  for (int e = threadX() & 31; e < m; e += 128) {
    double own[4];
    int rank[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      own[j] = e + 32 * j < m ? l.w[e + 32 * j] : 0;
      rank[j] = 0;
    }
    if (m <= 32)
      for (int t = 0; t < m; t++) rank[0] += l.w[t] < own[0] || (l.w[t] == own[0] && t < e);
    else
      for (int t = 0; t < m; t++) {
        double other = l.w[t];
#pragma unroll
        for (int j = 0; j < 4; j++) rank[j] += other < own[j] || (other == own[j] && t < e + 32 * j);
      }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      if (e + 32 * j >= m) continue;
      l.key2[rank[j]] = l.key[e + 32 * j];
      l.w2[rank[j]] = own[j];
    }
  }
  syncWarp();
}

// suffixSums sets w[i] = w2[i] + w2[i+1] + ..., added by doubling distances within pieces of 32.
DEVICE void suffixSums(Lists l, int m) {
  double carry = 0;
  int lane = threadX() & 31;
  for (int lo = (m - 1) & ~31; lo >= 0; lo -= 32) {
    int i = lo + lane;
    double x = i < m ? l.w2[i] : 0;
    for (int by = 1; by < 32; by *= 2) {
      double y = shuffleDown(x, by);
      if (lane + by < 32) x += y;
    }
    x += carry;
    if (i < m) l.w[i] = x;
    carry = __builtin_bit_cast(double, fromLane64(__builtin_bit_cast(i64, x), 0));
  }
  syncWarp();
}
