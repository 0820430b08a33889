// Products with graphs by segments (segSpMV, a method of Kai He and others for circuit matrices), for combinatorial multigrid. The neighbours of
// a vertex are cut into segments of 4 << shift entries, the last filled up with edges of weight 0 to the vertex itself. A thread takes four
// entries of a segment in 16-byte loads, gathers x and adds the products; these sums go to shared memory, where one thread adds those of a segment, or, above 32
// entries, a tree does. Differences x_v - x_u come first: FP32 loses nothing to a large common value.
//
// Even graphs have one segment a row. In others a block takes whole rows, so that their sums end in the block, and rows that fill whole blocks are ended by finishLong.
//
// Bytes moved: 8 an entry, padding included; for a ragged graph 4 a segment; 16 a row for a residual, 20 for a relaxation; gathers once.
#include "device.h"

enum { WIDE = 256 };

typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int4 __attribute__((ext_vector_type(4)));

// ROOM for the sums of four entries: one row of segments for each of a segment's threads, set off so that neither writes nor reads meet in a bank.
enum { ROOM = WIDE + 32 };

// four adds the products of four entries with the differences to own.
DEVICE float four(const float4 *w, const int4 *col, i64 at, const float *x, float own) {
  float4 a = w[at];
  int4 c = col[at];
  float s = a[0] * (own - x[c[0]]);
  s = __builtin_fmaf(a[1], own - x[c[1]], s);
  s = __builtin_fmaf(a[2], own - x[c[2]], s);
  return __builtin_fmaf(a[3], own - x[c[3]], s);
}

// segmentSum adds the sums of a segment's threads; thread t returns that of the block's segment t.
DEVICE float segmentSum(float p, float *lines, int shift) {
  int t = threadX(), mask = (1 << shift) - 1, segments = WIDE >> shift;
  float s = 0;
  if (shift <= 3) {
    int stride = segments + (32 >> shift);
    lines[(t & mask) * stride + (t >> shift)] = p;
    barrier();
    if (t < segments)
      for (int k = 0; k <= mask; k++) s += lines[k * stride + t];
    return s;
  }
  lines[t] = p;
  for (int half = (mask + 1) / 2; half; half >>= 1) {
    barrier();
    if ((t & mask) < half) lines[t] += lines[t + half];
  }
  barrier();
  return t < segments ? lines[t << shift] : 0;
}

// settle ends a row whose edges carry flow: the residual, or with scales the relaxed value.
DEVICE float settle(float flow, float own, float b, float ground, const float *scale, i64 row) {
  float r = b - __builtin_fmaf(ground, own, flow);
  return scale ? __builtin_fmaf(scale[row], r, own) : r;
}

// productEven sets dst = b - A x, or with scales dst = x + scale (b - A x), of a graph with one segment a row.
KERNEL void BOUNDS(WIDE) productEven(i64 n, int shift, const float *RESTRICT w, const int *RESTRICT col, const float *RESTRICT ground,
                                     const float *RESTRICT scale, const float *RESTRICT x, const float *RESTRICT b, float *RESTRICT dst) {
  SHARED float lines[ROOM];
  int t = threadX(), rows = WIDE >> shift;
  i64 first = (i64)blockX() * rows, row = first + (t >> shift), mine = first + t;
  float p = 0, own = 0, right = 0, g = 0;
  int ends = t < rows && mine < n;
  if (ends) {
    own = x[mine];
    right = b[mine];
    g = ground[mine];
  }
  if (row < n) p = four((const float4 *)w, (const int4 *)col, (i64)blockX() * WIDE + t, x, x[row]);
  float flow = segmentSum(p, lines, shift);
  if (ends) dst[mine] = settle(flow, own, right, g, scale, mine);
}

// productRagged does it where rows have several segments. A block's description is its first segment, their number, its first row and the number
// of rows; no rows represent a part of a long row, whose sum goes to long sums, at the place in place of the row.
KERNEL void BOUNDS(WIDE) productRagged(int shift, const int *RESTRICT blocks, const int *RESTRICT segmentRow, const int *RESTRICT rowSegment,
                                       const float *RESTRICT w, const int *RESTRICT col, const float *RESTRICT ground,
                                       const float *RESTRICT scale, const float *RESTRICT x, const float *RESTRICT b, float *RESTRICT dst,
                                       double *longSums) {
  SHARED float lines[ROOM];
  SHARED float sums[WIDE];
  SHARED double wide[32];
  int t = threadX();
  int4 d = ((const int4 *)blocks)[blockX()];
  float p = 0;
  if (t < d[1] << shift) {
    int s = d[0] + (t >> shift);
    p = four((const float4 *)w, (const int4 *)col, ((i64)d[0] << shift) + t, x, x[segmentRow[s]]);
  }
  float flow = segmentSum(p, lines, shift);
  if (d[3] == 0) {
    double s = sumBlock(flow, wide, WIDE);
    if (t == 0) longSums[d[2]] = s;
    return;
  }
  sums[t] = flow;
  barrier();
  if (t >= d[3]) return;
  i64 row = d[2] + t;
  float total = 0;
  for (int s = rowSegment[row] - d[0]; s < rowSegment[row + 1] - d[0]; s++) total += sums[s];
  dst[row] = settle(total, x[row], b[row], ground[row], scale, row);
}

