// Incomplete factors of a grid cut into bricks: M = (I + L) D (I + U) of the matrix without its couplings between bricks, one block a brick.
//
// A brick is bx x by x bz cells, x fastest, lines of x pitch and planes plane values apart; bricks at the far ends of the grid may reach beyond it, and rows
// that do not exist have zeros everywhere. The factor of brick b stands at f + b * planes * rows in planes of rows values: lx, ly, lz (entries of L beside the
// diagonal, indexed by their row), 1/D, and for a matrix that is not symmetric ux, uy, uz. Where it is symmetric U is the transpose of L.
//
// Cells of a level i + j + k depend on cells of lower levels alone. A thread keeps to its line (j, k) and goes along x. In the kernels that count it takes four
// cells at a step, which its neighbours' lines have passed a step before: the levels are those of q + j + k with q = i / 4. There pitch is a multiple of 4,
// and (plane - pitch) / 4 odd: then lines (j, k) and (j + 1, k - 1), which are at the same q at the same step, are in different banks of shared memory. order
// lists the lines by j + k, as j + 65536 k, so that few warps are busy at a step, and those fully.
#include "device.h"

enum { THREADS = 256, EDGES = 768, SYMMETRIC = 4, GENERAL = 7 };

template <typename REAL> using Quad = REAL __attribute__((ext_vector_type(4)));

DEVICE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Brick is the place of this block's brick in the grid and its shape.
struct Brick {
  int nx, ny, nz; // cells that exist, from its first one
  int bx, by, bz, pitch, plane, rows;
  i64 first, line, sheet; // the grid's: its first cell, cells to the next line and plane
  i64 number;
};

DEVICE Brick brickOf(i64 b, int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows) {
  int cx = (nx + bx - 1) / bx, cy = (ny + by - 1) / by;
  int i = (int)(b % cx) * bx, j = (int)(b / cx % cy) * by, k = (int)(b / cx / cy) * bz;
  Brick s;
  s.nx = nx - i < bx ? nx - i : bx;
  s.ny = ny - j < by ? ny - j : by;
  s.nz = nz - k < bz ? nz - k : bz;
  s.bx = bx, s.by = by, s.bz = bz, s.pitch = pitch, s.plane = plane, s.rows = rows;
  s.line = nx, s.sheet = (i64)nx * ny;
  s.first = i + j * s.line + k * s.sheet;
  s.number = b;
  return s;
}

// Line is a line of cells along x: number q, j + by k. A Stride leads to another one.
struct Line {
  int q, j, k;
};

struct Stride {
  int q, j, k;
};

DEVICE Line lineAt(const Brick &s, int q) {
  Line l = {q, q % s.by, q / s.by};
  return l;
}

DEVICE Stride strideOf(const Brick &s, int q) {
  Stride d = {q, q % s.by, q / s.by};
  return d;
}

DEVICE void next(const Brick &s, Line *l, const Stride &d) {
  l->q += d.q;
  l->j += d.j;
  l->k += d.k;
  if (l->j >= s.by) l->j -= s.by, l->k++;
}

DEVICE int at(const Brick &s, const Line &l) { return l.j * s.pitch + l.k * s.plane; }
DEVICE i64 atGrid(const Brick &s, const Line &l) { return s.first + l.j * s.line + l.k * s.sheet; }
DEVICE bool exists(const Brick &s, const Line &l, int i) { return i < s.nx && l.j < s.ny && l.k < s.nz; }

