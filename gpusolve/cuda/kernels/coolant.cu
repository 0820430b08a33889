// The operator of stacks that coolant flows through.
#include "cool.h"
#include "residual.h"

enum { THREADS = 128 };

// Palette has the properties of constant materials.
struct Palette {
  const Mesh &m;
  const double *entries;
  __attribute__((device, always_inline)) double conductivity(int i, int j, int k, int half) const { return entries[(i64)entryOf(m, i, j, k) * ENTRY + half]; }
  __attribute__((device, always_inline)) double capacity(int i, int j, int k) const { return entries[(i64)entryOf(m, i, j, k) * ENTRY + CAPACITY]; }
};

// coolPlanes sets the lateral couplings, and capacity = C/dt where it is not null, of the planes of cavities: two for each, walls and coolant.
KERNEL void BOUNDS(THREADS) coolPlanes(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                       const u32 *uniform, const int *slot, const u32 *index, const double *palette, const Cavity *cavities, double dt,
                                       float *gx, float *gy, float *capacity) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index};
  BlockAt at = blockAt(tiles(nx, THREADS), ny);
  const Cavity &c = cavities[at.z / 2];
  int i = at.x * THREADS + threadX(), j = at.y, k = at.z % 2 ? c.fluid : c.wall;
  if (i >= nx || (at.z % 2 && !porous(c))) return;
  coolPlane(c, m, Palette{m, palette}, i, j, k, dt, gx, gy, capacity);
}

// coolColumns sets the couplings along z above and below the planes of cavities, those across a porous cavity's walls and coolant among them. far has two
// planes for each cavity.
KERNEL void BOUNDS(THREADS) coolColumns(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                        const u32 *uniform, const int *slot, const u32 *index, const double *palette, const Cavity *cavities,
                                        const int *farSlot, float *gz, float *far) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index};
  BlockAt tile = blockAt(tiles(nx, THREADS), ny);
  const Cavity &c = cavities[tile.z];
  int i = tile.x * THREADS + threadX(), j = tile.y;
  if (i < nx) coolColumn(c, m, Palette{m, palette}, i, j, farSlot, gz, far);
}

// endOf is the first cell of a line, or the last, in its plane.
DEVICE i64 endOf(const Cavity &c, int line, bool outlet, int nx, int ny) {
  i64 last = (bool)c.backward != outlet ? (c.axis == 0 ? nx : ny) - 1 : 0;
  return c.axis == 0 ? (i64)line * nx + last : last * nx + line;
}

// inlets adds the heat that coolant of rise[n] above the ambient brings into cavity n, a row of blocks for each.
KERNEL void BOUNDS(THREADS) inlets(int nx, int ny, const Cavity *cavities, const double *rise, double *inflow, const int *inflowSlot) {
  BlockAt tile = blockAt(tiles(nx > ny ? nx : ny, THREADS));
  const Cavity &c = cavities[tile.y];
  int line = tile.x * THREADS + threadX();
  if (line >= (c.axis == 0 ? ny : nx) || !c.wet[line]) return;
  inflow[inflowSlot[c.fluid] * ((i64)nx * ny) + endOf(c, line, false, nx, ny)] += c.heat[line] * rise[tile.y];
}

// outlets sets heat[n] to what the coolant of cavity n carries out above what it brings in. One block for each.
KERNEL void BOUNDS(THREADS) outlets(int nx, int ny, const Cavity *cavities, const double *rise, const double *x, double *heat) {
  SHARED double lines[32];
  const Cavity &c = cavities[blockX()];
  double s = 0;
  for (int line = threadX(); line < (c.axis == 0 ? ny : nx); line += THREADS)
    if (c.wet[line]) s += c.heat[line] * (x[c.fluid * ((i64)nx * ny) + endOf(c, line, true, nx, ny)] - rise[blockX()]);
  s = sumBlock(s, lines, THREADS);
  if (threadX() == 0) heat[blockX()] = s;
}

template <class T>
DEVICE void multiply(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz, const float *RESTRICT ground,
                     const int *RESTRICT groundSlot, const float *RESTRICT capacity, const Cavity *RESTRICT cavities,
                     const float *RESTRICT far, const int *RESTRICT farSlot, const int *RESTRICT flowing, const T *RESTRICT v, double *RESTRICT out) {
  Cooling w = {cavities, far, farSlot, flowing};
  int i = blockX() * THREADS + threadX();
  for (int j = blockY(); i < nx && j < ny; j += gridY()) {
    i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
    double own = v[c], down = 0;
    for (int k = 0; k < nz; k++) {
      i64 next = k + 1 < nz ? c + sheet : c;
      double above = v[next], up = gz[c] * (own - above), none = 0;
      double a = gx[c] * (own - v[c + 1]) + gx[c - 1] * (own - v[c - 1]) + gy[c] * (own - v[c + nx]) + gy[c - nx] * (own - v[c - nx]) + (up - down);
      int slot = groundSlot[k];
      if (slot >= 0) a += ground[slot * sheet + at] * own;
      if (capacity) a += capacity[c] * own;
      out[c] = a + beside(w, nx, ny, i, j, k, sheet, at, c, v, &none);
      down = up;
      own = above;
      c = next;
    }
  }
}

