// Incomplete factors of a matrix cut into parts without geometry, a block each: M = (I + L) D (I + U), by rows. The rows of part p are those from first[p]
// to first[p+1]; columns, levels and orders count from the part's first row.
#include "device.h"

enum { THREADS = 256, EDGES = 512 };

// UNKNOWN is the level of a row that has none yet.
enum { UNKNOWN = 0x7fffffff };

// assignLevels finds the level of each row in L, or where upper in U: how many rows before it in the longest chain that it waits for. Entries of L stand before a
// row's diagonal one, those of U behind it. Of the rows without a level those get the next one whose neighbours all have lower ones ("Fine-grained domain
// decomposition", algorithm 4.2). Shared memory: two integers for each row of the longest part.
KERNEL void BOUNDS(THREADS) DYNAMIC assignLevels(const int *RESTRICT first, const i64 *RESTRICT rowPtr, const i64 *RESTRICT diagonal, const int *RESTRICT col,
                                                 int upper, int *RESTRICT level) {
  DYNAMIC_SHARED int known[];
  SHARED int added;
  int start = first[blockX()], rows = first[blockX() + 1] - start, *marked = known + rows;
  for (int c = threadX(); c < rows; c += THREADS) known[c] = UNKNOWN, marked[c] = 0;
  if (threadX() == 0) added = 0;
  for (int l = 0;; l++) {
    barrier();
    for (int c = threadX(); c < rows; c += THREADS) {
      if (known[c] != UNKNOWN) continue;
      int r = start + c;
      i64 at = upper ? diagonal[r] + 1 : rowPtr[r], end = upper ? rowPtr[r + 1] : diagonal[r];
      while (at < end && known[col[at]] != UNKNOWN) at++;
      if (at < end) continue;
      marked[c] = 1;
      __nvvm_atom_max_gen_i(&added, l + 1);
    }
    barrier();
    if (added != l + 1) break;
    for (int c = threadX(); c < rows; c += THREADS)
      if (marked[c]) known[c] = l, marked[c] = 0;
  }
  for (int c = threadX(); c < rows; c += THREADS) level[start + c] = known[c];
}

// Pattern is a matrix by rows; diagonal is the place of each row's entry on the main diagonal, row its number in the matrix, which orders the elimination.
struct Pattern {
  const int *row;
  const i64 *rowPtr, *diagonal;
  const int *col;
};

// eliminate is the incomplete elimination of row r without fill. Entries of a row stand in the order of the matrix's rows that its columns are.
DEVICE void eliminate(const Pattern &m, int start, int r, double *val) {
  i64 own = m.diagonal[r], end = m.rowPtr[r + 1];
  for (i64 at = m.rowPtr[r]; at < own; at++) {
    int k = start + m.col[at];
    double v = val[at] / val[m.diagonal[k]];
    val[at] = v;
    i64 w = at + 1;
    for (i64 u = m.diagonal[k] + 1; u < m.rowPtr[k + 1]; u++) {
      int wanted = m.row[start + m.col[u]];
      while (w < end && m.row[start + m.col[w]] < wanted) w++;
      if (w == end) break;
      if (m.row[start + m.col[w]] == wanted) val[w] -= v * val[u];
    }
  }
}

// refuse keeps the lowest row whose pivot is refused.
DEVICE void refuse(u64 *worst, i64 row) { __nvvm_atom_min_gen_ull(worst, (u64)row); }

// factorise makes the factors of a part in FP64, level by level of L, by which its rows are sorted, and lays them out for solves: L by rows, U by the rows in
// the order of upperOrder, which are those of lowerPtr and upperPtr.
template <typename REAL>
DEVICE void factorise(const int *RESTRICT first, const Pattern &m, double *val, const int *RESTRICT lowerFirst, const int *RESTRICT lowerLevel,
                      const i64 *RESTRICT lowerPtr, const i64 *RESTRICT upperPtr, const int *RESTRICT upperOrder, double scale, int symmetric, REAL *lower,
                      REAL *upper, REAL *inverse, u64 *refused) {
  int p = blockX(), start = first[p], rows = first[p + 1] - start, t = threadX();
  for (int l = lowerFirst[p]; l < lowerFirst[p + 1] - 1; l++) {
    for (int c = lowerLevel[l] + t; c < lowerLevel[l + 1]; c += THREADS) {
      int r = start + c;
      i64 own = m.diagonal[r];
      val[own] *= scale;
      eliminate(m, start, r, val);
      double pivot = val[own], size = __builtin_fabs(pivot);
      if ((symmetric ? pivot > 0 : size > 0) && size <= 1.7976931348623157e308) continue;
      refuse(refused, m.row[r]);
      val[own] = 1;
    }
    barrier();
  }
  for (int c = t; c < rows; c += THREADS) {
    int r = start + c;
    i64 to = lowerPtr[r];
    for (i64 at = m.rowPtr[r]; at < m.diagonal[r]; at++) lower[to++] = (REAL)val[at];
    inverse[r] = (REAL)(1 / val[m.diagonal[r]]);
    int u = start + upperOrder[r];
    double inv = 1 / val[m.diagonal[u]];
    to = upperPtr[r];
    for (i64 at = m.diagonal[u] + 1; at < m.rowPtr[u + 1]; at++) upper[to++] = (REAL)(val[at] * inv);
  }
}

