// Quad-Diag: the main diagonal of a symmetric matrix and those at the offsets 1, nx and nx ny above it. Storage is not padded, but x and y have as
// many zeros before their first and behind their last entry as their offset, so that no index needs a test; so have vectors that a product reads.
#pragma once
#include "device.h"

typedef _Float16 half;

// Tiles of columns: TILE along x, threads / TILE along y. A block's rows share the first-level cache for their neighbours in y.
enum { TILE = 64 };

// A further scalar beside those of device.h: the power of two by which a right side was multiplied.
enum { LIFT = 10 };

template <class M> struct Quad {
  int nx, ny, nz;
  const M *main, *x, *y, *z; // a null main is everywhere unit
  float unit;
  const int *promote; // a plane's bits 1, 2 and 4: x, y and z are multiplied in FP32. For FP16 entries only.
};

// Sums of products of entries M with vectors V.
template <class M, class V> struct Arithmetic { typedef V Sum; };
template <> struct Arithmetic<half, half> { typedef float Sum; };

template <class M, class V> DEVICE V term(M a, V x, bool) { return (V)a * x; }
DEVICE float term(half a, float x, bool wide) { return wide ? (float)a * x : (float)(half)(a * (half)x); }

// In FP16 throughout, products are formed in FP32: sums are.
DEVICE float term(half a, half x, bool) { return (float)a * (float)x; }

// march calls each(c, v[c], (A v)[c]) for the cells of the thread's columns, bottom to top.
template <class M, class V, class F> DEVICE void march(const Quad<M> &a, const V *RESTRICT v, int threads, F each) {
  typedef typename Arithmetic<M, V>::Sum S;
  i64 nx = a.nx, sheet = nx * a.ny;
  int i = blockX() * TILE + threadX() % TILE, rows = threads / TILE;
  if (i >= nx) return;
  for (int j = blockY() * rows + threadX() / TILE; j < a.ny; j += gridY() * rows) {
    i64 c = j * nx + i;
    V own = v[c], below = 0;
    M down = 0;
    bool wideDown = true;
#pragma unroll 2
    for (int k = 0; k < a.nz; k++) {
      bool top = k + 1 == a.nz;
      int bits = a.promote ? a.promote[k] : 0;
      V above = top ? (V)0 : v[c + sheet];
      M up = top ? (M)0 : a.z[c];
      V w = v[c - 1], e = v[c + 1], s = v[c - nx], n = v[c + nx];
      M gw = a.x[c - 1], ge = a.x[c], gs = a.y[c - nx], gn = a.y[c];
      S sum = a.main ? term(a.main[c], own, true) : (S)a.unit * (S)own;
      sum += term(down, below, wideDown);
      sum += term(up, above, bits & 4);
      sum += term(gw, w, bits & 1);
      sum += term(ge, e, bits & 1);
      sum += term(gs, s, bits & 2);
      sum += term(gn, n, bits & 2);
      each(c, own, sum);
      below = own;
      own = above;
      down = up;
      wideDown = bits & 4;
      c += sheet;
    }
  }
}
