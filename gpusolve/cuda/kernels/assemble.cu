// From the mesh's compact planes to couplings, in FP64 and rounded to FP32 at the end.
#include "mesh.h"

enum { THREADS = 128 };

DEVICE const double *material(const Mesh &m, const double *palette, int i, int j, int k) {
  return palette + (i64)entryOf(m, i, j, k) * ENTRY;
}

// couplings fills gx, gy and gz, and capacity = C/dt where it is not null.
KERNEL void BOUNDS(THREADS) couplings(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                      const u32 *uniform, const int *slot, const u32 *index, const double *palette, double dt, float *gx, float *gy,
                                      float *gz, float *capacity) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index};
  BlockAt at = blockAt(tiles(nx, THREADS), ny);
  int i = at.x * THREADS + threadX(), j = at.y, k = at.z;
  if (i >= nx) return;
  i64 c = ((i64)k * ny + j) * nx + i;
  const double *own = material(m, palette, i, j, k);
  double x = dx[i], y = dy[j], z = dz[k];
  gx[c] = i + 1 < nx ? (float)(y * z / (x / (2 * own[EAST]) + dx[i + 1] / (2 * material(m, palette, i + 1, j, k)[WEST]))) : 0;
  gy[c] = j + 1 < ny ? (float)(x * z / (y / (2 * own[NORTH]) + dy[j + 1] / (2 * material(m, palette, i, j + 1, k)[SOUTH]))) : 0;
  gz[c] = k + 1 < nz ? (float)(x * y / (z / (2 * own[VERTICAL]) + contact[k] + dz[k + 1] / (2 * material(m, palette, i, j, k + 1)[VERTICAL]))) : 0;
  if (capacity) capacity[c] = (float)(own[CAPACITY] * (y * z) * x / dt);
}

// ground adds a face's conductances to ground and the heat that its temperature (rise above ambient) or flux drives into the cells to inflow.
KERNEL void BOUNDS(THREADS) groundFace(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                       const u32 *uniform, const int *slot, const u32 *index, const double *palette, const int *closed,
                                       const int *closedLine, int face, int na, const double *resistances, double rise, double flux,
                                       float *ground, const int *groundSlot, double *inflow, const int *inflowSlot) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, closed, closedLine};
  BlockAt tile = blockAt(tiles(na, THREADS));
  int a = tile.x * THREADS + threadX(), i, j, k;
  if (a >= na) return;
  onFace(face, a, tile.y, m, &i, &j, &k);
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i;
  Drive d = driveAt(face, m, i, j, k, resistances, rise, flux);
  if (d.flux != 0) inflow[inflowSlot[k] * sheet + at] += d.flux * faceArea(face, m, i, j, k);
  if (d.resistance < 0) return;
  ground[groundSlot[k] * sheet + at] += faceConductance(face, m, i, j, k, d.resistance, material(m, palette, i, j, k));
  if (d.rise != 0) inflow[inflowSlot[k] * sheet + at] += constantHeld(face, m, i, j, k, resistances, material(m, palette, i, j, k)) * d.rise;
}

// faceHeat sets scalars[SCRATCH] to the heat that leaves through a face, from the rows from first up to end.
KERNEL void BOUNDS(THREADS) faceHeat(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                     const u32 *uniform, const int *slot, const u32 *index, const double *palette, const int *closed,
                                     const int *closedLine, int face, int na, int nb, const double *resistances, double rise, double flux, const double *x, double *partial, double *scalars, u32 *ticket,
                                     int first, int end) {
  SHARED double lines[32];
  SHARED int last;
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, closed, closedLine};
  int a = blockX() * THREADS + threadX(), i, j, k;
  double s = 0;
  for (int b = blockY(); a < na && b < nb; b += gridY()) {
    onFace(face, a, b, m, &i, &j, &k);
    if (j < first || j >= end) continue;
    Drive d = driveAt(face, m, i, j, k, resistances, rise, flux);
    if (d.flux != 0) s -= d.flux * faceArea(face, m, i, j, k);
    if (d.resistance >= 0) s += constantHeld(face, m, i, j, k, resistances, material(m, palette, i, j, k)) * (x[((i64)k * ny + j) * nx + i] - d.rise);
  }
  s = sumBlock(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}
