// The compact mesh on the device, and what a face of the domain does to its cells.
#pragma once
#include "device.h"

// Properties of a cell: the conductivities of its west, east, south and north half, that along z, and the heat capacity per volume.
enum { WEST, EAST, SOUTH, NORTH, VERTICAL, CAPACITY, ENTRY };

// The mesh, as arrays: cell sizes, and per plane thickness, contact resistance above, and either one palette entry or a slot of index.
struct Mesh {
  int nx, ny, nz;
  const double *dx, *dy, *dz, *contact;
  const u32 *uniform;
  const int *slot;
  const u32 *index;
  // Per plane where its lines start in closedLine, which has a number for each column and one for each row, and -1 where all sides are open; null where that
  // is so in all planes. Heat does not pass the sides of a cell where either is set: cells of coolant, and of porous cavities.
  const int *closed = nullptr, *closedLine = nullptr;
};

// closedAt says whether heat does not pass the sides of a cell.
DEVICE bool closedAt(const Mesh &m, int i, int j, int k) {
  int first = m.closed ? m.closed[k] : -1;
  return first >= 0 && (m.closedLine[first + i] || m.closedLine[first + m.nx + j]);
}

// entryOf is the number of a cell's palette entry.
DEVICE u32 entryOf(const Mesh &m, int i, int j, int k) {
  int slot = m.slot[k];
  return slot < 0 ? m.uniform[k] : m.index[((i64)slot * m.ny + j) * m.nx + i];
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

// Drive is what a face does to one of its cells: see Drive in package mesh. The resistance is negative where no temperature drives the cell.
struct Drive {
  double resistance, rise, flux; // m2K/W, K above the ambient of the stack, W/m2
};

enum { NONE = -1, DRIVE = 3 }; // no resistance, and the numbers of a cell of a face with patches

// drivenCell is what a face with patches does to a cell, null of other faces. resistances are those of the faces in m2K/W, NONE where no temperature
// drives them. Of a face with patches it is instead the place in resistances, negated, where the drives of its cells begin.
DEVICE const double *drivenCell(int face, const Mesh &m, int i, int j, int k, const double *resistances) {
  double first = resistances[face];
  if (first >= NONE) return nullptr;
  i64 cell = face <= TOP ? (i64)j * m.nx + i : face <= EASTFACE ? (i64)k * m.ny + j : (i64)k * m.nx + i;
  return resistances + ((i64)-first + DRIVE * cell);
}

// resistanceAt is that between a face and a cell that lies on it.
DEVICE double resistanceAt(int face, const Mesh &m, int i, int j, int k, const double *resistances) {
  const double *cell = drivenCell(face, m, i, j, k, resistances);
  return cell ? *cell : resistances[face];
}

// driveAt is what a face does to a cell; rise and flux are those of a face without patches.
DEVICE Drive driveAt(int face, const Mesh &m, int i, int j, int k, const double *resistances, double rise, double flux) {
  const double *cell = drivenCell(face, m, i, j, k, resistances);
  if (cell) return {cell[0], cell[1], cell[2]};
  double resistance = resistances[face];
  return {resistance, rise, resistance < 0 ? flux : 0};
}

// lies says whether a cell lies on a face whose temperature drives it; resistances as in drivenCell.
DEVICE bool lies(int face, const Mesh &m, int i, int j, int k, const double *resistances) {
  bool on = face == BOTTOM      ? k == 0
            : face == TOP       ? k == m.nz - 1
            : face == WESTFACE  ? i == 0
            : face == EASTFACE  ? i == m.nx - 1
            : face == SOUTHFACE ? j == 0
                                : j == m.ny - 1;
  return on && resistanceAt(face, m, i, j, k, resistances) >= 0;
}

// halfOf is the resistance in m2K/W between the centre of a cell and a face, own the cell's properties; infinite where heat does not pass.
DEVICE double halfOf(int face, const Mesh &m, int i, int j, int k, const double *own) {
  if (face > TOP && closedAt(m, i, j, k)) return __builtin_huge_val();
  return face <= TOP         ? m.dz[k] / (2 * own[VERTICAL])
         : face == WESTFACE  ? m.dx[i] / (2 * own[WEST])
         : face == EASTFACE  ? m.dx[i] / (2 * own[EAST])
         : face == SOUTHFACE ? m.dy[j] / (2 * own[SOUTH])
                             : m.dy[j] / (2 * own[NORTH]);
}

// faceConductance is area / (resistance + half of the cell), rounded to FP32; resistance in m2K/W, own the cell's properties.
DEVICE float faceConductance(int face, const Mesh &m, int i, int j, int k, double resistance, const double *own) {
  return (float)(faceArea(face, m, i, j, k) / (resistance + halfOf(face, m, i, j, k, own)));
}

// heldConductance is the conductance to a face as ground holds it: see HeldFaceConductance in package mesh, which it follows operation by operation.
// conductance gives those of the cell to its faces.
template <class Conductance>
DEVICE double heldConductance(int face, const Mesh &m, int i, int j, int k, const double *resistances, Conductance conductance) {
  float ground = 0, mine = 0, most = -1;
  int largest = face;
#pragma unroll 1
  for (int f = BOTTOM; f <= NORTHFACE; f++) {
    if (!lies(f, m, i, j, k, resistances)) continue;
    float g = conductance(f);
    ground += g;
    if (f == face) mine = g;
    if (g > most) most = g, largest = f;
  }
  if (face != largest) return mine;
  double rest = ground;
#pragma unroll 1
  for (int f = BOTTOM; f <= NORTHFACE; f++)
    if (f != largest && lies(f, m, i, j, k, resistances)) rest -= conductance(f);
  return rest;
}

// constantHeld is heldConductance where the resistances of the faces are constant.
DEVICE double constantHeld(int face, const Mesh &m, int i, int j, int k, const double *resistances, const double *own) {
  return heldConductance(face, m, i, j, k, resistances, [&](int f) { return faceConductance(f, m, i, j, k, resistanceAt(f, m, i, j, k, resistances), own); });
}