KERNEL void BOUNDS(THREADS) factorParts(const int *RESTRICT first, const int *RESTRICT row, const i64 *RESTRICT rowPtr, const i64 *RESTRICT diagonal,
                                        const int *RESTRICT col, double *val, const int *RESTRICT lowerFirst, const int *RESTRICT lowerLevel,
                                        const i64 *RESTRICT lowerPtr, const i64 *RESTRICT upperPtr, const int *RESTRICT upperOrder, double scale,
                                        int symmetric, float *lower, float *upper, float *inverse, u64 *refused) {
  factorise(first, Pattern{row, rowPtr, diagonal, col}, val, lowerFirst, lowerLevel, lowerPtr, upperPtr, upperOrder, scale, symmetric, lower, upper, inverse,
            refused);
}

KERNEL void BOUNDS(THREADS) factorPartsDouble(const int *RESTRICT first, const int *RESTRICT row, const i64 *RESTRICT rowPtr, const i64 *RESTRICT diagonal,
                                              const int *RESTRICT col, double *val, const int *RESTRICT lowerFirst, const int *RESTRICT lowerLevel,
                                              const i64 *RESTRICT lowerPtr, const i64 *RESTRICT upperPtr, const int *RESTRICT upperOrder, double scale,
                                              int symmetric, double *lower, double *upper, double *inverse, u64 *refused) {
  factorise(first, Pattern{row, rowPtr, diagonal, col}, val, lowerFirst, lowerLevel, lowerPtr, upperPtr, upperOrder, scale, symmetric, lower, upper, inverse,
            refused);
}

// Triangle is L or U: entries by rows in the order of a solve, and where the levels of each part begin in that order.
template <typename REAL> struct Triangle {
  const i64 *RESTRICT ptr;
  const int *RESTRICT col;
  const REAL *RESTRICT val;
};

DEVICE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// less is v of a row less the products of its entries, in their order.
template <typename REAL> DEVICE REAL less(const Triangle<REAL> &t, int at, REAL v, const REAL *vec) {
  for (i64 e = t.ptr[at], end = t.ptr[at + 1]; e < end; e++) v = fused(-t.val[e], vec[t.col[e]], v);
  return v;
}

// solve sets z = M^-1 r, a thread for each row of a level.
template <typename REAL>
DEVICE void solve(const int *RESTRICT first, const int *RESTRICT row, const Triangle<REAL> &lower, const int *RESTRICT lowerFirst,
                  const int *RESTRICT lowerLevel, const Triangle<REAL> &upper, const int *RESTRICT upperFirst, const int *RESTRICT upperLevel,
                  const int *RESTRICT upperOrder, const REAL *RESTRICT inverse, const float *RESTRICT r, float *RESTRICT z, REAL *vec) {
  int p = blockX(), start = first[p], rows = first[p + 1] - start, t = threadX();
  for (int c = t; c < rows; c += THREADS) vec[c] = r[row[start + c]];
  barrier();
  for (int l = lowerFirst[p] + 1; l < lowerFirst[p + 1] - 1; l++) { // the first level has no entries
    for (int c = lowerLevel[l] + t; c < lowerLevel[l + 1]; c += THREADS) vec[c] = less(lower, start + c, vec[c], vec);
    barrier();
  }
  for (int c = t; c < rows; c += THREADS) vec[c] *= inverse[start + c];
  barrier();
  for (int l = upperFirst[p] + 1; l < upperFirst[p + 1] - 1; l++) {
    for (int at = upperLevel[l] + t; at < upperLevel[l + 1]; at += THREADS) {
      int c = upperOrder[start + at];
      vec[c] = less(upper, start + at, vec[c], vec);
    }
    barrier();
  }
  for (int c = t; c < rows; c += THREADS) z[row[start + c]] = (float)vec[c];
}

