// Setup of combinatorial multigrid: Decompose-Graph and quotients of large graphs. The host does the same, in decompose.go and quotient.go; the order of
// all sums that decide anything is fixed, so the clusters are the same every time.
//
// A graph is ptr, to, weight (the neighbours of a vertex, ascending), ground and diagonal; see Graph.
#include "device.h"

enum { WIDE = 256 };

// HEIGHT of a piece of a tree, and the number of edges to a root that are followed.
enum { HEIGHT = 3, DEEP = 32 };

// MERGED is the number of terms that a row of a quotient may have before they are merged; ROWS rows share a block.
enum { MERGED = 512, ROWS = 8 };

DEVICE i64 index1() { return (i64)blockX() * WIDE + threadX(); }

DEVICE void flag(int *at) { __nvvm_atom_or_gen_i(at, 1); }

// mirror is the entry in row r and column c of a matrix by rows, 0 for none.
DEVICE double mirror(const i64 *rowPtr, const int *col, const double *val, i64 r, i64 c) {
  i64 lo = rowPtr[r], hi = rowPtr[r + 1], end = hi;
  while (lo < hi) {
    i64 mid = (lo + hi) / 2;
    if (col[mid] < c)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < end && col[lo] == c ? val[lo] : 0;
}

// readRows takes a matrix apart: negative off-diagonals are edges, what dominance leaves of the diagonal is ground. Rows that are not so set fault.
KERNEL void BOUNDS(WIDE) readRows(i64 n, const i64 *RESTRICT rowPtr, const int *RESTRICT col, const double *RESTRICT val, i64 *RESTRICT ptr,
                                  int *RESTRICT to, float *RESTRICT weight, double *RESTRICT ground, double *RESTRICT diagonal, int *fault) {
  i64 r = index1();
  if (r > n) return;
  ptr[r] = rowPtr[r] - r;
  if (r == n) return;
  i64 out = rowPtr[r] - r, end = rowPtr[r + 1] - r - 1;
  double own = 0, others = 0;
  int good = 0; // becomes one more than the number of faults of a row with one diagonal
  for (i64 at = rowPtr[r]; at < rowPtr[r + 1]; at++) {
    int c = col[at];
    double v = val[at];
    if (c == r) {
      own = v;
      good++;
      continue;
    }
    if (!(v < 0 && v >= -1e30) || mirror(rowPtr, col, val, c, r) != v) good += 2;
    others -= v;
    if (out < end) {
      to[out] = c;
      weight[out++] = (float)-v;
    }
  }
  double g = own - others;
  if (good != 1 || !(own <= 1e30) || !(g >= -1e-10 * larger(others, __builtin_fabs(own)))) flag(fault);
  if (g <= 0x1p-48 * others) g = 0;
  ground[r] = g;
  double sum = g;
  for (i64 at = rowPtr[r]; at < rowPtr[r + 1]; at++)
    if (col[at] != r) sum += (double)(float)-val[at];
  diagonal[r] = sum;
}

// edgeHash is the finaliser of MurmurHash3 over both ends.
DEVICE u32 edgeHash(u32 u, u32 v) {
  u64 h = (u64)(u < v ? u : v) << 32 | (u < v ? v : u);
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  h ^= h >> 33;
  return (u32)h;
}

// higher says whether the edge from v to a is beyond the one to b by its ends.
DEVICE int higher(int v, int a, int b) {
  int la = v < a ? v : a, lb = v < b ? v : b;
  if (la != lb) return la > lb;
  return (v < a ? a : v) > (v < b ? b : v);
}

// heaviest picks the neighbour over the heaviest edge, by exponent and three bits of the weights and then by hash, and sums weighted degrees over the vertices that
// have edges, and their number, by blocks.
KERNEL void BOUNDS(WIDE) heaviest(i64 n, const i64 *RESTRICT ptr, const int *RESTRICT to, const float *RESTRICT weight,
                                  const double *RESTRICT diagonal, int *RESTRICT pick, float *RESTRICT picked, double *partial) {
  SHARED double lines[32];
  i64 v = index1();
  double degree = 0, joined = 0;
  if (v < n) {
    u64 best = 0;
    i64 place = -1;
    for (i64 at = ptr[v]; at < ptr[v + 1]; at++) {
      u64 key = (u64)(__builtin_bit_cast(u32, weight[at]) >> 20) << 32 | edgeHash((u32)v, (u32)to[at]);
      if (place < 0 || key > best || (key == best && higher((int)v, to[at], to[place]))) {
        best = key;
        place = at;
      }
    }
    float w = place < 0 ? 0 : weight[place];
    pick[v] = place < 0 ? (int)v : to[place];
    picked[v] = w;
    if (w > 0) {
      degree = diagonal[v] / w;
      joined = 1;
    }
  }
  degree = sumBlock(degree, lines, WIDE);
  joined = sumBlock(joined, lines, WIDE);
  if (threadX() == 0) {
    partial[blockX()] = degree;
    partial[gridX() + blockX()] = joined;
  }
}

// average of the weighted degree. One block.
KERNEL void BOUNDS(WIDE) average(int blocks, const double *RESTRICT partial, double *mean) {
  SHARED double lines[32];
  double s = total(partial, blocks, lines, WIDE), c = total(partial + blocks, blocks, lines, WIDE);
  if (threadX() == 0) *mean = s / larger(1, c);
}

// cutHigh finds the vertices that give up the edge they picked: of a weighted degree above kappa times the mean, with less than 1/mean of their volume
// in the forest.
KERNEL void BOUNDS(WIDE) cutHigh(i64 n, const i64 *RESTRICT ptr, const int *RESTRICT to, const float *RESTRICT weight,
                                 const double *RESTRICT diagonal, const int *RESTRICT pick, const float *RESTRICT picked,
                                 const double *RESTRICT mean, double kappa, int *RESTRICT cut) {
  i64 v = index1();
  if (v >= n) return;
  int gives = 0;
  if (diagonal[v] > kappa * mean[0] * picked[v]) {
    double held = 0;
    for (i64 at = ptr[v]; at < ptr[v + 1]; at++) {
      int u = to[at];
      if (pick[u] == v || pick[v] == u) held += weight[at];
    }
    gives = held < diagonal[v] / mean[0];
  }
  cut[v] = gives;
}

// join makes parents of picks: an edge that both ends picked has its root at one of them.
KERNEL void BOUNDS(WIDE) join(i64 n, const int *RESTRICT pick, const int *RESTRICT cut, int *RESTRICT parent) {
  i64 v = index1();
  if (v >= n) return;
  int u = pick[v];
  parent[v] = cut[v] || (pick[u] == v && !cut[u] && v < u) ? (int)v : u;
}

// climb measures depths, finds the tops of pieces, every HEIGHT-th vertex on the way, and counts what hangs there. deeper is set where a root is farther than DEEP.
KERNEL void BOUNDS(WIDE) climb(i64 n, const int *RESTRICT parent, int *RESTRICT depth, int *RESTRICT top, int *count, int *deeper) {
  i64 v = index1();
  if (v >= n) return;
  int d = 0, u = (int)v;
  while (d < DEEP && parent[u] != u) {
    u = parent[u];
    d++;
  }
  if (parent[u] != u) flag(deeper);
  depth[v] = d;
  u = (int)v;
  for (int up = d % HEIGHT; up > 0; up--) u = parent[u];
  top[v] = u;
  __nvvm_atom_add_gen_i(count + u, 1);
}

// settlePieces leaves pieces of fewer than HEIGHT vertices with the piece above.
KERNEL void BOUNDS(WIDE) settlePieces(i64 n, const int *RESTRICT parent, const int *RESTRICT top, const int *RESTRICT count, int *RESTRICT final) {
  i64 v = index1();
  if (v >= n) return;
  int t = top[v];
  final[v] = count[t] < HEIGHT && parent[t] != t ? top[parent[t]] : t;
}

// bare is the volume of a vertex with the leaves of the edges that are not in its piece's tree, which count twice.
KERNEL void BOUNDS(WIDE) bare(i64 n, const i64 *RESTRICT ptr, const int *RESTRICT to, const float *RESTRICT weight,
                              const double *RESTRICT diagonal, const int *RESTRICT parent, const float *RESTRICT picked,
                              const int *RESTRICT top, double *RESTRICT volume) {
  i64 v = index1();
  if (v >= n) return;
  int t = top[v];
  double s = 2 * diagonal[v];
  if (v != t) s -= picked[v];
  for (i64 at = ptr[v]; at < ptr[v + 1]; at++) {
    int u = to[at];
    if (parent[u] == v && u != v && u != t && top[u] == t) s -= weight[at];
  }
  volume[v] = s;
}

// layer is how far v lies below the top of its piece.
DEVICE int layerOf(i64 v, const int *depth, const int *top) { return depth[v] - depth[top[v]]; }

// hang adds to the vertices of one layer of all pieces what hangs from them. With cut, a child that is cut off leaves the weight of its edge.
DEVICE double hang(i64 v, const i64 *ptr, const int *to, const float *weight, const int *parent, const int *top, const int *cut,
                   const double *volume, const double *below) {
  double s = volume[v];
  int t = top[v];
  for (i64 at = ptr[v]; at < ptr[v + 1]; at++) {
    int u = to[at];
    if (parent[u] != v || u == t || top[u] != t) continue;
    s += cut && cut[u] ? weight[at] : below[u];
  }
  return s;
}

// weighLayer sums volumes up the trees, a layer a launch, from the lowest.
KERNEL void BOUNDS(WIDE) weighLayer(i64 n, int layer, const i64 *RESTRICT ptr, const int *RESTRICT to, const float *RESTRICT weight,
                                    const int *RESTRICT parent, const int *RESTRICT depth, const int *RESTRICT top, const double *RESTRICT volume,
                                    double *below) {
  i64 v = index1();
  if (v >= n || layerOf(v, depth, top) != layer) return;
  below[v] = hang(v, ptr, to, weight, parent, top, 0, volume, below);
}

// trimLayer does it again and cuts edges of too little conductance; whole holds the volumes without cuts. quality is the least conductance that is left, as bits.
KERNEL void BOUNDS(WIDE) trimLayer(i64 n, int layer, double least, const double *RESTRICT mean, const i64 *RESTRICT ptr, const int *RESTRICT to, const float *RESTRICT weight,
                                   const int *RESTRICT parent, const float *RESTRICT picked, const int *RESTRICT depth, const int *RESTRICT top,
                                   const double *RESTRICT volume, const double *RESTRICT whole, double *below, int *cut, u64 *quality, int *cuts) {
  i64 v = index1();
  if (v >= n || layerOf(v, depth, top) != layer) return;
  double s = hang(v, ptr, to, weight, parent, top, cut, volume, below), rest = whole[top[v]] - s;
  double q = picked[v] / (s < rest ? s : rest);
  below[v] = s;
  if (q < least / mean[0]) {
    cut[v] = 1;
    __nvvm_atom_add_gen_i(cuts, 1);
    return;
  }
  __nvvm_atom_min_gen_ull(quality, __builtin_bit_cast(u64, q));
}

// relabel walks up to the next cut, or the top.
KERNEL void BOUNDS(WIDE) relabel(i64 n, const int *RESTRICT parent, const int *RESTRICT cut, const int *RESTRICT top, int *RESTRICT fresh) {
  i64 v = index1();
  if (v >= n) return;
  int u = (int)v, t = top[v];
  while (u != t && !cut[u]) u = parent[u];
  fresh[v] = u;
}

// mark finds the first vertex of every cluster: first[top] becomes n minus it.
KERNEL void BOUNDS(WIDE) mark(i64 n, const int *RESTRICT top, int *first) {
  i64 v = index1();
  if (v < n) __nvvm_atom_max_gen_i(first + top[v], (int)(n - v));
}

// leads says which vertices are first in their clusters.
KERNEL void BOUNDS(WIDE) leads(i64 n, const int *RESTRICT top, const int *RESTRICT first, int *RESTRICT lead) {
  i64 v = index1();
  if (v < n) lead[v] = first[top[v]] == (int)(n - v);
}

// numberTops gives tops the numbers of their clusters, from the sums before each lead.
KERNEL void BOUNDS(WIDE) numberTops(i64 n, const int *RESTRICT top, const int *RESTRICT lead, const int *RESTRICT before, int *RESTRICT number) {
  i64 v = index1();
  if (v < n && lead[v]) number[top[v]] = before[v];
}

// assign numbers all vertices and counts members.
KERNEL void BOUNDS(WIDE) assign(i64 n, const int *RESTRICT top, const int *RESTRICT number, int *RESTRICT of, int *size) {
  i64 v = index1();
  if (v >= n) return;
  int k = number[top[v]];
  of[v] = k;
  __nvvm_atom_add_gen_i(size + k, 1);
}

// place lists the members in any order; size counts down to 0.
KERNEL void BOUNDS(WIDE) place(i64 n, const int *RESTRICT of, const int *RESTRICT first, int *size, int *RESTRICT member) {
  i64 v = index1();
  if (v >= n) return;
  int k = of[v];
  member[first[k + 1] - __nvvm_atom_add_gen_i(size + k, -1)] = (int)v;
}

// sortMembers puts the members of each cluster in order, sums their grounds and their neighbours, and finds the greatest of these numbers.
KERNEL void BOUNDS(WIDE) sortMembers(int clusters, const int *RESTRICT first, int *member, const double *RESTRICT ground,
                                     const i64 *RESTRICT ptr, double *RESTRICT coarseGround, int *RESTRICT terms, int *most) {
  int k = (int)index1();
  if (k >= clusters) return;
  int lo = first[k], hi = first[k + 1];
  if (hi - lo > MERGED) {
    __nvvm_atom_max_gen_i(most, hi - lo);
    return;
  }
  for (int i = lo + 1; i < hi; i++) {
    int v = member[i], j = i;
    for (; j > lo && member[j - 1] > v; j--) member[j] = member[j - 1];
    member[j] = v;
  }
  double g = 0;
  i64 count = 0;
  for (int i = lo; i < hi; i++) {
    g += ground[member[i]];
    count += ptr[member[i] + 1] - ptr[member[i]];
  }
  coarseGround[k] = g;
  terms[k] = count > MERGED ? MERGED + 1 : (int)count;
  if (count > MERGED) __nvvm_atom_max_gen_i(most, MERGED + 1);
}

// prefix is the sum of the values of the block's threads before this one.
DEVICE i64 prefix(i64 v, i64 *lines) {
  int t = threadX();
  lines[t] = v;
  barrier();
  for (int by = 1; by < WIDE; by <<= 1) {
    i64 a = t >= by ? lines[t - by] : 0;
    barrier();
    lines[t] += a;
    barrier();
  }
  i64 s = lines[t] - v;
  barrier();
  return s;
}

// sumParts adds up blocks of values.
KERNEL void BOUNDS(WIDE) sumParts(i64 n, const int *RESTRICT values, i64 *RESTRICT sums) {
  SHARED i64 lines[WIDE];
  i64 v = index1();
  i64 own = v < n ? values[v] : 0, before = prefix(own, lines);
  if (threadX() == WIDE - 1) sums[blockX()] = before + own;
}

// startParts turns the blocks' sums into the sums before each. One block.
KERNEL void BOUNDS(WIDE) startParts(int blocks, i64 *sums) {
  SHARED i64 lines[WIDE];
  SHARED i64 all;
  i64 base = 0;
  for (int first = 0; first < blocks; first += WIDE) {
    int at = first + threadX();
    i64 own = at < blocks ? sums[at] : 0, before = prefix(own, lines);
    if (at < blocks) sums[at] = base + before;
    if (threadX() == WIDE - 1) all = before + own;
    barrier();
    base += all;
    barrier();
  }
}

// startValues sets start[v] to the sum of the values before v, for v up to n, in 32 or 64 bits.
KERNEL void BOUNDS(WIDE) startValues(i64 n, const int *RESTRICT values, const i64 *RESTRICT sums, int *RESTRICT start, i64 *RESTRICT wide) {
  SHARED i64 lines[WIDE];
  i64 v = index1();
  i64 own = v < n ? values[v] : 0, at = sums[blockX()] + prefix(own, lines);
  if (v >= n) return;
  if (start) start[v] = (int)at;
  if (wide) wide[v] = at;
  if (v < n - 1) return;
  if (start) start[n] = (int)(at + own);
  if (wide) wide[n] = at + own;
}

DEVICE void syncWarp() { __nvvm_bar_warp_sync(0xffffffffu); }

// merge forms the rows of a quotient, a warp each: the neighbours of all members by cluster and weight in one word, sorted, and those of one cluster added in
// FP64. Rows go where their terms would have room; kept says how many entries are left.
KERNEL void BOUNDS(WIDE) merge(int clusters, const int *RESTRICT first, const int *RESTRICT member, const i64 *RESTRICT ptr,
                               const int *RESTRICT to, const float *RESTRICT weight, const int *RESTRICT of, const i64 *RESTRICT room,
                               int *RESTRICT mergedTo, float *RESTRICT mergedWeight, int *RESTRICT kept) {
  SHARED u64 words[ROWS * MERGED];
  int lane = threadX() % 32, k = blockX() * ROWS + threadX() / 32;
  u64 *word = words + threadX() / 32 * MERGED;
  if (k >= clusters) return;
  int count = 0;
  for (int i = first[k]; i < first[k + 1]; i++) {
    i64 lo = ptr[member[i]];
    int length = (int)(ptr[member[i] + 1] - lo);
    for (int e = lane; e < length; e += 32) {
      int c = of[to[lo + e]];
      word[count + e] = c == k ? ~0ull : (u64)c << 32 | __builtin_bit_cast(u32, weight[lo + e]);
    }
    count += length;
  }
  int size = 2;
  while (size < count) size *= 2;
  for (int i = count + lane; i < size; i += 32) word[i] = ~0ull;
  syncWarp();
  for (int run = 2; run <= size; run *= 2) {
    for (int step = run / 2; step; step /= 2) {
      for (int i = lane; i < size / 2; i += 32) {
        int a = 2 * i - (i & (step - 1)), b = a + step;
        u64 low = word[a], high = word[b];
        if ((low > high) == ((a & run) == 0)) {
          word[a] = high;
          word[b] = low;
        }
      }
      syncWarp();
    }
  }
  i64 out = room[k];
  int entries = 0;
  for (int base = 0; base < size; base += 32) {
    int i = base + lane;
    int head = i < size && word[i] != ~0ull && (i == 0 || word[i] >> 32 != word[i - 1] >> 32);
    u32 heads = __nvvm_vote_ballot_sync(0xffffffffu, head);
    if (head) {
      double s = 0;
      u64 c = word[i] >> 32;
      for (int j = i; j < size && word[j] >> 32 == c; j++) s += __builtin_bit_cast(float, (u32)word[j]);
      i64 at = out + entries + __builtin_popcount(heads & ((1u << lane) - 1));
      mergedTo[at] = (int)c;
      mergedWeight[at] = (float)s;
    }
    entries += __builtin_popcount(heads);
  }
  if (lane == 0) kept[k] = entries;
}

// compact moves the rows together, a warp each, and sums the diagonals.
KERNEL void BOUNDS(WIDE) compact(int clusters, const i64 *RESTRICT room, const int *RESTRICT mergedTo, const float *RESTRICT mergedWeight,
                                 const i64 *RESTRICT ptr, const double *RESTRICT ground, int *RESTRICT to, float *RESTRICT weight,
                                 double *RESTRICT diagonal) {
  int lane = threadX() % 32, k = blockX() * ROWS + threadX() / 32;
  if (k >= clusters) return;
  i64 from = room[k], lo = ptr[k], length = ptr[k + 1] - lo;
  for (i64 i = lane; i < length; i += 32) {
    to[lo + i] = mergedTo[from + i];
    weight[lo + i] = mergedWeight[from + i];
  }
  if (lane) return;
  double s = ground[k];
  for (i64 i = 0; i < length; i++) s += mergedWeight[from + i];
  diagonal[k] = s;
}

// LENGTHS of segments that are tried: 4, 8, ... 512.
enum { LENGTHS = 8 };

// tally counts the segments that each length would make.
KERNEL void BOUNDS(WIDE) tally(i64 n, const i64 *RESTRICT ptr, i64 *counts) {
  SHARED double lines[32];
  i64 v = index1();
  i64 length = v < n ? ptr[v + 1] - ptr[v] : 0;
  for (int k = 0; k < LENGTHS; k++) {
    i64 segments = (length + (4 << k) - 1) >> (k + 2);
    double s = sumBlock(v < n ? (double)(segments > 1 ? segments : 1) : 0, lines, WIDE);
    if (threadX() == 0) __nvvm_atom_add_gen_ll(counts + k, (i64)s);
  }
}

// scales rounds the grounds and divides the damping by the diagonals.
KERNEL void BOUNDS(WIDE) scales(i64 n, const double *RESTRICT ground, const double *RESTRICT diagonal, float damping, float *RESTRICT single,
                                float *RESTRICT scale) {
  i64 v = index1();
  if (v >= n) return;
  single[v] = (float)ground[v];
  scale[v] = diagonal[v] > 0 ? (float)((double)damping / diagonal[v]) : 0;
}