// gather fills the brick's vector with the grid's, 0 where that ends and between planes. Neighbouring threads take neighbouring cells of a line; a thread asks
// for four values before it waits for the first.
template <typename REAL> DEVICE void gather(const Brick &s, const float *RESTRICT r, REAL *vec, int threads) {
  int lines = s.by * s.bz, abreast = threads / s.pitch, gap = s.plane - s.pitch * s.by;
  for (int n = threadX(); n < gap * s.bz; n += threads) vec[(n / gap + 1) * s.plane - gap + n % gap] = 0;
  for (int n = threadX() + s.plane * s.bz; n < s.rows; n += threads) vec[n] = 0;
  if (abreast == 0) { // lines longer than the block
    Stride one = strideOf(s, 1);
    for (Line l = lineAt(s, 0); l.q < lines; next(s, &l, one))
      for (int i = threadX(); i < s.pitch; i += threads) vec[at(s, l) + i] = exists(s, l, i) ? r[atGrid(s, l) + i] : 0;
    return;
  }
  int i = threadX() % s.pitch;
  if (threadX() >= abreast * s.pitch) return;
  Stride d = strideOf(s, abreast);
  for (Line l = lineAt(s, threadX() / s.pitch); l.q < lines;) {
    float v[4];
    int to[4];
#pragma unroll
    for (int u = 0; u < 4; u++) {
      to[u] = l.q < lines ? at(s, l) + i : -1;
      v[u] = l.q < lines && exists(s, l, i) ? r[atGrid(s, l) + i] : 0;
      next(s, &l, d);
    }
#pragma unroll
    for (int u = 0; u < 4; u++)
      if (to[u] >= 0) vec[to[u]] = v[u];
  }
}

// scatter is gather the other way.
template <typename REAL> DEVICE void scatter(const Brick &s, const REAL *vec, float *RESTRICT z, int threads) {
  int lines = s.by * s.bz, abreast = threads / s.pitch;
  if (abreast == 0) {
    Stride one = strideOf(s, 1);
    for (Line l = lineAt(s, 0); l.q < lines; next(s, &l, one))
      for (int i = threadX(); exists(s, l, i); i += threads) z[atGrid(s, l) + i] = (float)vec[at(s, l) + i];
    return;
  }
  int i = threadX() % s.pitch;
  if (threadX() >= abreast * s.pitch) return;
  Stride d = strideOf(s, abreast);
#pragma unroll 4
  for (Line l = lineAt(s, threadX() / s.pitch); l.q < lines; next(s, &l, d))
    if (exists(s, l, i)) z[atGrid(s, l) + i] = (float)vec[at(s, l) + i];
}

// copy brings planes of the factor into shared memory, four values at a time; rows is a multiple of 4.
template <typename REAL> DEVICE void copy(const REAL *RESTRICT from, REAL *to, int values, int threads) {
#pragma unroll 6
  for (int v = 4 * threadX(); v < values; v += 4 * threads) *(Quad<REAL> *)(to + v) = *(const Quad<REAL> *)(from + v);
}

// rescale multiplies the vector by 1/D.
template <typename REAL> DEVICE void rescale(const REAL *RESTRICT inverse, REAL *vec, int rows, int threads) {
#pragma unroll 4
  for (int v = 4 * threadX(); v < rows; v += 4 * threads) *(Quad<REAL> *)(vec + v) *= *(const Quad<REAL> *)(inverse + v);
}

// lowerRow is row i of line l, at c, less its products with the rows before it.
DEVICE float lowerRow(const Brick &s, const Line &l, int i, int c, const float *lx, const float *ly, const float *lz, const float *vec) {
  float v = vec[c];
  if (i) v = __builtin_fmaf(-lx[c], vec[c - 1], v);
  if (l.j) v = __builtin_fmaf(-ly[c], vec[c - s.pitch], v);
  if (l.k) v = __builtin_fmaf(-lz[c], vec[c - s.plane], v);
  return v;
}

// upperRow is lowerRow with the rows behind. Of a symmetric matrix l is L, and an entry of U stands at the row of its column.
template <int PLANES>
DEVICE float upperRow(const Brick &s, const Line &l, int i, int c, const float *lx, const float *ly, const float *lz, const float *vec) {
  const int own = PLANES == SYMMETRIC;
  float v = vec[c];
  if (i < s.bx - 1) v = __builtin_fmaf(-lx[own ? c + 1 : c], vec[c + 1], v);
  if (l.j < s.by - 1) v = __builtin_fmaf(-ly[own ? c + s.pitch : c], vec[c + s.pitch], v);
  if (l.k < s.bz - 1) v = __builtin_fmaf(-lz[own ? c + s.plane : c], vec[c + s.plane], v);
  return v;
}

