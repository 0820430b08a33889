// Kernels that do right, for results checked in Go.
#include "cuda.h"

typedef float float4 __attribute__((ext_vector_type(4)));
typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
extern SHARED float dynamic[];

// saxpy with an early return.
KERNEL void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = bid() * threads() + tid();
  if (i < n) y[i] = a * x[i] + y[i];
}

// column solves a tridiagonal system of 12 unknowns per thread in registers, planes apart by n.
KERNEL void column(i64 n, const float *__restrict__ d, const float *__restrict__ b, float *__restrict__ x) {
  i64 i = bid() * threads() + tid();
  if (i >= n) return;
  float c[12], v[12];
#pragma unroll
  for (int k = 0; k < 12; k++) {
    float m = d[k * n + i] - (k ? c[k - 1] : 0);
    c[k] = 1.f / m;
    v[k] = (b[k * n + i] + (k ? v[k - 1] : 0)) * c[k];
  }
#pragma unroll
  for (int k = 11; k >= 0; k--) {
    if (k < 11) v[k] += c[k] * v[k + 1];
    x[k * n + i] = v[k];
  }
}

// blockSum adds the values of each block: shuffles, then shared memory.
KERNEL void blockSum(const float *__restrict__ x, double *__restrict__ out) {
  SHARED double lines[32];
  double v = x[bid() * threads() + tid()];
  for (int by = 16; by; by >>= 1) {
    u64 b = __builtin_bit_cast(u64, v);
    u32 lo = __nvvm_shfl_sync_down_i32(-1, (u32)b, by, 31), hi = __nvvm_shfl_sync_down_i32(-1, (u32)(b >> 32), by, 31);
    v += __builtin_bit_cast(double, (u64)hi << 32 | lo);
  }
  if (tid() % 32 == 0) lines[tid() / 32] = v;
  barrier();
  if (tid() == 0) {
    v = 0;
    for (int w = 0; w < threads() / 32; w++) v += lines[w];
    out[bid()] = v;
  }
}

// reverse turns each block's values round through dynamic shared memory.
KERNEL void reverse(const float *__restrict__ x, float *__restrict__ y) {
  int t = tid(), n = threads();
  dynamic[t] = x[bid() * n + t];
  barrier();
  y[bid() * n + t] = dynamic[n - 1 - t];
}

// locals indexes an array that cannot be held in registers.
KERNEL void locals(const int *__restrict__ at, int *__restrict__ out) {
  int a[16];
  for (int k = 0; k < 16; k++) a[k] = k * k;
  for (int k = 0; k < 16; k++) a[at[k]] += at[tid() & 15];
  out[tid()] = a[tid() & 15];
}

// vectors loads and stores four floats, two halves and single bytes at a time.
KERNEL void vectors(const float4 *__restrict__ x, float4 *__restrict__ y, const half2 *__restrict__ h, half2 *__restrict__ g, const signed char *__restrict__ c, short *__restrict__ s) {
  int i = tid();
  y[i] = x[i] * 2.f;
  g[i] = h[i] * h[i] + h[i + 1];
  s[i] = c[i] * 3;
}

// histogram counts with atomics in shared and then global memory.
KERNEL void histogram(int n, const u32 *__restrict__ x, u32 *__restrict__ count, float *__restrict__ sum, u32 *__restrict__ most) {
  SHARED u32 local[8];
  if (tid() < 8) local[tid()] = 0;
  barrier();
  for (int i = bid() * threads() + tid(); i < n; i += blocks() * threads()) {
    __nvvm_atom_add_gen_i((int *)&local[x[i] & 7], 1);
    __nvvm_atom_add_gen_f(sum, 1.f);
    __nvvm_atom_max_gen_ui(most, x[i]);
  }
  barrier();
  if (tid() < 8) __nvvm_atom_add_gen_i((int *)&count[tid()], local[tid()]);
}

// lanes writes what votes and the other shuffles give, and a reduction over the block.
KERNEL void lanes(const int *__restrict__ x, u32 *__restrict__ out) {
  int t = tid(), n = threads(), v = x[t];
  out[t] = __nvvm_vote_ballot_sync(-1, v & 1);
  out[n + t] = __nvvm_shfl_sync_bfly_i32(-1, v, 5, 31);
  out[2 * n + t] = __nvvm_shfl_sync_up_i32(-1, v, 2, 0);
  out[3 * n + t] = __nvvm_shfl_sync_idx_i32(-1, v, v & 31, 31);
  out[4 * n + t] = __nvvm_vote_all_sync(-1, v < 100) | __nvvm_vote_any_sync(-1, v == 7) << 1;
  out[5 * n + t] = __nvvm_bar0_popc(v & 1);
  out[6 * n + t] = __nvvm_bar0_and(v < 100) | (__nvvm_bar0_or(v == 7) != 0) << 1;
}

// branches takes different ways and loop counts in every lane, and meets again.
KERNEL void branches(const int *__restrict__ x, int *__restrict__ out) {
  int t = tid(), v = x[t], s = 0;
  for (int k = 0; k < v; k++) {
    if (k % 3 == 0) s += k;
    else if (k % 3 == 1) s ^= t;
    else if (s > 50) break;
  }
  switch (v & 7) {
    case 0: s += 11; break;
    case 1: s *= 3; break;
    case 2: s -= 5; break;
    case 5: s = -s; break;
    case 7: s ^= 0x55; break;
  }
  out[t] = s;
}

struct Parameters {
  double scale[3];
  int n;
  float offset;
};
__attribute__((constant)) float table[4] = {1, 2, 4, 8};
__attribute__((device)) int counter[2];

// parameters reads a structure, constant memory and a variable of the module.
KERNEL void parameters(Parameters p, double *out) {
  int i = tid();
  out[i] = p.scale[i % 3] * p.n + p.offset + table[i & 3];
  if (i == 0) counter[0] = counter[0] + 1;
  barrier();
  if (i == 1) out[i] = counter[0];
}

// far reaches past 2^32 bytes.
KERNEL void far(float *p, i64 stride) { p[stride * tid()] = (float)tid(); }
