// What cavities change in the couplings and capacities of a mesh: package mesh has the discretisation (discretise_cavity.go), whose operations these are in their
// order, so that processor and GPU round the same conductances. Solids gives what the solid in a cell is made of: conductivity(i, j, k, half) and
// capacity(i, j, k).
#pragma once
#include "coolant.h"
#include "mesh.h"

// lateral is the coupling of cell (i, j) of plane k and the next one along an axis.
template <class Solids>
DEVICE double lateral(const Cavity &c, const Mesh &m, const Solids &of, int k, int i, int j, int axis) {
  int ni = axis == 0 ? i + 1 : i, nj = axis == 0 ? j : j + 1;
  double own = axis == 0 ? m.dx[i] : m.dy[j], next = axis == 0 ? m.dx[ni] : m.dy[nj];
  double area = c.height * (axis == 0 ? m.dy[j] : m.dx[i]), distance = (own + next) / 2;
  bool a = false, b = false;
  if (porous(c)) {
    if (axis != c.axis || (k == c.wall && c.pins)) return 0;
    if (k == c.fluid) return c.porosity * c.along * area / distance;
  } else {
    a = wetAt(c, i, j), b = wetAt(c, ni, nj);
    if (a && b) return axis == c.axis ? c.along * area / distance : 0;
  }
  double low = a ? 1 / filmAt(c, i, j, SIDEFILM) : own / (2 * of.conductivity(i, j, k, axis == 0 ? EAST : NORTH));
  double high = b ? 1 / filmAt(c, ni, nj, SIDEFILM) : next / (2 * of.conductivity(ni, nj, k, axis == 0 ? WEST : SOUTH));
  return (porous(c) ? (1 - c.porosity) * area : area) / (low + high);
}

// volumetric is the heat capacity of a cell of a cavity's plane, J/K.
template <class Solids>
DEVICE double volumetric(const Cavity &c, const Mesh &m, const Solids &of, int i, int j, int k) {
  double volume = m.dy[j] * c.height * m.dx[i];
  if (porous(c) && k == c.fluid) return c.capacity * c.porosity * volume;
  if (!porous(c) && wetAt(c, i, j)) return c.capacity * volume;
  double solid = of.capacity(i, j, k);
  return porous(c) ? solid * (1 - c.porosity) * volume : solid * (m.dy[j] * m.dz[k]) * m.dx[i];
}

// coolPlane sets the lateral couplings of a cell of a cavity's plane, and capacity = C/dt where it is not null.
template <class Solids>
DEVICE void coolPlane(const Cavity &c, const Mesh &m, const Solids &of, int i, int j, int k, double dt, float *gx, float *gy, float *capacity) {
  i64 cell = ((i64)k * m.ny + j) * m.nx + i;
  gx[cell] = i + 1 < m.nx ? (float)lateral(c, m, of, k, i, j, 0) : 0;
  gy[cell] = j + 1 < m.ny ? (float)lateral(c, m, of, k, i, j, 1) : 0;
  if (capacity) capacity[cell] = (float)(volumetric(c, m, of, i, j, k) / dt);
}

// joint is a coupling at the floor or the ceiling of a porous cavity, per area: solid, walls and coolant meet in a point without capacity.
DEVICE double joint(double a, double b, double sum) { return a * b / sum; }

// coolColumn sets the couplings along z above and below the planes of a cavity in column (i, j), those across a porous cavity's walls and coolant among them.
template <class Solids>
DEVICE void coolColumn(const Cavity &c, const Mesh &m, const Solids &of, int i, int j, const int *farSlot, float *gz, float *far) {
  int low = c.wall - 1, high = c.fluid + 1;
  i64 sheet = (i64)m.nx * m.ny, at = (i64)j * m.nx + i;
  double area = m.dx[i] * m.dy[j], below = m.dz[low] / (2 * of.conductivity(i, j, low, VERTICAL)),
         above = m.dz[high] / (2 * of.conductivity(i, j, high, VERTICAL)), wall = of.conductivity(i, j, c.wall, VERTICAL);
  double lower = filmAt(c, i, j, FLOORFILM), upper = filmAt(c, i, j, CEILINGFILM);
  if (!porous(c)) {
    bool wet = wetAt(c, i, j);
    double half = m.dz[c.wall] / (2 * wall);
    gz[low * sheet + at] = (float)(area / (below + m.contact[low] + (wet ? 1 / lower : half)));
    gz[c.wall * sheet + at] = (float)(area / ((wet ? 1 / upper : half) + m.contact[c.wall] + above));
    return;
  }
  double walls = (1 - c.porosity) * wall / (c.height / 2), floor = 1 / (below + m.contact[low]), ceiling = 1 / (above + m.contact[c.fluid]);
  double bottom = floor + walls + lower, top = ceiling + walls + upper;
  gz[low * sheet + at] = (float)(area * joint(floor, walls, bottom));
  gz[c.wall * sheet + at] = (float)(area * (joint(walls, lower, bottom) + joint(walls, upper, top)));
  gz[c.fluid * sheet + at] = (float)(area * joint(ceiling, upper, top));
  far[farSlot[low] * sheet + at] = (float)(area * joint(floor, lower, bottom));
  far[farSlot[c.wall] * sheet + at] = (float)(area * joint(ceiling, walls, top));
}