// lower and upper solve with unit diagonals, level by level of single cells. lx, ly, lz and vec may be in shared or in global memory.
DEVICE void lower(const Brick &s, const float *lx, const float *ly, const float *lz, float *vec) {
  Line mine = lineAt(s, threadX());
  Stride d = strideOf(s, THREADS);
  for (int level = 1; level < s.bx + s.by + s.bz - 2; level++) {
    barrier();
    for (Line l = mine; l.q < s.by * s.bz; next(s, &l, d)) {
      int i = level - l.j - l.k, c = at(s, l) + i;
      if (i >= 0 && i < s.bx) vec[c] = lowerRow(s, l, i, c, lx, ly, lz, vec);
    }
  }
  barrier();
}

template <int PLANES> DEVICE void upper(const Brick &s, const float *lx, const float *ly, const float *lz, float *vec) {
  Line mine = lineAt(s, threadX());
  Stride d = strideOf(s, THREADS);
  for (int level = s.bx + s.by + s.bz - 4; level >= 0; level--) {
    barrier();
    for (Line l = mine; l.q < s.by * s.bz; next(s, &l, d)) {
      int i = level - l.j - l.k, c = at(s, l) + i;
      if (i >= 0 && i < s.bx) vec[c] = upperRow<PLANES>(s, l, i, c, lx, ly, lz, vec);
    }
  }
  barrier();
}

// less is v - l w for each of four cells.
template <typename REAL> DEVICE Quad<REAL> less(Quad<REAL> v, Quad<REAL> l, Quad<REAL> w) {
  for (int n = 0; n < 4; n++) v[n] = fused(-l[n], w[n], v[n]);
  return v;
}

template <typename REAL> DEVICE Quad<REAL> quad(const REAL *p) { return *(const Quad<REAL> *)p; }

// lowerQuad solves the four cells at c of line (j, k); before is the cell before them. It returns the last.
template <typename REAL>
DEVICE REAL lowerQuad(const Brick &s, int j, int k, int c, const REAL *lx, const REAL *ly, const REAL *lz, REAL *vec, REAL before) {
  Quad<REAL> v = quad(vec + c), x = quad(lx + c);
  if (j) v = less<REAL>(v, quad(ly + c), quad(vec + c - s.pitch));
  if (k) v = less<REAL>(v, quad(lz + c), quad(vec + c - s.plane));
  for (int n = 0; n < 4; n++) v[n] = before = fused(-x[n], before, v[n]);
  *(Quad<REAL> *)(vec + c) = v;
  return before;
}

// Behind is the first cell of the quad behind, and its entry lx.
template <typename REAL> struct Behind {
  REAL value, entry;
};

// upperQuad is lowerQuad backwards.
template <int PLANES, typename REAL>
DEVICE Behind<REAL> upperQuad(const Brick &s, int j, int k, int c, const REAL *lx, const REAL *ly, const REAL *lz, REAL *vec, Behind<REAL> b) {
  const int own = PLANES == SYMMETRIC;
  Quad<REAL> v = quad(vec + c), x = quad(lx + c);
  if (j < s.by - 1) v = less<REAL>(v, quad(ly + c + (own ? s.pitch : 0)), quad(vec + c + s.pitch));
  if (k < s.bz - 1) v = less<REAL>(v, quad(lz + c + (own ? s.plane : 0)), quad(vec + c + s.plane));
  for (int n = 3; n >= 0; n--) {
    v[n] = b.value = fused(-(own ? b.entry : x[n]), b.value, v[n]);
    b.entry = x[n];
  }
  *(Quad<REAL> *)(vec + c) = v;
  return b;
}

// lowerQuads and upperQuads solve level by level of quads. Where NARROW, every thread has one line at most, and keeps the cell before in a register.
template <bool NARROW, typename REAL>
DEVICE void lowerQuads(const Brick &s, const int *RESTRICT order, const REAL *lx, const REAL *ly, const REAL *lz, REAL *vec) {
  int lines = s.by * s.bz, quads = s.pitch / 4, mine = threadX() < lines ? order[threadX()] : 65535;
  REAL before = 0;
  for (int step = 0; step < quads + s.by + s.bz - 2; step++) {
    barrier();
    for (int n = threadX(), line = mine; NARROW || n < lines;) {
      int j = line & 65535, k = line >> 16, q = step - j - k, c = 4 * q + j * s.pitch + k * s.plane;
      if (q >= 0 && q < quads) before = lowerQuad(s, j, k, c, lx, ly, lz, vec, NARROW ? before : q ? vec[c - 1] : (REAL)0);
      if (NARROW) break;
      n += THREADS;
      if (n < lines) line = order[n];
    }
  }
  barrier();
}

