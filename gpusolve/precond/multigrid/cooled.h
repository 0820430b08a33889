// Levels of stacks that coolant flows through. An operator has, beside the couplings of neighbours, those of planes k and k+2 (far, in the slots that farSlot
// names) and in planes of coolant heat (x - x_upstream), by upwind differences.
#pragma once
#include "device.h"

// Flow is the coolant of a cavity on a level: its plane, the axis along which it flows, the step from a cell to the one downstream and the cells along it. heat
// is what a line carries in W/K, and wet is 1 where a line holds coolant.
struct Flow {
  i64 step;
  int plane, axis, length, none;
  const float *heat;
  const int *wet;
};

// carriedTo is what coolant brings into cell (i, j) of its plane, of which c is the number, from the cell upstream.
DEVICE float carriedTo(const Flow &f, int i, int j, const float *x, i64 c) {
  int at = f.axis == 0 ? i : j;
  if (at == (f.step > 0 ? 0 : f.length - 1)) return 0;
  return f.heat[f.axis == 0 ? j : i] * x[c - f.step];
}