// cooledMultiplyDouble is multiply of forms.cu with coolant.
KERNEL void BOUNDS(THREADS) cooledMultiplyDouble(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz, const float *RESTRICT ground,
                                  const int *RESTRICT groundSlot, const float *RESTRICT capacity, const Cavity *RESTRICT cavities,
                                  const float *RESTRICT far, const int *RESTRICT farSlot, const int *RESTRICT flowing, const double *RESTRICT v, double *RESTRICT out) {
  multiply(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, cavities, far, farSlot, flowing, v, out);
}

// cooledMultiplySingle is cooledMultiplyDouble for an FP32 vector.
KERNEL void BOUNDS(THREADS) cooledMultiplySingle(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz, const float *RESTRICT ground,
                                  const int *RESTRICT groundSlot, const float *RESTRICT capacity, const Cavity *RESTRICT cavities,
                                  const float *RESTRICT far, const int *RESTRICT farSlot, const int *RESTRICT flowing, const float *RESTRICT v, double *RESTRICT out) {
  multiply(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, cavities, far, farSlot, flowing, v, out);
}

// Cooled adds to a row of the residual what coolant does.
struct Cooled {
  Cooling w;
  int nx, ny;
  i64 sheet;
  const double *x;
  __attribute__((device, always_inline)) void operator()(int i, int j, int k, i64 at, i64 c, double *a, double *diagonal) const {
    *a += beside(w, nx, ny, i, j, k, sheet, at, c, x, diagonal);
  }
};

// cooledResidual is residual of residual.cu with coolant. A null old is zero.
KERNEL void BOUNDS(THREADS, 6) cooledResidual(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                           const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                           const double *RESTRICT power, const int *RESTRICT powerSlot, const double *RESTRICT share,
                                           const double *RESTRICT inflow, const int *RESTRICT inflowSlot, const Cavity *RESTRICT cavities,
                                           const float *RESTRICT far, const int *RESTRICT farSlot, const int *RESTRICT flowing, const double *RESTRICT x,
                                           const double *RESTRICT old, float *RESTRICT r, double *RESTRICT r64, double *partial, double *scalars,
                                           u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  Cooled cooled = {{cavities, far, farSlot, flowing}, nx, ny, (i64)nx * ny, x};
  if (old)
    residualOf<true, THREADS>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, power, powerSlot, share, inflow, inflowSlot, x, old, r, r64, partial, scalars,
                     ticket, lines, &last, cooled);
  else
    residualOf<false, THREADS>(nx, ny, nz, gx, gy, gz, ground, groundSlot, capacity, power, powerSlot, share, inflow, inflowSlot, x, old, r, r64, partial, scalars,
                      ticket, lines, &last, cooled);
}

// cooledDiagonal sets out to the diagonal of A.
KERNEL void BOUNDS(THREADS) cooledDiagonal(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                           const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                           const Cavity *RESTRICT cavities, const float *RESTRICT far, const int *RESTRICT farSlot,
                                           const int *RESTRICT flowing, double *RESTRICT out) {
  int i = blockX() * THREADS + threadX();
  for (int j = blockY(); i < nx && j < ny; j += gridY()) {
    i64 sheet = (i64)nx * ny, at = (i64)j * nx + i, c = at;
    double below = 0;
    for (int k = 0; k < nz; k++, c += sheet) {
      double up = gz[c], v = (double)gx[c] + gx[c - 1] + gy[c] + gy[c - nx] + up + below;
      int slot = groundSlot[k];
      if (slot >= 0) v += ground[slot * sheet + at];
      if (capacity) v += capacity[c];
      if ((slot = farSlot[k]) >= 0) v += far[slot * sheet + at];
      if (k >= 2 && (slot = farSlot[k - 2]) >= 0) v += far[slot * sheet + at];
      if ((slot = flowing[k]) >= 0) {
        Carry e = carryAt(cavities[slot], i, j, nx, ny);
        v += e.heat * e.own;
      }
      out[c] = v;
      below = up;
    }
  }
}
