// Cosine and sine transforms of the rows of planes. Two rows share a complex transform in shared memory. DCT-II of a row x of n values, forward:
// with y = x[0], x[2], ..., x[3], x[1] and Y its Fourier transform, X[k] = Re(exp(-i pi k / 2n) Y[k]). DCT-IV takes a complex transform for each row:
// with Y that of exp(-i pi (j + 1/2) / 2n) x[j], X[2m] or -X[2n-1-2m] is Re(exp(-i pi m / n) Y[m]). Sines are cosines of x[j] (-1)^j in reversed order; rows of
// coefficients of sines stay in that order, n-1-k for k.
//
// Lengths without a plan go through Bluestein's convolution of length m >= 2n-1.
//
// Planes are stored as rows, or as tiles of 2 by 2 in which the other axis finds its pairs of rows: tile (i/2, r/2) holds x(r, i) at
// [r % 2][i % 2], and tiles of one i/2 are contiguous.
#include "plan.h"

// Bits of a mode.
enum { fromTiles = 1, toTiles = 2, inverse = 4, fourthKind = 8, sines = 16, scaled = 32 };
// Threads of a block.
enum { LISTED = 512, SMALL = 128, USUAL = 256, LONG = 512, THOUSAND = 200 };

// Rows are what a launch transforms: of each plane rows of n values.
struct Rows {
  const double *in;
  const float *in32;
  double *out;
  float *out32;
  i64 from, to; // from a plane to the next, in and out
  int n, rows, mode;
  double scale;
  const Complex *turns, *halves, *chirp; // see axis.go
};

// Pair is the pair of rows that a team works on.
template <class P> struct Pair {
  const Rows &j;
  Row<P> row;
  const int *places;
  int plane, first, second; // the rows' numbers; second is first where there is no second
  bool on;                  // there is such a pair

  DEVICE int shuffled(int i, int n) { return i & 1 ? n - 1 - (i >> 1) : i >> 1; }

  __attribute__((device, always_inline)) double value(int r, int i) const {
    i64 at = j.from * plane + (i64)r * j.n + i;
    return j.in32 ? (double)j.in32[at] : j.in[at];
  }
  // fetch is (a, b) at i.
  __attribute__((device, always_inline)) Complex fetch(int i) const {
    if (j.mode & fromTiles) return ((const Complex *)j.in)[j.from / 2 * plane + (i64)(first / 2) * ((j.n + 1) / 2 * 2) + i];
    return {value(first, i), second == first ? 0 : value(second, i)};
  }
  __attribute__((device, always_inline)) bool chirped() const { return P::CONVOLVES && j.chirp; }
  __attribute__((device, always_inline)) Complex &at(int i) const { return row.s[P::pad(i)]; }
  // put sets value i of the complex transform's input, got is value k of its result.
  __attribute__((device, always_inline)) void put(int i, Complex z) const {
    if (chirped())
      at(i) = z * j.chirp[i];
    else
      at(P::place(i, places)) = z;
  }
  __attribute__((device, always_inline)) Complex got(int k) const { return chirped() ? conjugate(at(k)) * j.chirp[k] : at(k); }
  __attribute__((device, always_inline)) bool negative(int i) const { return (j.mode & sines) && (i & 1); }
};

DEVICE Complex negated(Complex z, bool yes) { return yes ? Complex{-z.x, -z.y} : z; }

template <class P> DEVICE void loadForward(const Pair<P> &p) {
  int n = p.j.n;
#pragma unroll 2
  for (int i = p.row.thread; i < n; i += p.row.team) p.put(p.shuffled(i, n), negated(p.fetch(i), p.negative(i)));
}

// The input is the conjugate of exp(i pi k / 2n) (c[k] - i c[n-k]) for c = a + i b, in pairs k and n-k.
template <class P> DEVICE void loadInverse(const Pair<P> &p) {
  int n = p.j.n;
#pragma unroll 2
  for (int k = p.row.thread; k <= n / 2; k += p.row.team) {
    Complex c = p.fetch(k), m = k ? p.fetch(n - k) : Complex{0, 0}, h = p.j.turns[k];
    p.put(k, h * Complex{c.x + m.y, m.x - c.y});
    if (k && 2 * k != n) p.put(n - k, turned(conjugate(h)) * Complex{m.x + c.y, c.x - m.y});
  }
}