template <int PLANES, bool NARROW, typename REAL>
DEVICE void upperQuads(const Brick &s, const int *RESTRICT order, const REAL *lx, const REAL *ly, const REAL *lz, REAL *vec) {
  int lines = s.by * s.bz, quads = s.pitch / 4, mine = threadX() < lines ? order[threadX()] : 65535;
  Behind<REAL> none = {0, 0}, behind = none;
  for (int step = quads + s.by + s.bz - 3; step >= 0; step--) {
    barrier();
    for (int n = threadX(), line = mine; NARROW || n < lines;) {
      int j = line & 65535, k = line >> 16, q = step - j - k, c = 4 * q + j * s.pitch + k * s.plane;
      if (q >= 0 && q < quads) {
        if (!NARROW) {
          behind = none;
          if (q < quads - 1) behind.value = vec[c + 4], behind.entry = lx[c + 4];
        }
        behind = upperQuad<PLANES>(s, j, k, c, lx, ly, lz, vec, behind);
      }
      if (NARROW) break;
      n += THREADS;
      if (n < lines) line = order[n];
    }
  }
  barrier();
}

// solve applies the factor in one pass over memory: the vector and L, then U, are in shared memory.
template <int PLANES, typename REAL>
DEVICE void solve(const Brick &s, const int *RESTRICT order, const REAL *RESTRICT f, const float *RESTRICT r, float *RESTRICT z, REAL *lx) {
  REAL *ly = lx + s.rows, *lz = ly + s.rows, *vec = lz + s.rows;
  f += s.number * PLANES * s.rows;
  copy(f, lx, 3 * s.rows, THREADS);
  gather(s, r, vec, THREADS);
  bool narrow = s.by * s.bz <= THREADS;
  if (narrow)
    lowerQuads<true>(s, order, lx, ly, lz, vec);
  else
    lowerQuads<false>(s, order, lx, ly, lz, vec);
  rescale(f + 3 * s.rows, vec, s.rows, THREADS);
  if (PLANES == GENERAL) copy(f + 4 * s.rows, lx, 3 * s.rows, THREADS);
  if (narrow)
    upperQuads<PLANES, true>(s, order, lx, ly, lz, vec);
  else
    upperQuads<PLANES, false>(s, order, lx, ly, lz, vec);
  scatter(s, vec, z, THREADS);
}

// solveSymmetric sets z = M^-1 r for a symmetric matrix. Shared memory: 4 rows values.
KERNEL void BOUNDS(THREADS) DYNAMIC solveSymmetric(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows,
                                                   const int *RESTRICT order, const float *RESTRICT f, const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED Quad<float> room[];
  solve<SYMMETRIC>(brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows), order, f, r, z, (float *)room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC solveSymmetricDouble(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows,
                                                         const int *RESTRICT order, const double *RESTRICT f, const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solve<SYMMETRIC>(brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows), order, f, r, z, (double *)roomDouble);
}

// solveGeneral is solveSymmetric for any matrix.
KERNEL void BOUNDS(THREADS) DYNAMIC solveGeneral(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows,
                                                 const int *RESTRICT order, const float *RESTRICT f, const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED Quad<float> room[];
  solve<GENERAL>(brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows), order, f, r, z, (float *)room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC solveGeneralDouble(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows,
                                                       const int *RESTRICT order, const double *RESTRICT f, const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED Quad<double> roomDouble[];
  solve<GENERAL>(brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows), order, f, r, z, (double *)roomDouble);
}

DEVICE void addShared(float *p, float v) { __nvvm_atom_add_gen_f(p, v); }

