// From the mesh's compact planes to couplings, in FP64 and rounded to FP32 at the end.
#include "device.h"

enum { THREADS = 128 };

// Palette entries hold the conductivities of a cell's west, east, south and north half, that along z, and the heat capacity per volume.
enum { WEST, EAST, SOUTH, NORTH, VERTICAL, CAPACITY, ENTRY };

// The mesh, as arrays: cell sizes, and per plane thickness, contact resistance above, and either one palette entry or a slot of index.
struct Mesh {
  int nx, ny, nz;
  const double *dx, *dy, *dz, *contact;
  const u32 *uniform;
  const int *slot;
  const u32 *index;
  const double *palette;
};

DEVICE const double *material(const Mesh &m, int i, int j, int k) {
  int slot = m.slot[k];
  u32 id = slot < 0 ? m.uniform[k] : m.index[((i64)slot * m.ny + j) * m.nx + i];
  return m.palette + (i64)id * ENTRY;
}

// couplings fills gx, gy and gz, and capacity = C/dt where it is not null.
KERNEL void BOUNDS(THREADS) couplings(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                      const u32 *uniform, const int *slot, const u32 *index, const double *palette, double dt, float *gx, float *gy,
                                      float *gz, float *capacity) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, palette};
  BlockAt at = blockAt(tiles(nx, THREADS), ny);
  int i = at.x * THREADS + threadX(), j = at.y, k = at.z;
  if (i >= nx) return;
  i64 c = ((i64)k * ny + j) * nx + i;
  const double *own = material(m, i, j, k);
  double x = dx[i], y = dy[j], z = dz[k];
  gx[c] = i + 1 < nx ? (float)(y * z / (x / (2 * own[EAST]) + dx[i + 1] / (2 * material(m, i + 1, j, k)[WEST]))) : 0;
  gy[c] = j + 1 < ny ? (float)(x * z / (y / (2 * own[NORTH]) + dy[j + 1] / (2 * material(m, i, j + 1, k)[SOUTH]))) : 0;
  gz[c] = k + 1 < nz ? (float)(x * y / (z / (2 * own[VERTICAL]) + contact[k] + dz[k + 1] / (2 * material(m, i, j, k + 1)[VERTICAL]))) : 0;
  if (capacity) capacity[c] = (float)(own[CAPACITY] * (y * z) * x / dt);
}

// Faces in the order of stack.Face.
enum { BOTTOM, TOP, WESTFACE, EASTFACE, SOUTHFACE, NORTHFACE };

// onFace is the cell of a face that counts along (a, b): (i, j) on bottom and top, (j, k) on west and east, (i, k) on south and north.
DEVICE void onFace(int face, int a, int b, const Mesh &m, int *i, int *j, int *k) {
  *i = face == WESTFACE ? 0 : face == EASTFACE ? m.nx - 1 : a;
  *j = face == SOUTHFACE ? 0 : face == NORTHFACE ? m.ny - 1 : face <= TOP ? b : a;
  *k = face == BOTTOM ? 0 : face == TOP ? m.nz - 1 : b;
}

DEVICE double faceArea(int face, const Mesh &m, int i, int j, int k) {
  return face <= TOP ? m.dx[i] * m.dy[j] : face <= EASTFACE ? m.dy[j] * m.dz[k] : m.dx[i] * m.dz[k];
}

// lies says whether a cell lies on a face that a temperature drives. resistances are those of the faces in m2K/W, negative where none drives them.
DEVICE bool lies(int face, const Mesh &m, int i, int j, int k, const double *resistances) {
  bool on = face == BOTTOM      ? k == 0
            : face == TOP       ? k == m.nz - 1
            : face == WESTFACE  ? i == 0
            : face == EASTFACE  ? i == m.nx - 1
            : face == SOUTHFACE ? j == 0
                                : j == m.ny - 1;
  return on && resistances[face] >= 0;
}

// faceConductance is area / (resistance + half of the cell), rounded to FP32; resistance in m2K/W.
DEVICE float faceConductance(int face, const Mesh &m, int i, int j, int k, double resistance) {
  const double *own = material(m, i, j, k);
  double half = face <= TOP            ? m.dz[k] / (2 * own[VERTICAL])
                : face == WESTFACE     ? m.dx[i] / (2 * own[WEST])
                : face == EASTFACE     ? m.dx[i] / (2 * own[EAST])
                : face == SOUTHFACE    ? m.dy[j] / (2 * own[SOUTH])
                                       : m.dy[j] / (2 * own[NORTH]);
  return (float)(faceArea(face, m, i, j, k) / (resistance + half));
}

// heldConductance is the conductance to a face as ground holds it: see HeldFaceConductance in package mesh, which it follows operation by operation.
DEVICE double heldConductance(int face, const Mesh &m, int i, int j, int k, const double *resistances) {
  float ground = 0, own = 0, most = -1;
  int largest = face;
#pragma unroll 1
  for (int f = BOTTOM; f <= NORTHFACE; f++) {
    if (!lies(f, m, i, j, k, resistances)) continue;
    float g = faceConductance(f, m, i, j, k, resistances[f]);
    ground += g;
    if (f == face) own = g;
    if (g > most) most = g, largest = f;
  }
  if (face != largest) return own;
  double rest = ground;
#pragma unroll 1
  for (int f = BOTTOM; f <= NORTHFACE; f++)
    if (f != largest && lies(f, m, i, j, k, resistances)) rest -= faceConductance(f, m, i, j, k, resistances[f]);
  return rest;
}

// ground adds a face's conductances to ground and the heat that its temperature (rise above ambient) or flux drives into the cells to inflow.
KERNEL void BOUNDS(THREADS) groundFace(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                       const u32 *uniform, const int *slot, const u32 *index, const double *palette, int face, int na,
                                       const double *resistances, double rise, double flux, float *ground, const int *groundSlot, double *inflow,
                                       const int *inflowSlot) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, palette};
  BlockAt tile = blockAt(tiles(na, THREADS));
  int a = tile.x * THREADS + threadX(), i, j, k;
  if (a >= na) return;
  onFace(face, a, tile.y, m, &i, &j, &k);
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i;
  if (resistances[face] < 0) {
    inflow[inflowSlot[k] * sheet + at] += flux * faceArea(face, m, i, j, k);
    return;
  }
  ground[groundSlot[k] * sheet + at] += faceConductance(face, m, i, j, k, resistances[face]);
  if (rise != 0) inflow[inflowSlot[k] * sheet + at] += heldConductance(face, m, i, j, k, resistances) * rise;
}

// faceHeat sets scalars[SCRATCH] to the heat that leaves through a face.
KERNEL void BOUNDS(THREADS) faceHeat(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                     const u32 *uniform, const int *slot, const u32 *index, const double *palette, int face, int na,
                                     int nb, const double *resistances, double rise, double flux, const double *x, double *partial, double *scalars, u32 *ticket) {
  SHARED double lines[32];
  SHARED int last;
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, palette};
  int a = blockX() * THREADS + threadX(), i, j, k;
  double s = 0;
  for (int b = blockY(); a < na && b < nb; b += gridY()) {
    onFace(face, a, b, m, &i, &j, &k);
    s += resistances[face] < 0 ? -flux * faceArea(face, m, i, j, k)
                               : heldConductance(face, m, i, j, k, resistances) * (x[((i64)k * ny + j) * nx + i] - rise);
  }
  s = sumBlock(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}