template <class P> DEVICE void loadFourth(const Pair<P> &p, int which) {
  int n = p.j.n;
  bool space = !(p.j.mode & inverse);
#pragma unroll 2
  for (int i = p.row.thread; i < n; i += p.row.team) {
    Complex z = negated(p.fetch(i), space && p.negative(i));
    double x = which ? z.y : z.x;
    p.put(i, Complex{x * p.j.turns[i].x, x * p.j.turns[i].y});
  }
}

// finishForward turns the transform Z of a + i b into the coefficients of a and b, in place and in pairs k and n-k: 2 A[k] is the real part of
// exp(-i pi k / 2n) (Z[k] + conj Z[n-k]).
template <class P> DEVICE void finishForward(const Pair<P> &p) {
  int n = p.j.n;
  double half = 0.5 * p.j.scale;
#pragma unroll 1
  for (int k = p.row.thread; k <= n / 2; k += p.row.team) {
    Complex z = p.got(k), c = p.got(k ? n - k : 0), h = p.j.turns[k];
    Complex even = {half * (z.x + c.x), half * (z.y + c.y)}, odd = {half * (z.y - c.y), half * (c.x - z.x)};
    p.at(k) = {h.x * even.x - h.y * odd.x, h.x * even.y - h.y * odd.y};
    // exp(-i pi (n-k) / 2n) is -i conj h.
    if (k) p.at(n - k) = {-h.y * even.x - h.x * odd.x, -h.y * even.y - h.x * odd.y};
  }
  barrier();
}

// finishFourth leaves the coefficient of the row in work in both parts, in shuffled order.
template <class P> DEVICE void finishFourth(const Pair<P> &p) {
#pragma unroll 1
  for (int m = p.row.thread; m < p.j.n; m += p.row.team) {
    Complex y = p.got(m), e = p.j.halves[m];
    double x = p.j.scale * (e.x * y.x - e.y * y.y);
    p.at(m) = {x, x};
  }
  barrier();
}

// result is (a, b) at i; of the fourth kind both are the row in work.
template <class P> DEVICE Complex result(const Pair<P> &p, int i) {
  const Rows &j = p.j;
  if (i >= j.n) return {0, 0};
  bool back = j.mode & inverse, fourth = j.mode & fourthKind;
  if (!back && !fourth) return p.at(i);
  int m = p.shuffled(i, j.n);
  Complex z = p.at(m);
  if (!fourth) {
    if (p.chirped()) z = z * conjugate(j.chirp[m]); // the conjugate of got
    else z.y = -z.y;
  }
  return negated(z, (back && p.negative(i)) != (fourth && (i & 1)));
}

// store writes rows; of the fourth kind row which alone.
template <class P> DEVICE void storeRows(const Pair<P> &p, int which) {
  const Rows &j = p.j;
  if (!p.on) return;
  bool fourth = j.mode & fourthKind, a = !fourth || which == 0, b = (!fourth || which == 1) && p.second != p.first;
  i64 one = j.to * p.plane + (i64)p.first * j.n, two = j.to * p.plane + (i64)p.second * j.n;
#pragma unroll 2
  for (int i = p.row.thread; i < j.n; i += p.row.team) {
    Complex z = result(p, i);
    if (j.out32) {
      if (a) j.out32[one + i] = (float)z.x;
      if (b) j.out32[two + i] = (float)z.y;
    } else {
      if (a) j.out[one + i] = z.x;
      if (b) j.out[two + i] = z.y;
    }
  }
}

// storeTiles writes the tiles of all of a block's pairs, which lie side by side from pair base on, at s and length apart.
template <class P> DEVICE void storeTiles(Pair<P> p, int which, Complex *s, int length, int base) {
  const Rows &j = p.j;
  int pairs = (j.rows + 1) / 2, together = P::rows(p.row.plan), threads = together * p.row.team;
  bool fourth = j.mode & fourthKind;
  int sides = fourth ? 1 : 2, each = sides * together;
  Complex *out = (Complex *)j.out + j.to / 2 * p.plane;
#pragma unroll 1
  for (int n = threadX(); n < (j.n + 1) / 2 * each; n += threads) {
    int u = (u32)n / (u32)each, rest = n - u * each, g = fourth ? rest : rest / 2, side = fourth ? which : rest % 2;
    if (base + g >= pairs) continue;
    p.row.s = s + g * length;
    Complex v = result(p, 2 * u), w = result(p, 2 * u + 1);
    out[((i64)u * pairs + base + g) * 2 + side] = side ? Complex{v.y, w.y} : Complex{v.x, w.x};
  }
}

