// Kernels that each do one thing wrong, and neighbours of theirs that do it right.
#include "cuda.h"

KERNEL void store(float *p, i64 i) { p[i + tid()] = 1; }
KERNEL void storeBytes(char *p, i64 i) { *(volatile float *)(p + i) = 1; }
KERNEL void load(const float *p, float *q) { q[tid()] = p[tid()]; }

KERNEL void sharedOverrun(float *q, int i) {
  SHARED float s[16];
  s[tid() + i] = 1;
  barrier();
  q[tid()] = s[tid()];
}
KERNEL void sharedUnwritten(float *q, int n) {
  SHARED float s[32];
  if (tid() < n) s[tid()] = 1;
  barrier();
  q[tid()] = s[31 - tid()];
}
KERNEL void localUnwritten(const int *at, int *q) {
  int a[8];
  for (int k = 0; k < 7; k++) a[at[k]] = k;
  q[tid()] = a[at[7]];
}
KERNEL void divide(int *q, int n) { q[tid()] = 100 / (n - tid()); }
KERNEL void giveUp(int *q, int n) {
  if (tid() == n) __builtin_trap();
  q[tid()] = 1;
}

// Barriers that not all threads reach: an early end, a branch, one of two barriers.
KERNEL void barrierAfterEnd(float *q, int n) {
  SHARED float s[64];
  if (tid() >= n) return;
  s[tid()] = 1;
  barrier();
  q[tid()] = s[tid()];
}
KERNEL void barrierInBranch(float *q, int n) {
  SHARED float s[64];
  s[tid()] = 1;
  if (tid() < n) barrier();
  q[tid()] = s[tid()];
}
KERNEL void twoBarriers(volatile float *q, int n) {
  if (tid() < n) {
    q[tid()] = 1;
    barrier();
    q[tid()] = 2;
  } else {
    q[tid()] = 3;
    barrier();
  }
}
KERNEL void shuffleInBranch(int *q, int n) {
  int v = tid();
  if (tid() < n) v = __nvvm_shfl_sync_bfly_i32(-1, v, 1, 31);
  else v = __nvvm_shfl_sync_bfly_i32(-1, v + 5, 2, 31);
  q[tid()] = v;
}
KERNEL void shuffleFromNobody(int *q) { q[tid()] = __nvvm_shfl_sync_down_i32(0xffff, tid(), 1, 31); }

// Races in shared memory: the neighbour's value, with and without the barrier between.
KERNEL void sharedRace(float *q) {
  SHARED float s[64];
  s[tid()] = tid();
  q[tid()] = s[tid() ^ 1];
}
KERNEL void sharedOrdered(float *q) {
  SHARED float s[64];
  s[tid()] = tid();
  barrier();
  q[tid()] = s[tid() ^ 1];
  barrier();
  s[tid()] = 2;
}
// The second barrier is missing: a fast warp overwrites what a slow one has not read.
KERNEL void sharedReuse(float *q) {
  SHARED float s[64];
  s[tid()] = tid();
  barrier();
  q[tid()] = s[63 - tid()];
  s[tid()] = 2;
}
// Within a warp its own barrier is enough.
KERNEL void warpOrdered(float *q) {
  SHARED float s[64];
  s[tid()] = tid();
  __nvvm_bar_warp_sync(-1);
  float v = s[tid() ^ 1] + s[tid() & 32];
  __nvvm_bar_warp_sync(-1);
  s[tid()] = v;
  q[tid()] = v;
}
KERNEL void warpRace(float *q) {
  SHARED float s[64];
  s[tid()] = 0;
  barrier();
  s[tid()] = tid();
  __nvvm_bar_warp_sync(-1);
  q[tid()] = s[tid() ^ 32];
}

// Races in global memory. Blocks are not ordered within a launch.
KERNEL void globalRace(float *p, int shift) { p[bid() * threads() + tid()] = p[(bid() * threads() + tid() + shift) % (threads() * blocks())] + 1; }
KERNEL void sameWord(float *p) { p[0] = bid(); }
KERNEL void bytes(unsigned char *p) { p[bid() * threads() + tid()] += 1; }
KERNEL void atomicAndPlain(u32 *p, u32 *q) {
  if (bid() == 0) __nvvm_atom_add_gen_i((int *)p, 1);
  else q[tid()] = *p;
}
// The cache for read-only memory does not see what the launch writes.
KERNEL void readOnlyWritten(float *p, float *q) {
  p[tid()] = 1;
  float v;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p + tid()) : "memory");
  q[tid()] = v;
}

// Message passing from block 0 to block 1: right with release and acquire or with fences, wrong without.
KERNEL void message(int how, u32 *flag, float *data, float *out) {
  if (bid() == 0) {
    data[tid()] = tid();
    if (how != 3) barrier(); // 3: nobody waits for the other threads of the block
    if (tid() == 0) {
      if (how == 0 || how == 3) release(flag, 1);
      if (how == 1 || how == 4) fence();
      if (how != 0 && how != 3) *(volatile u32 *)flag = 1;
    }
    return;
  }
  if (tid() == 0) {
    if (how == 0 || how == 3) while (!acquire(flag));
    else while (!*(volatile u32 *)flag);
    if (how == 1) fence(); // 2 and 4: no fence here
  }
  barrier();
  out[tid()] = data[tid()];
}

// lastBlock adds the partial sums of all blocks in the block that comes last, as the kernels of a solver do. fenced = 0 leaves out the fence.
KERNEL void lastBlock(int fenced, const float *__restrict__ x, volatile float *partial, u32 *ticket, float *out) {
  SHARED int last;
  if (tid() == 0) {
    float s = 0;
    for (int i = 0; i < 8; i++) s += x[8 * bid() + i];
    *(float *)(partial + bid()) = s;
    if (fenced) fence();
    last = __nvvm_atom_add_gen_i((int *)ticket, 1) == blocks() - 1;
    fence();
  }
  barrier();
  if (last && tid() == 0) {
    float s = 0;
    for (int b = 0; b < blocks(); b++) s += partial[b];
    *out = s;
    *(volatile u32 *)ticket = 0;
  }
}

// spin waits for a flag that another block sets, or nobody.
KERNEL void spin(volatile u32 *flag, int setter) {
  if (bid() == setter) *flag = 1;
  else while (*flag == 0);
}
// pingPong: blocks take turns until the count is reached.
KERNEL void pingPong(volatile u32 *turn, int n) {
  for (int k = bid(); k < n; k += blocks()) {
    while (*turn != (u32)k);
    *turn = k + 1;
  }
}
// lanesWait: lanes of one warp wait for each other.
KERNEL void lanesWait(volatile u32 *turn) {
  while (*turn != (u32)tid());
  *turn = tid() + 1;
}
// order lets blocks write down in which order they came.
KERNEL void order(u32 *ticket, u32 *out) { out[bid() * threads() + tid()] = __nvvm_atom_add_gen_i((int *)ticket, 1); }
