// What the kernels of the randomised Cholesky factor share: a warp's lanes, and accesses that other warps see.
#pragma once
#include "device.h"

DEVICE u32 ballot(int p) { return __nvvm_vote_ballot_sync(-1, p); }
DEVICE void syncWarp() { __nvvm_bar_warp_sync(-1); }
DEVICE u32 laneBit() { return 1u << (threadX() & 31); }
DEVICE int bitsBelow(u32 mask) { return __builtin_popcount(mask & (laneBit() - 1)); }
DEVICE int fromLane(int v, int lane) { return __nvvm_shfl_sync_idx_i32(-1, v, lane, 31); }
DEVICE i64 fromLane64(i64 v, int lane) { return (i64)(u32)fromLane((int)v, lane) | (i64)fromLane((int)(v >> 32), lane) << 32; }
DEVICE int smallestOfWarp(int v) {
  for (int by = 16; by; by >>= 1) {
    int o = __nvvm_shfl_sync_bfly_i32(-1, v, by, 31);
    v = o < v ? o : v;
  }
  return v;
}

// Strong accesses read and write what other warps do at the same time, past the first-level cache.
DEVICE u32 strong(const u32 *p) { return *(const volatile u32 *)p; }
DEVICE u64 strong(const u64 *p) { return *(const volatile u64 *)p; }
DEVICE void setStrong(u32 *p, u32 v) { *(volatile u32 *)p = v; }
DEVICE u64 add(u64 *p, u64 v) { return (u64)__nvvm_atom_add_gen_ll((i64 *)p, (i64)v); }
DEVICE u32 add(u32 *p, u32 v) { return (u32)__nvvm_atom_add_gen_i((int *)p, (int)v); }
DEVICE void raise(int *p, int v) { __nvvm_atom_max_gen_i(p, v); }
DEVICE void sleep(u32 ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

// mix is the finaliser of SplitMix64, as in package ordering.
#define GOLDEN 0x9e3779b97f4a7c15ull
DEVICE u64 mix(u64 z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// permuted is ordering.Permutation: the image of i < n under the permutation of two keys. width is the number of bits of n - 1, at least 1.
DEVICE u32 permuted(u32 i, u32 n, int width, u64 key0, u64 key1) {
  u32 mask = (u32)((1ull << width) - 1), shift = (u32)(width + 1) / 2;
  do {
    i = (i * 0x9e3779b1u + (u32)key0) & mask;
    i ^= i >> shift;
    i = (i * 0x85ebca77u + (u32)(key0 >> 32)) & mask;
    i ^= i >> shift;
    i = (i * 0xc2b2ae3du + (u32)key1) & mask;
    i ^= i >> shift;
    i = (i * 0x27d4eb2fu + (u32)(key1 >> 32)) & mask;
    i ^= i >> shift;
  } while (i >= n);
  return i;
}

// Vertex is the state of a vertex of the graph in elimination, by its place in the order.
struct Vertex {
  u64 state;   // edges to earlier vertices by multiplicity, plus 2^32 times the edges in its list
  u64 ground;  // in units of 2^unit
  int level;   // 1 + the highest level among its eliminated neighbours
  int rows;    // entries of its row of G
  int height;  // like level, along the elimination tree alone
  int unit;
};

// What the blocks of an elimination share.
enum { ControlTail, ControlHead, ControlOutput, ControlScratch, ControlFault, ControlBad, ControlDepth, ControlTree, ControlDegree, Controls };

// Reasons of ControlFault, and of ControlBad.
enum { FaultNoSlot = 1, FaultNoOutput = 2, FaultNoScratch = 4, FaultGround = 8, FaultWaited = 16, FaultLost = 32 };
enum { BadPositive = 1, BadAsymmetric, BadNotDominant, BadDiagonal };