// solveEdges goes through the levels with a thread for each entry instead of each row: three groups of threads, for x, y and z, that add to the vector
// in no fixed order.
KERNEL void BOUNDS(EDGES) DYNAMIC solveEdges(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows, int symmetric,
                                             const float *RESTRICT f, const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED Quad<float> room[];
  Brick s = brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows);
  float *l = (float *)room, *vec = l + 3 * rows;
  f += s.number * (symmetric ? SYMMETRIC : GENERAL) * rows;
  copy(f, l, 3 * rows, EDGES);
  gather(s, r, vec, EDGES);
  int direction = threadX() / THREADS, levels = bx + by + bz - 2, offset = direction == 0 ? 1 : direction == 1 ? pitch : plane;
  float *entry = l + direction * rows;
  Line mine = lineAt(s, threadX() % THREADS);
  Stride d = strideOf(s, THREADS);
  for (int level = 1; level < levels; level++) {
    barrier();
    for (Line q = mine; q.q < by * bz; next(s, &q, d)) {
      int i = level - q.j - q.k, c = i + at(s, q), place = direction == 0 ? i : direction == 1 ? q.j : q.k;
      if (i >= 0 && i < bx && place) addShared(vec + c, -entry[c] * vec[c - offset]);
    }
  }
  barrier();
  rescale(f + 3 * rows, vec, rows, EDGES);
  if (!symmetric) copy(f + 4 * rows, l, 3 * rows, EDGES);
  barrier();
  for (int level = levels - 2; level >= 0; level--) {
    for (Line q = mine; q.q < by * bz; next(s, &q, d)) {
      int i = level - q.j - q.k, c = i + at(s, q), place = direction == 0 ? bx - 1 - i : direction == 1 ? by - 1 - q.j : bz - 1 - q.k;
      if (i >= 0 && i < bx && place) addShared(vec + c, -entry[symmetric ? c + offset : c] * vec[c + offset]);
    }
    barrier();
  }
  scatter(s, vec, z, EDGES);
}

// passed reports whether line q has passed cell i.
DEVICE bool passed(const int *done, int q, int i) { return *(const volatile int *)(done + q) > i; }

DEVICE void publish(int *done, int q, int count) {
  __nvvm_membar_cta();
  *(volatile int *)(done + q) = count;
}

// solveSpinning does without levels: a thread takes its next cell as soon as the lines before it have passed theirs, which it looks up again and
// again. Shared memory: 4 rows values and a count for each line.
KERNEL void BOUNDS(THREADS) DYNAMIC solveSpinning(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows, int symmetric,
                                                  const float *RESTRICT f, const float *RESTRICT r, float *RESTRICT z) {
  DYNAMIC_SHARED Quad<float> room[];
  Brick s = brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows);
  float *lx = (float *)room, *ly = lx + rows, *lz = ly + rows, *vec = lz + rows;
  int *done = (int *)(vec + rows), lines = by * bz;
  f += s.number * (symmetric ? SYMMETRIC : GENERAL) * rows;
  copy(f, lx, 3 * rows, THREADS);
  gather(s, r, vec, THREADS);
  for (int q = threadX(); q < lines; q += THREADS) done[q] = 0;
  barrier();
  Stride d = strideOf(s, THREADS);
  // Lines that a line waits for come before it, so a thread that goes through its lines in order waits for no line that waits for it.
  int i = 0;
  for (Line l = lineAt(s, threadX()); l.q < lines;) {
    if ((l.j == 0 || passed(done, l.q - 1, i)) && (l.k == 0 || passed(done, l.q - by, i))) {
      __nvvm_membar_cta();
      int c = i + at(s, l);
      vec[c] = lowerRow(s, l, i, c, lx, ly, lz, vec);
      publish(done, l.q, ++i);
      if (i == bx) i = 0, next(s, &l, d);
    }
  }
  barrier();
  rescale(f + 3 * rows, vec, rows, THREADS);
  if (!symmetric) copy(f + 4 * rows, lx, 3 * rows, THREADS);
  for (int q = threadX(); q < lines; q += THREADS) done[q] = 0;
  barrier();
  i = 0;
  for (Line m = lineAt(s, threadX()); m.q < lines;) {
    Line l = {lines - 1 - m.q, by - 1 - m.j, bz - 1 - m.k}; // from the last line backwards
    if ((m.j == 0 || passed(done, l.q + 1, i)) && (m.k == 0 || passed(done, l.q + by, i))) {
      __nvvm_membar_cta();
      int cell = bx - 1 - i, c = cell + at(s, l);
      vec[c] = symmetric ? upperRow<SYMMETRIC>(s, l, cell, c, lx, ly, lz, vec) : upperRow<GENERAL>(s, l, cell, c, lx, ly, lz, vec);
      publish(done, l.q, ++i);
      if (i == bx) i = 0, next(s, &m, d);
    }
  }
  barrier();
  scatter(s, vec, z, THREADS);
}

