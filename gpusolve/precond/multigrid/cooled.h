// Levels of stacks that coolant flows through. An operator has, beside the couplings of neighbours, those of planes k and k+2 (far, in the slots that farSlot
// names) and in planes of coolant heat (x - x_upstream), by upwind differences.
#pragma once
#include "device.h"

// Flow is the coolant of a cavity on a level. heat is what a line carries in W/K, 0 in lines without coolant; line l begins at cell first + l across of the
// plane, and step leads to the next cell downstream. lower, upper and inverse are the factors of its own equations, one tridiagonal system for each line, as
// the plane's cells lie: the entry of a cell towards the one upstream over that one's pivot, that towards the one downstream, and one over the pivot. rest is
// room for a right side.
struct Flow {
  i64 first, across, step;
  int plane, lines, length, axis;
  const float *heat;
  float *lower, *upper, *inverse, *rest;
};

// carriedTo is what coolant brings into cell (i, j) of its plane, of which c is the number, from the cell upstream.
DEVICE float carriedTo(const Flow &f, int i, int j, const float *x, i64 c) {
  int at = f.axis == 0 ? i : j;
  if (at == (f.step > 0 ? 0 : f.length - 1)) return 0;
  return f.heat[f.axis == 0 ? j : i] * x[c - f.step];
}