// finishLong ends the long rows, a block each: row, and the places of its parts' sums.
KERNEL void BOUNDS(WIDE) finishLong(const int *RESTRICT row, const int *RESTRICT part, const double *longSums, const float *RESTRICT ground,
                                    const float *RESTRICT scale, const float *RESTRICT x, const float *RESTRICT b, float *RESTRICT dst) {
  SHARED double lines[32];
  int k = blockX(), first = part[k];
  double s = total(longSums + first, part[k + 1] - first, lines, WIDE);
  if (threadX() == 0) {
    int v = row[k];
    dst[v] = settle((float)s, x[v], b[v], ground[v], scale, v);
  }
}

// productUpper adds the flows of a graph whose upper triangle alone is stored: those of a segment to its row, and every single one, with the other sign, to the
// row of its neighbour. All are atomic, as others add to the same rows.
KERNEL void BOUNDS(WIDE) productUpper(i64 segments, int shift, const int *RESTRICT segmentRow, const float *RESTRICT w, const int *RESTRICT col,
                                      const float *RESTRICT x, float *flow) {
  SHARED float lines[ROOM];
  int t = threadX(), here = WIDE >> shift;
  i64 first = (i64)blockX() * here, s = first + (t >> shift), mine = first + t;
  float p = 0;
  if (s < segments) {
    i64 at = (first << shift) + t;
    float own = x[segmentRow[s]];
    float4 a = ((const float4 *)w)[at];
    int4 c = ((const int4 *)col)[at];
    for (int i = 0; i < 4; i++) {
      if (a[i] == 0) continue;
      float f = a[i] * (own - x[c[i]]);
      p += f;
      __nvvm_atom_add_gen_f(flow + c[i], -f);
    }
  }
  float sum = segmentSum(p, lines, shift);
  if (t < here && mine < segments) __nvvm_atom_add_gen_f(flow + segmentRow[mine], sum);
}

// settleUpper ends the rows and clears their flows for the next product.
KERNEL void BOUNDS(WIDE) settleUpper(i64 n, float *RESTRICT flow, const float *RESTRICT ground, const float *RESTRICT scale,
                                     const float *RESTRICT x, const float *RESTRICT b, float *RESTRICT dst) {
  i64 v = (i64)blockX() * WIDE + threadX();
  if (v >= n) return;
  dst[v] = settle(flow[v], x[v], b[v], ground[v], scale, v);
  flow[v] = 0;
}

// fillSegments lays rows out by segments, a thread each. Rows are those of a graph, or of a matrix with its diagonal, whose entries are FP64 and
// of the opposite sign.
KERNEL void BOUNDS(WIDE) fillSegments(i64 segments, int length, const int *RESTRICT segmentRow, const int *RESTRICT rowSegment,
                                      const i64 *RESTRICT rowPtr, const int *RESTRICT from, const float *RESTRICT weight,
                                      const double *RESTRICT entry, float *RESTRICT w, int *RESTRICT col) {
  i64 s = (i64)blockX() * WIDE + threadX();
  if (s >= segments) return;
  i64 row = segmentRow ? segmentRow[s] : s, k = (segmentRow ? s - rowSegment[row] : 0) * length;
  i64 lo = rowPtr[row], hi = rowPtr[row + 1], diagonal = hi;
  if (entry) {
    i64 a = lo, z = hi;
    while (a < z) {
      i64 mid = (a + z) / 2;
      if (from[mid] < row)
        a = mid + 1;
      else
        z = mid;
    }
    diagonal = a;
  }
  for (int i = 0; i < length; i++) {
    i64 at = lo + k + i;
    if (at >= diagonal) at++;
    int real = entry ? at < hi : lo + k + i < hi;
    at = entry ? at : lo + k + i;
    w[s * length + i] = !real ? 0 : entry ? (float)-entry[at] : weight[at];
    col[s * length + i] = real ? from[at] : (int)row;
  }
}