// solveGlobal keeps nothing in shared memory: the vector is in work, in the order of the factor, and the factor is read where it is.
KERNEL void BOUNDS(THREADS) solveGlobal(int nx, int ny, int nz, int bx, int by, int bz, int pitch, int plane, int rows, int symmetric, const float *f,
                                        const float *RESTRICT r, float *work, float *RESTRICT z) {
  Brick s = brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, plane, rows);
  float *vec = work + s.number * rows;
  f += s.number * (symmetric ? SYMMETRIC : GENERAL) * rows;
  gather(s, r, vec, THREADS);
  lower(s, f, f + rows, f + 2 * rows, vec);
  for (int v = threadX(); v < rows; v += THREADS) vec[v] *= f[3 * rows + v];
  barrier();
  if (symmetric)
    upper<SYMMETRIC>(s, f, f + rows, f + 2 * rows, vec);
  else
    upper<GENERAL>(s, f + 4 * rows, f + 5 * rows, f + 6 * rows, vec);
  scatter(s, vec, z, THREADS);
}

// levelLower and levelUpper are one level of the two solves with a single brick as large as the grid (pitch bx), all of whose lines the launch covers: the
// way of libraries for triangular solves, to compare with. z begins as r and ends as the solution.
KERNEL void BOUNDS(THREADS) levelLower(int bx, int by, int bz, int level, const float *RESTRICT f, float *z) {
  i64 rows = ((i64)bx * by * bz + 3) / 4 * 4, q = (i64)blockX() * THREADS + threadX();
  if (q >= (i64)by * bz) return;
  int j = (int)(q % by), k = (int)(q / by), i = level - j - k;
  if (i < 0 || i >= bx) return;
  i64 c = q * bx + i;
  float v = z[c];
  if (i) v = __builtin_fmaf(-f[c], z[c - 1], v);
  if (j) v = __builtin_fmaf(-f[rows + c], z[c - bx], v);
  if (k) v = __builtin_fmaf(-f[2 * rows + c], z[c - (i64)bx * by], v);
  z[c] = v;
}

KERNEL void BOUNDS(THREADS) levelUpper(int bx, int by, int bz, int level, int symmetric, const float *RESTRICT f, float *z) {
  i64 sheet = (i64)bx * by, rows = (sheet * bz + 3) / 4 * 4, q = (i64)blockX() * THREADS + threadX();
  if (q >= (i64)by * bz) return;
  int j = (int)(q % by), k = (int)(q / by), i = level - j - k;
  if (i < 0 || i >= bx) return;
  i64 c = q * bx + i;
  const float *u = symmetric ? f : f + 4 * rows;
  float v = z[c] * f[3 * rows + c];
  if (i < bx - 1) v = __builtin_fmaf(-u[symmetric ? c + 1 : c], z[c + 1], v);
  if (j < by - 1) v = __builtin_fmaf(-u[rows + (symmetric ? c + bx : c)], z[c + bx], v);
  if (k < bz - 1) v = __builtin_fmaf(-u[2 * rows + (symmetric ? c + sheet : c)], z[c + sheet], v);
  z[c] = v;
}

// worst keeps the lowest row whose pivot is refused, as a number that atomics compare.
DEVICE void refuse(u64 *worst, i64 row) {
  u64 seen = *(volatile u64 *)worst;
  while ((u64)row < seen) {
    u64 was = (u64)__nvvm_atom_cas_gen_ll((long long *)worst, (long long)seen, (long long)row);
    if (was == seen) return;
    seen = was;
  }
}

