// Cavities that coolant flows through, and what they add to the operator of a mesh: couplings of planes k and k+2, and the heat that the coolant carries.
#pragma once
#include "device.h"

// Cavity is mesh.Cavity: its planes, the axis along which it flows, and numbers in SI units. along conducts heat along the flow, W/(m K). heat is what a line
// carries in W/K, and wet is 1 where a line holds coolant. films has the coefficients of a line's cells from the west or south on, side, bottom and top of each,
// for each profile; a line has the profile of its number.
struct Cavity {
  int wall, fluid, axis, backward, central, pins, length, none;
  double along, capacity, porosity, height;
  const double *heat, *films;
  const int *wet, *profile;
};

enum { SIDEFILM, FLOORFILM, CEILINGFILM, FILMS };

DEVICE bool porous(const Cavity &c) { return c.wall != c.fluid; }
DEVICE int lineOf(const Cavity &c, int i, int j) { return c.axis == 0 ? j : i; }
DEVICE bool wetAt(const Cavity &c, int i, int j) { return c.wet[lineOf(c, i, j)]; }

// filmAt is the coefficient of a film of cell (i, j), W/(m2 K).
DEVICE double filmAt(const Cavity &c, int i, int j, int film) {
  return c.films[((i64)c.profile[lineOf(c, i, j)] * c.length + (c.axis == 0 ? i : j)) * FILMS + film];
}

// streamwise is the step from a cell to the one downstream.
DEVICE i64 streamwise(const Cavity &c, int nx) {
  i64 step = c.axis == 0 ? 1 : nx;
  return c.backward ? -step : step;
}

// Carry is what the coolant carries out of a cell: heat (own x + up x upstream + down x downstream), with the inlet at zero.
struct Carry {
  double heat, own, up, down;
};

DEVICE Carry carryAt(const Cavity &c, int i, int j, int nx, int ny) {
  int n = c.axis == 0 ? nx : ny, at = c.axis == 0 ? i : j;
  if (c.backward) at = n - 1 - at;
  Carry w = {c.heat[lineOf(c, i, j)], 1, -1, 0};
  if (c.central) {
    w.own = (at == 0 ? 0.5 : 0) + (at == n - 1 ? 0.5 : 0);
    w.up = -0.5;
    w.down = at == n - 1 ? 0 : 0.5;
  }
  if (at == 0) w.up = 0;
  return w;
}

// Cooling is all of it: far holds planes in the slots that farSlot[k] names, -1 where planes k and k+2 are not coupled; flowing[k] is the cavity whose coolant
// is plane k, -1 of others.
struct Cooling {
  const Cavity *cavities;
  const float *far;
  const int *farSlot, *flowing;
};

// beside adds to a row what couplings to neighbours leave out, and to its diagonal. c is the cell, at its place in the plane.
template <class T>
DEVICE double beside(const Cooling &w, int nx, int ny, int i, int j, int k, i64 sheet, i64 at, i64 c, const T *x, double *diagonal) {
  double own = x[c], sum = 0;
  int slot = w.farSlot[k];
  if (slot >= 0) {
    double g = w.far[slot * sheet + at];
    sum += g * (own - x[c + 2 * sheet]);
    *diagonal += g;
  }
  if (k >= 2 && (slot = w.farSlot[k - 2]) >= 0) {
    double g = w.far[slot * sheet + at];
    sum += g * (own - x[c - 2 * sheet]);
    *diagonal += g;
  }
  if ((slot = w.flowing[k]) >= 0) {
    const Cavity &v = w.cavities[slot];
    Carry e = carryAt(v, i, j, nx, ny);
    if (e.heat != 0) {
      i64 step = streamwise(v, nx);
      double flow = e.own * own;
      if (e.up != 0) flow += e.up * x[c - step];
      if (e.down != 0) flow += e.down * x[c + step];
      sum += e.heat * flow;
      *diagonal += e.heat;
    }
  }
  return sum;
}
