// What kernels need of CUDA, without the toolkit's headers: clang compiles these files alone.
//
// Layout of fields: x fastest, then y, then z, with a pad of nx values before and after. The neighbours of any cell can be read without asking whether
// they exist, because couplings to those that do not are zero: gx[c] couples c and c+1, gy[c] c and c+nx, gz[c] c and c+nx*ny. Pointers that
// kernels take point at the first cell, behind the pad. Offsets are 64-bit.
#pragma once

#define DEVICE static inline __attribute__((device, always_inline))
#define KERNEL extern "C" __attribute__((global))
// BOUNDS(threads) or BOUNDS(threads, blocks): that number of blocks must fit on a multiprocessor at a time.
#define BOUNDS(...) __attribute__((launch_bounds(__VA_ARGS__)))
// DYNAMIC follows BOUNDS of a kernel that takes shared memory at its launch: its launcher asks for the bytes. DYNAMIC_SHARED declares the array.
#define DYNAMIC
#define DYNAMIC_SHARED extern __attribute__((shared))
#define SHARED __attribute__((shared))
#define RESTRICT __restrict__

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

DEVICE int threadX() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int blockX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE int blockY() { return __nvvm_read_ptx_sreg_ctaid_y(); }
DEVICE int blockZ() { return __nvvm_read_ptx_sreg_ctaid_z(); }
DEVICE int gridX() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE int gridY() { return __nvvm_read_ptx_sreg_nctaid_y(); }
DEVICE int gridZ() { return __nvvm_read_ptx_sreg_nctaid_z(); }

// A driver takes at most 65,535 blocks along y and z, and 2^31-1 along x. Where a launch would need more rows or planes, its blocks stand in one row,
// those along x first.
struct BlockAt {
  int x, y, z;
};
DEVICE int tiles(int n, u32 each) { return (n + each - 1) / each; }

// blockAt is the position of a block in planes of along by rows blocks. Both are uniform, and so is the branch: launches as usual pay for a comparison.
DEVICE BlockAt blockAt(int along, int rows) {
  if (gridX() == along) return {blockX(), blockY(), blockZ()};
  u32 n = blockX(), row = n / (u32)along, z = row / (u32)rows;
  return {(int)(n - row * along), (int)(row - z * rows), (int)z};
}

// blockAt is the place of a block in a plane.
DEVICE BlockAt blockAt(int along) {
  if (gridX() == along) return {blockX(), blockY(), 0};
  u32 n = blockX(), row = n / (u32)along;
  return {(int)(n - row * along), (int)row, 0};
}

DEVICE void barrier() { __syncthreads(); }
DEVICE void fence() { __nvvm_membar_gl(); }

DEVICE double shuffleDown(double v, int by) {
  u64 bits = __builtin_bit_cast(u64, v);
  u32 lo = __nvvm_shfl_sync_down_i32(0xffffffffu, (int)(u32)bits, by, 31);
  u32 hi = __nvvm_shfl_sync_down_i32(0xffffffffu, (int)(u32)(bits >> 32), by, 31);
  return __builtin_bit_cast(double, (u64)hi << 32 | lo);
}
DEVICE double larger(double a, double b) { return a > b ? a : b; }
// hotter is larger where what is not a number must not be passed over.
DEVICE double hotter(double a, double b) { return a > b || a != a ? a : b; }

// The loops over the lanes of a warp in reductions are not unrolled: they take a few nanoseconds of a kernel, and as much of its compilation as all else.

// sumBlock adds one value of each of the block's threads in a fixed order; thread 0 has the sum. lines is shared memory of 32 values.
DEVICE double sumBlock(double v, double *lines, int threads) {
#pragma unroll 1
  for (int by = 16; by; by >>= 1) v += shuffleDown(v, by);
  int t = threadX();
  if (t % 32 == 0) lines[t / 32] = v;
  barrier();
  if (t < 32) {
    v = t < threads / 32 ? lines[t] : 0;
#pragma unroll 1
    for (int by = 16; by; by >>= 1) v += shuffleDown(v, by);
  }
  barrier();
  return v;
}

template <double (*pick)(double, double) = larger> DEVICE double maxBlock(double v, double *lines, int threads) {
#pragma unroll 1
  for (int by = 16; by; by >>= 1) v = pick(v, shuffleDown(v, by));
  int t = threadX();
  if (t % 32 == 0) lines[t / 32] = v;
  barrier();
  if (t < 32) {
    v = t < threads / 32 ? lines[t] : lines[0];
#pragma unroll 1
    for (int by = 16; by; by >>= 1) v = pick(v, shuffleDown(v, by));
  }
  barrier();
  return v;
}

// lastBlock publishes the block's partial results, written by thread 0 before, and returns to all of its threads whether the block is the last of the
// grid to do so. The ticket returns to zero for the next launch.
DEVICE int lastBlock(u32 *ticket, u32 blocks, int *last) {
  if (threadX() == 0) {
    fence();
    u32 n = (u32)__nvvm_atom_add_gen_i((int *)ticket, 1);
    *last = n == blocks - 1;
    if (*last) *(volatile u32 *)ticket = 0;
    fence();
  }
  barrier();
  return *last;
}

// The scalars of an iteration, as doubles in device memory. BiCGSTAB has others from PENDING on: an iteration is one or the other.
// Ranks agree on an interrupt by ASKED and ENDED.
enum { RZ, BETA, PQ, ALPHA, RR, MAXZ, BB, FLOOR, SCRATCH, PENDING, ASKED, ENDED };

// load reads past the first-level cache, as results of other blocks must be.
DEVICE double load(const double *p) { return *(const volatile double *)p; }

// total adds partial[0..n) of all blocks in a fixed order; thread 0 has the sum.
DEVICE double total(const double *partial, int n, double *lines, int threads) {
  double a = 0, b = 0, c = 0, d = 0;
  int at = threadX();
  for (; at + 3 * threads < n; at += 4 * threads) {
    double e = load(partial + at), f = load(partial + at + threads), g = load(partial + at + 2 * threads), h = load(partial + at + 3 * threads);
    a += e;
    b += f;
    c += g;
    d += h;
  }
  for (; at < n; at += threads) a += load(partial + at);
  return sumBlock((a + b) + (c + d), lines, threads);
}

DEVICE double greatest(const double *partial, int n, double *lines, int threads) {
  double m = 0;
  for (int at = threadX(); at < n; at += threads) m = larger(m, load(partial + at));
  return maxBlock(m, lines, threads);
}
