// Quad-Diag: the main diagonal of a symmetric matrix and those at the offsets 1, nx and nx ny above it. Storage is not padded, but x and y have as
// many zeros before their first and behind their last entry as their offset, so that no index needs a test; so have vectors that a product reads.
#pragma once
#include "device.h"

typedef _Float16 half;

// Blocks cover tiles of columns, TILE along x and their threads / TILE along y. Rows are not aligned: long ones touch the fewest sectors of memory beside
// their own.
enum { TILE = 128 };

// Where RESIDENT is defined, kernels with blocks of THREADS threads use few enough registers for RESIDENT blocks on a multiprocessor.
#ifdef RESIDENT
#undef BOUNDS
#define BOUNDS(threads) __attribute__((launch_bounds(threads, (threads) == THREADS ? RESIDENT : 1)))
#endif

template <class M> struct Quad {
  int nx, ny, nz;
  const M *main, *x, *y, *z; // a null main is everywhere unit
  float unit;
  const int *promote; // a plane's bits 1, 2 and 4: x, y and z are multiplied in FP32. Read where PLANES asks for it; else z is, x and y are not.
};

// Column is what a thread reads of a cell once and for itself.
template <class M, class V, class T> struct Column {
  V own;
  M main, east, north, up;
  T more;
};

// Sums of products of entries M with vectors V.
template <class M, class V> struct Arithmetic { typedef V Sum; };
template <> struct Arithmetic<half, half> { typedef float Sum; };

template <class M, class V> DEVICE V term(M a, V x, bool) { return (V)a * x; }
DEVICE float term(half a, float x, bool wide) { return wide ? (float)a * x : (float)(half)(a * (half)x); }

// In FP16 throughout, products are formed in FP32: sums are.
DEVICE float term(half a, half x, bool) { return (float)a * (float)x; }

// march calls each(c, v[c], (A v)[c], fetch(c)) for the cells of the thread's columns, bottom to top. What comes from memory is loaded a plane ahead;
// the neighbours of a plane are by then in a cache, as other threads have loaded them.
template <int BLOCK, bool PLANES, class M, class V, class G, class F> DEVICE void march(const Quad<M> &a, const V *RESTRICT v, G fetch, F each) {
  typedef typename Arithmetic<M, V>::Sum S;
  typedef Column<M, V, decltype(fetch(0))> Cell;
  i64 nx = a.nx, sheet = nx * a.ny;
  int i = blockX() * TILE + threadX() % TILE;
  if (i >= nx) return;
  auto read = [&](i64 c, bool top) { return Cell{v[c], a.main ? a.main[c] : (M)0, a.x[c], a.y[c], top ? (M)0 : a.z[c], fetch(c)}; };
  for (int j = blockY() * (BLOCK / TILE) + threadX() / TILE; j < a.ny; j += gridY() * (BLOCK / TILE)) {
    i64 c = j * nx + i;
    V below = 0;
    M down = 0;
    bool wideDown = true;
    Cell now = read(c, a.nz == 1);
#pragma unroll 1
    for (int k = 0; k < a.nz; k++) {
      Cell next = {};
      if (k + 1 < a.nz) next = read(c + sheet, k + 2 == a.nz);
      V w = v[c - 1], e = v[c + 1], s = v[c - nx], n = v[c + nx];
      M west = a.x[c - 1], south = a.y[c - nx];
      int bits = PLANES ? a.promote[k] : 4;
      S sum = a.main ? term(now.main, now.own, true) : (S)a.unit * (S)now.own;
      sum += term(down, below, wideDown);
      sum += term(now.up, next.own, bits & 4);
      sum += term(west, w, bits & 1);
      sum += term(now.east, e, bits & 1);
      sum += term(south, s, bits & 2);
      sum += term(now.north, n, bits & 2);
      each(c, now.own, sum, now.more);
      below = now.own;
      down = now.up;
      wideDown = bits & 4;
      now = next;
      c += sheet;
    }
  }
}