// factorise makes the factors of the bricks from the diagonals of a matrix (offsets 1, nx and nx ny), in FP64. A pivot is
// d_c = (1 + shift) a_cc - sum over the neighbors n before c in its brick of a_cn a_nc / d_n. L has a_cn / d_n and U has a_cn / d_c; inverse is scratch of
// rows values a brick. refused receives the lowest row with a pivot that is not positive (symmetric) or is zero or no number, and is that row's
// number + 1 or more before.
template <typename REAL>
DEVICE void factor(int nx, int ny, int nz, int bx, int by, int bz, int pitch, i64 plane, i64 rows, int symmetric, double shift, const double *RESTRICT a,
                   const double *RESTRICT ax, const double *RESTRICT ay, const double *RESTRICT az, const double *RESTRICT lowX,
                   const double *RESTRICT lowY, const double *RESTRICT lowZ, double *inverse, REAL *f, u64 *refused) {
  Brick s = brickOf(blockX(), nx, ny, nz, bx, by, bz, pitch, 0, 0);
  i64 sheet = s.sheet;
  f += s.number * (symmetric ? SYMMETRIC : GENERAL) * rows;
  inverse += s.number * rows;
  Line mine = lineAt(s, threadX());
  Stride d = strideOf(s, THREADS);
  for (int level = 0; level < bx + by + bz - 2; level++) {
    for (Line l = mine; l.q < by * bz; next(s, &l, d)) {
      int i = level - l.j - l.k;
      if (i < 0 || i >= s.nx || l.j >= s.ny || l.k >= s.nz) continue;
      i64 c = i + (i64)l.j * pitch + l.k * plane, g = atGrid(s, l) + i;
      double pivot = a[g] * (1 + shift);
      if (i) {
        double v = lowX[g - 1] * inverse[c - 1];
        pivot -= v * ax[g - 1];
        f[c] = (REAL)v;
      }
      if (l.j) {
        double v = lowY[g - nx] * inverse[c - pitch];
        pivot -= v * ay[g - nx];
        f[rows + c] = (REAL)v;
      }
      if (l.k) {
        double v = lowZ[g - sheet] * inverse[c - plane];
        pivot -= v * az[g - sheet];
        f[2 * rows + c] = (REAL)v;
      }
      double size = __builtin_fabs(pivot);
      if (!(symmetric ? pivot > 0 : size > 0) || !(size <= 1.7976931348623157e308)) refuse(refused, g);
      double inv = 1 / pivot;
      inverse[c] = inv;
      f[3 * rows + c] = (REAL)inv;
      if (!symmetric) {
        if (i < s.nx - 1) f[4 * rows + c] = (REAL)(ax[g] * inv);
        if (l.j < s.ny - 1) f[5 * rows + c] = (REAL)(ay[g] * inv);
        if (l.k < s.nz - 1) f[6 * rows + c] = (REAL)(az[g] * inv);
      }
    }
    barrier();
  }
}

KERNEL void BOUNDS(THREADS) factorise(int nx, int ny, int nz, int bx, int by, int bz, int pitch, i64 plane, i64 rows, int symmetric, double shift,
                                      const double *RESTRICT a, const double *RESTRICT ax, const double *RESTRICT ay, const double *RESTRICT az,
                                      const double *RESTRICT lowX, const double *RESTRICT lowY, const double *RESTRICT lowZ, double *inverse,
                                      float *f, u64 *refused) {
  factor(nx, ny, nz, bx, by, bz, pitch, plane, rows, symmetric, shift, a, ax, ay, az, lowX, lowY, lowZ, inverse, f, refused);
}

KERNEL void BOUNDS(THREADS) factoriseDouble(int nx, int ny, int nz, int bx, int by, int bz, int pitch, i64 plane, i64 rows, int symmetric, double shift,
                                            const double *RESTRICT a, const double *RESTRICT ax, const double *RESTRICT ay, const double *RESTRICT az,
                                            const double *RESTRICT lowX, const double *RESTRICT lowY, const double *RESTRICT lowZ, double *inverse,
                                            double *f, u64 *refused) {
  factor(nx, ny, nz, bx, by, bz, pitch, plane, rows, symmetric, shift, a, ax, ay, az, lowX, lowY, lowZ, inverse, f, refused);
}