// start sets x = scale b.
KERNEL void BOUNDS(WIDE) start(i64 n, const float *RESTRICT scale, const float *RESTRICT b, float *RESTRICT x) {
  i64 v = (i64)blockX() * WIDE + threadX();
  if (v < n) x[v] = scale[v] * b[v];
}

// BIG is the number of members from which a cluster is summed by a block.
enum { BIG = 64 };

// restrictSmall sums r over the members of clusters of less than big members, a thread each, and starts the relaxation from them.
KERNEL void BOUNDS(WIDE) restrictSmall(int clusters, int big, const int *RESTRICT first, const int *RESTRICT member, const float *RESTRICT r,
                                       const float *RESTRICT scale, float *RESTRICT b, float *RESTRICT x) {
  int c = blockX() * WIDE + threadX();
  if (c >= clusters) return;
  int lo = first[c], hi = first[c + 1];
  if (hi - lo >= big) return;
  float s = 0;
  for (int i = lo; i < hi; i++) s += r[member[i]];
  b[c] = s;
  x[c] = scale[c] * s;
}

// restrictBig does the clusters in a list, a block each.
KERNEL void BOUNDS(WIDE) restrictBig(const int *RESTRICT list, const int *RESTRICT first, const int *RESTRICT member, const float *RESTRICT r,
                                     const float *RESTRICT scale, float *RESTRICT b, float *RESTRICT x) {
  SHARED double lines[32];
  int c = list[blockX()];
  double s = 0;
  for (int i = first[c] + threadX(); i < first[c + 1]; i += WIDE) s += r[member[i]];
  s = sumBlock(s, lines, WIDE);
  if (threadX() == 0) {
    b[c] = (float)s;
    x[c] = scale[c] * (float)s;
  }
}

// prolong adds the value of its cluster to every vertex.
KERNEL void BOUNDS(WIDE) prolong(i64 n, const int *RESTRICT of, const float *RESTRICT coarse, float *RESTRICT x) {
  i64 v = (i64)blockX() * WIDE + threadX();
  if (v < n) x[v] += coarse[of[v]];
}

// sweep eliminates pivot at of the n x n matrix a, all of it, in place and symmetric (Gauss-Jordan): after n of them a is minus its inverse. columns holds that column, in the half
// that its parity names, and gets the next one in the other. A pivot below its limit belongs to a part without ground: row and column vanish, which holds
// the vertex at zero.
KERNEL void BOUNDS(WIDE) sweep(int n, int at, double *a, double *columns, const double *RESTRICT limit) {
  BlockAt tile = blockAt(tiles(n, WIDE));
  int j = tile.x * WIDE + threadX(), i = tile.y;
  if (j >= n) return;
  const double *c = columns + (at & 1 ? n : 0);
  double *next = columns + (at & 1 ? 0 : n);
  double pivot = c[at], v = a[(i64)i * n + j];
  if (!(pivot > limit[at]))
    v = i == at || j == at ? 0 : v;
  else if (i == at)
    v = j == at ? -1 / pivot : c[j] / pivot;
  else if (j == at)
    v = c[i] / pivot;
  else
    v -= c[i] * c[j] * (1 / pivot);
  a[(i64)i * n + j] = v;
  if (j == at + 1) next[i] = v;
}

// narrow rounds the swept matrix to the inverse in FP32, its upper half standing for both.
KERNEL void BOUNDS(WIDE) narrow(int n, const double *RESTRICT a, float *RESTRICT inverse) {
  BlockAt tile = blockAt(tiles(n, WIDE));
  int j = tile.x * WIDE + threadX(), i = tile.y;
  if (j >= n) return;
  i64 at = i < j ? (i64)i * n + j : (i64)j * n + i;
  inverse[(i64)i * n + j] = (float)-a[at];
}

// direct multiplies with the inverse, a warp a row.
KERNEL void BOUNDS(WIDE) direct(int n, const float *RESTRICT inverse, const float *RESTRICT b, float *RESTRICT x) {
  int row = blockX() * (WIDE / 32) + threadX() / 32, lane = threadX() % 32;
  if (row >= n) return;
  const float *line = inverse + (i64)row * n;
  float s = 0;
#pragma unroll 8
  for (int j = lane; j < n; j += 32) s = __builtin_fmaf(line[j], b[j], s);
  double sum = s;
  for (int by = 16; by; by >>= 1) sum += shuffleDown(sum, by);
  if (lane == 0) x[row] = (float)sum;
}
