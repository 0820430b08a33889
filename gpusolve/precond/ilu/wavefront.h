// Wavefronts over a grid whose cells depend on lower neighbours: the schedule, and the layout of fields that it needs.
//
// Order 0 is the star: cell (i,j,k) depends on (i-1,j,k), (i,j-1,k) and (i,j,k-1), its level is i + j + k. Order 1 is the diamond, which has
// (i+1,j-1,k), (i+1,j,k-1) and (i,j+1,k-1) too, and level i + 2j + 3k. A thread has a column (j,k) and marches i. Threads lie on the plane (p,q)
// with p = j + ORDER k and q = k: there, dependencies point at lower p and q alone, so that tiles of the plane form no cycle.
//
// Layout by levels: cell (i,j,k) of level l is at ((l mod nx) nz + k) ny + j. The levels of a column are nx numbers in a row, so the modulus
// makes the layout as large as the field, and the cells of a level that share k are neighbours in memory.
//
// Upper solves run the same way through the grid turned round: primed coordinates are i' = nx-1-i and so on.
#pragma once
#include "device.h"

#define METHOD inline __attribute__((device, always_inline))

// The plan has PLAN numbers for each tile, in the order in which tiles are taken: its first column, the levels of its cells, and the places in the
// plan of the three tiles that it waits for, -1 where there is none.
#define TILE_P 0
#define TILE_Q 1
#define FIRST_LEVEL 2
#define LAST_LEVEL 3
#define LEFT 4 // and BELOW, CORNER

#define ALL_LEVELS 0x7fffffff

DEVICE int acquire(const int *flag) {
  int v;
  asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
  return v;
}

DEVICE void release(int *flag, int v) { asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(flag), "r"(v) : "memory"); }

// PATIENCE is how often a flag is read before the kernel gives up, which takes more than ten seconds: waiting has an end even if a driver
// should break the order in which tiles are taken.
#define PATIENCE (1 << 25)

// await waits until a tile has completed the levels below `until`.
DEVICE void await(const int *flag, int until) {
#pragma clang loop unroll(disable)
  for (int n = 0; acquire(flag) < until; n++)
    if (n == PATIENCE) __builtin_trap();
}

// take gives the block the next tile of the plan. state[0] counts tiles taken, state[1..] are the tiles' flags: levels below the flag are
// complete. Tiles are planned after those that they wait for, so every tile that another waits for has a block that runs already.
DEVICE int take(int *state, int *shared) {
  if (threadX() == 0) *shared = __nvvm_atom_add_gen_i(state, 1);
  barrier();
  return *shared;
}

// Place of a thread in the grid.
struct Column {
  int j, k;     // primed; -1 for a thread without a column
  int base;     // level of the cell i' = 0
  bool valid;
  i64 at;       // place within a slab of the layout
};

template <int ORDER> DEVICE Column columnAt(int p, int q, int ny, int nz, bool turned) {
  Column c;
  c.k = q;
  c.j = p - ORDER * q;
  c.base = (1 + ORDER) * p + q;
  c.valid = p >= 0 && q >= 0 && c.j >= 0 && c.j < ny && q < nz;
  int j = turned ? ny - 1 - c.j : c.j, k = turned ? nz - 1 - q : q;
  c.at = (i64)k * ny + j;
  return c;
}

// slab of a level, negative levels included.
DEVICE int slabOf(int level, int nx) {
  int s = level % nx;
  return s < 0 ? s + nx : s;
}