template <class P>
DEVICE void lines(P plan, const Rows &j, const int *places, const Complex *roots, const Complex *filter, Complex *s, int block) {
  int team = P::team(plan), together = P::rows(plan), m = P::m(plan), length = P::pad(m - 1) + 1;
  int pairs = (j.rows + 1) / 2, blocks = tiles(pairs, together), plane = (u32)block / (u32)blocks, group = threadX() / team;
  int pair = (block - plane * blocks) * together + group;
  Pair<P> p = {j, {plan, s + group * length, threadX() - group * team, team, m}, places, plane, 0, 0, pair < pairs};
  p.first = 2 * (p.on ? pair : pairs - 1);
  p.second = p.first + 1 < j.rows ? p.first + 1 : p.first;
#pragma unroll 1
  for (int which = 0; which < (j.mode & fourthKind ? 2 : 1); which++) {
    if (j.mode & fourthKind)
      loadFourth(p, which);
    else if (j.mode & inverse)
      loadInverse(p);
    else
      loadForward(p);
    if (p.chirped()) {
#pragma unroll 1
      for (int i = j.n + p.row.thread; i < m; i += team) p.at(i) = {0, 0};
      barrier();
      if constexpr (P::CONVOLVES) P::convolve(p.row, roots, filter);
    } else {
      barrier();
      P::whole(p.row, roots);
    }
    if (j.mode & fourthKind)
      finishFourth(p);
    else if (!(j.mode & inverse))
      finishForward(p);
    if (j.mode & toTiles)
      storeTiles(p, which, s, length, pair - group);
    else
      storeRows(p, which);
    if (j.mode & fourthKind) barrier();
  }
}

#define ROWS_OF_LAUNCH                                                                                                                            \
  Rows{in, in32, out, out32, from, to, n, rows, mode, scale, (const Complex *)turns, (const Complex *)halves, (const Complex *)chirp}