// solveParts sets z = M^-1 r. Shared memory: a value for each row of the longest part.
KERNEL void BOUNDS(THREADS) DYNAMIC solveParts(const int *RESTRICT first, const int *RESTRICT row, const i64 *RESTRICT lowerPtr,
                                               const int *RESTRICT lowerCol, const float *RESTRICT lowerVal, const int *RESTRICT lowerFirst,
                                               const int *RESTRICT lowerLevel, const i64 *RESTRICT upperPtr, const int *RESTRICT upperCol,
                                               const float *RESTRICT upperVal, const int *RESTRICT upperFirst, const int *RESTRICT upperLevel,
                                               const int *RESTRICT upperOrder, const float *RESTRICT inverse, const float *RESTRICT r,
                                               float *RESTRICT z) {
  DYNAMIC_SHARED float vec[];
  solve(first, row, Triangle<float>{lowerPtr, lowerCol, lowerVal}, lowerFirst, lowerLevel, Triangle<float>{upperPtr, upperCol, upperVal}, upperFirst,
        upperLevel, upperOrder, inverse, r, z, vec);
}

KERNEL void BOUNDS(THREADS) DYNAMIC solvePartsDouble(const int *RESTRICT first, const int *RESTRICT row, const i64 *RESTRICT lowerPtr,
                                                     const int *RESTRICT lowerCol, const double *RESTRICT lowerVal, const int *RESTRICT lowerFirst,
                                                     const int *RESTRICT lowerLevel, const i64 *RESTRICT upperPtr, const int *RESTRICT upperCol,
                                                     const double *RESTRICT upperVal, const int *RESTRICT upperFirst, const int *RESTRICT upperLevel,
                                                     const int *RESTRICT upperOrder, const double *RESTRICT inverse, const float *RESTRICT r,
                                                     float *RESTRICT z) {
  DYNAMIC_SHARED double vecDouble[];
  solve(first, row, Triangle<double>{lowerPtr, lowerCol, lowerVal}, lowerFirst, lowerLevel, Triangle<double>{upperPtr, upperCol, upperVal}, upperFirst,
        upperLevel, upperOrder, inverse, r, z, vecDouble);
}

// addEdges subtracts the products of a level's entries, a thread each, in no fixed order. owner is the row of each entry.
DEVICE void addEdges(i64 at, i64 end, const int *RESTRICT owner, const int *RESTRICT col, const float *RESTRICT val, float *vec) {
  for (at += threadX(); at < end; at += EDGES) __nvvm_atom_add_gen_f(vec + owner[at], -val[at] * vec[col[at]]);
}

// solvePartsEdges is solveParts with a thread for each entry of a level.
KERNEL void BOUNDS(EDGES) DYNAMIC solvePartsEdges(const int *RESTRICT first, const int *RESTRICT row, const i64 *RESTRICT lowerPtr,
                                                  const int *RESTRICT lowerCol, const float *RESTRICT lowerVal, const int *RESTRICT lowerFirst,
                                                  const int *RESTRICT lowerLevel, const int *RESTRICT lowerOwner, const i64 *RESTRICT upperPtr,
                                                  const int *RESTRICT upperCol, const float *RESTRICT upperVal, const int *RESTRICT upperFirst,
                                                  const int *RESTRICT upperLevel, const int *RESTRICT upperOwner, const float *RESTRICT inverse,
                                                  const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED float vec[];
  int p = blockX(), start = first[p], rows = first[p + 1] - start, t = threadX();
  for (int c = t; c < rows; c += EDGES) vec[c] = r[row[start + c]];
  barrier();
  for (int l = lowerFirst[p] + 1; l < lowerFirst[p + 1] - 1; l++) {
    addEdges(lowerPtr[start + lowerLevel[l]], lowerPtr[start + lowerLevel[l + 1]], lowerOwner, lowerCol, lowerVal, vec);
    barrier();
  }
  for (int c = t; c < rows; c += EDGES) vec[c] *= inverse[start + c];
  barrier();
  for (int l = upperFirst[p] + 1; l < upperFirst[p + 1] - 1; l++) {
    addEdges(upperPtr[start + upperLevel[l]], upperPtr[start + upperLevel[l + 1]], upperOwner, upperCol, upperVal, vec);
    barrier();
  }
  for (int c = t; c < rows; c += EDGES) z[row[start + c]] = vec[c];
}
