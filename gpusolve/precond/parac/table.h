// The hash table of edges that wait for the elimination of their earlier end. AHEAD comes from parac.cu.
#pragma once
#include "warp.h"

// Table is the hash table of edges that wait: owner[s] is 0 for a free slot, else the place of the earlier end plus 1; slot s holds the later end and the
// origin, and the weight. Slots come in pieces of 32, as a warp reads them. Every vertex goes through the pieces in another order, from its home on in
// equal steps (the number of pieces is prime), so that long lists do not collide. It looks for its edges until it has as many as were counted. No slot
// needs a state between free and occupied: its owner reads it only after the count of edges shows that all writers are done.
struct Table {
  u32 *owner;
  u64 *slots;
  u32 *reached; // the last piece of a vertex's order that was needed so far
  u32 pieces, stride, n;
  int width;
  u64 key0, key1;
};

DEVICE u32 homeOf(const Table &t, u32 k) { return permuted(k, t.n, t.width, t.key0, t.key1) * t.stride; }
DEVICE u32 stepOf(const Table &t, u32 k) { return 1 + (u32)mix(t.key0 + k) % (t.pieces - 1); }

// Waiting is an edge on its way into the table.
struct Waiting {
  u32 slot, earlier; // earlier is the place of its earlier end plus 1, 0 for none
  u64 key;
  double w;
};

DEVICE u32 take(const Table &t, u32 slot, u32 owner) { return (u32)__nvvm_atom_cas_gen_i((int *)t.owner + slot, 0, (int)owner); }

// freeIn is the set of free slots of a piece.
DEVICE u32 freeIn(const Table &t, u32 piece) {
  const u32 *at = t.owner + (u64)piece * 32;
  u32 open = 0;
#pragma unroll
  for (int q = 0; q < 32; q += 4) {
    u32 a, b, c, d;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at + q) : "memory");
    open |= (u32)(a == 0) << q | (u32)(b == 0) << (q + 1) | (u32)(c == 0) << (q + 2) | (u32)(d == 0) << (q + 3);
  }
  return open;
}

// findSlot finds a slot for an edge whose first choice was taken. It returns ~0 where there is none.
DEVICE u32 findSlot(const Table &t, const Waiting &w) {
  u32 k = w.earlier - 1, step = stepOf(t, k), j = strong(t.reached + k), first = j;
  u32 piece = (u32)((homeOf(t, k) / 32 + (u64)j * step) % t.pieces);
  for (; j < t.pieces && j - first < 1u << 12; j++) {
    for (u32 open = freeIn(t, piece); open;) {
      u32 later = open & ~0u << (w.slot & 31); // from the first choice on, so that not all try the same
      u32 bit = (u32)__builtin_ctz(later ? later : open);
      if (take(t, piece * 32 + bit, w.earlier) == 0) {
        if (j > first) __nvvm_atom_max_gen_ui(t.reached + k, j);
        return piece * 32 + bit;
      }
      open &= ~(1u << bit);
    }
    piece += step;
    if (piece >= t.pieces) piece -= t.pieces;
  }
  return ~0u;
}

// insert puts AHEAD edges a lane into the table; their first attempts are on their way together.
DEVICE int insert(const Table &t, Waiting *w) {
  u32 before[AHEAD];
#pragma unroll
  for (int j = 0; j < AHEAD; j++) before[j] = w[j].earlier ? take(t, w[j].slot, w[j].earlier) : 0;
  int fits = 1;
#pragma unroll
  for (int j = 0; j < AHEAD; j++) {
    u32 s = before[j] ? findSlot(t, w[j]) : w[j].slot;
    if (s == ~0u) fits = 0;
    else if (w[j].earlier)
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(t.slots + 2 * (u64)s), "l"(w[j].key), "l"(__builtin_bit_cast(u64, w[j].w)) : "memory");
  }
  return fits;
}
