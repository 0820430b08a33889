// Incomplete factors of a matrix cut into parts without geometry, a block each: M = (I + L) D (I + U), by rows. The rows of part p are those from first[p]
// to first[p+1]; columns, levels and orders count from the part's first row.
#include "device.h"

enum { THREADS = 256 };

// Triangle is L or U: entries by rows, and where the levels of each part begin in its order of rows.
struct Triangle {
  const i64 *RESTRICT rowPtr;
  const int *RESTRICT col;
  const float *RESTRICT val;
};

// less is v of a row less the products of its entries, in their order.
DEVICE float less(const Triangle &t, int row, float v, const float *vec) {
  for (i64 at = t.rowPtr[row], end = t.rowPtr[row + 1]; at < end; at++) v = __builtin_fmaf(-t.val[at], vec[t.col[at]], v);
  return v;
}

// solveParts sets z = M^-1 r. Shared memory: a value for each row of the longest part.
KERNEL void BOUNDS(THREADS) DYNAMIC solveParts(const int *RESTRICT first, const int *RESTRICT row, const i64 *RESTRICT lowerPtr,
                                               const int *RESTRICT lowerCol, const float *RESTRICT lowerVal, const int *RESTRICT lowerFirst,
                                               const int *RESTRICT lowerLevel, const i64 *RESTRICT upperPtr, const int *RESTRICT upperCol,
                                               const float *RESTRICT upperVal, const int *RESTRICT upperFirst, const int *RESTRICT upperLevel,
                                               const int *RESTRICT upperOrder, const float *RESTRICT inverse, const float *RESTRICT r,
                                               float *RESTRICT z) {
  DYNAMIC_SHARED float vec[];
  int p = blockX(), start = first[p], rows = first[p + 1] - start, t = threadX();
  Triangle lower = {lowerPtr, lowerCol, lowerVal}, upper = {upperPtr, upperCol, upperVal};
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
      vec[c] = less(upper, start + c, vec[c], vec);
    }
    barrier();
  }
  for (int c = t; c < rows; c += THREADS) z[row[start + c]] = vec[c];
}