// listed transforms rows of any length: threads of a block for a row, a power of two.
KERNEL void BOUNDS(LISTED) DYNAMIC listed(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots, const int *RESTRICT places, int length,
                                             int threads, int together, int count, const int *RESTRICT radices) {
  DYNAMIC_SHARED Complex room[];
  lines(Listed{length, threads, together, count, radices}, ROWS_OF_LAUNCH, places, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length256 transforms rows of 256 values.
KERNEL void BOUNDS(SMALL, 4) DYNAMIC length256(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<16, 8, 16, 16>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length512 transforms rows of 512 values.
KERNEL void BOUNDS(USUAL, 3) DYNAMIC length512(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<64, 4, 8, 8, 8>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length1000 transforms rows of 1000 values.
KERNEL void BOUNDS(THOUSAND, 2) DYNAMIC length1000(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<100, 2, 10, 10, 10>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length1024 transforms rows of 1024 values, or by convolution those of up to 512.
KERNEL void BOUNDS(USUAL, 2) DYNAMIC length1024(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<64, 4, 16, 8, 8>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length2048 transforms rows of 2048 values, or by convolution those of up to 1024.
KERNEL void BOUNDS(USUAL, 2) DYNAMIC length2048(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<128, 2, 8, 16, 16>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length4096 transforms rows of 4096 values, or by convolution those of up to 2048.
KERNEL void BOUNDS(USUAL, 2) DYNAMIC length4096(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<256, 1, 16, 16, 16>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// length10000 transforms rows of 10000 values.
KERNEL void BOUNDS(LONG) DYNAMIC length10000(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots) {
  DYNAMIC_SHARED Complex room[];
  lines(Fixed<512, 1, 10, 10, 10, 10>{}, ROWS_OF_LAUNCH, 0, (const Complex *)roots, (const Complex *)filter, room, blockX());
}

// longer transforms rows that do not fit into shared memory: each block has room in global memory for one pair of them, and takes one of count pairs after the other.
KERNEL void BOUNDS(LISTED) longer(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out,
                                             float *RESTRICT out32, i64 from, i64 to, int n, int rows, int mode, double scale,
                                             const double *RESTRICT turns, const double *RESTRICT halves, const double *RESTRICT chirp,
                                             const double *RESTRICT filter, const double *RESTRICT roots, const int *RESTRICT places, int length,
                                             int stages, const int *RESTRICT radices, double *RESTRICT rooms, int count) {
  Listed plan = {length, LISTED, 1, stages, radices};
  Complex *room = (Complex *)rooms + (i64)blockX() * (Listed::pad(length - 1) + 1);
#pragma unroll 1
  for (int pair = blockX(); pair < count; pair += gridX()) {
    lines(plan, ROWS_OF_LAUNCH, places, (const Complex *)roots, (const Complex *)filter, room, pair);
    barrier();
  }
}

// A block of MULTIPLY threads finds PATCH rows of PATCH values, DEEP terms at a time.
enum { MULTIPLY = 256, PATCH = 64, DEEP = 16, SHARE = PATCH / 16 };

// multiply transforms rows of a graded axis: products with the n by n matrix of vectors, whose row k are the cells of mode k. An inverse multiplies from the right
// with the matrix, the way to modes with its transpose. Scaled rows are multiplied by the widths before.
KERNEL void BOUNDS(MULTIPLY) multiply(const double *RESTRICT in, const float *RESTRICT in32, double *RESTRICT out, float *RESTRICT out32, i64 from, i64 to,
                                      int n, int rows, int mode, const double *RESTRICT vectors, const double *RESTRICT widths) {
  SHARED double left[DEEP][PATCH + 1];
  SHARED double right[DEEP][PATCH + 1];
  int across = tiles(n, PATCH), each = across * tiles(rows, PATCH), plane = (u32)blockX() / (u32)each, patch = blockX() - plane * each;
  int row0 = (u32)patch / (u32)across * PATCH, value0 = (patch - row0 / PATCH * across) * PATCH, thread = threadX(), even = (n + 1) / 2 * 2;
  double sum[SHARE][SHARE];
#pragma unroll
  for (int a = 0; a < SHARE; a++)
#pragma unroll
    for (int b = 0; b < SHARE; b++) sum[a][b] = 0;
  for (int k0 = 0; k0 < n; k0 += DEEP) {
#pragma unroll
    for (int at = thread; at < DEEP * PATCH; at += MULTIPLY) {
      int i = at % DEEP, r = at / DEEP, k = k0 + i, row = row0 + r;
      double v = 0;
      if (k < n && row < rows) {
        if (in32)
          v = in32[from * plane + (i64)row * n + k];
        else
          v = in[from * plane + (mode & fromTiles ? (i64)(row / 2) * 2 * even + 2 * k + row % 2 : (i64)row * n + k)];
        if (mode & scaled) v *= widths[k];
      }
      left[i][r] = v;
    }
#pragma unroll
    for (int at = thread; at < DEEP * PATCH; at += MULTIPLY) {
      bool back = mode & inverse;
      int i = back ? at / PATCH : at % DEEP, c = back ? at % PATCH : at / DEEP, k = k0 + i, value = value0 + c;
      right[i][c] = k < n && value < n ? vectors[back ? (i64)k * n + value : (i64)value * n + k] : 0;
    }
    barrier();
#pragma unroll
    for (int i = 0; i < DEEP; i++) {
      double v[SHARE];
#pragma unroll
      for (int b = 0; b < SHARE; b++) v[b] = right[i][thread % 16 + 16 * b];
#pragma unroll
      for (int a = 0; a < SHARE; a++) {
        double u = left[i][thread / 16 + 16 * a];
#pragma unroll
        for (int b = 0; b < SHARE; b++) sum[a][b] += u * v[b];
      }
    }
    barrier();
  }
  int pairs = (rows + 1) / 2;
#pragma unroll
  for (int a = 0; a < SHARE; a++)
#pragma unroll
    for (int b = 0; b < SHARE; b++) {
      int row = row0 + thread / 16 + 16 * a, value = value0 + thread % 16 + 16 * b;
      if (mode & toTiles) { // with zeros beside an odd number of values or rows
        if (row < 2 * pairs && value < even) out[to * plane + (((i64)(value / 2) * pairs + row / 2) * 2 + row % 2) * 2 + value % 2] = sum[a][b];
      } else if (row < rows && value < n) {
        i64 at = to * plane + (i64)row * n + value;
        if (out32)
          out32[at] = (float)sum[a][b];
        else
          out[at] = sum[a][b];
      }
    }
}
