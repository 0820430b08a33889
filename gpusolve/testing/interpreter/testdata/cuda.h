// The little of CUDA that the test kernels need; clang compiles them without the toolkit.
#pragma once

#define DEVICE static inline __attribute__((device, always_inline))
#define KERNEL extern "C" __attribute__((global))
#define SHARED __attribute__((shared))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

DEVICE int tid() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int bid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE int threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE int blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEVICE void barrier() { __syncthreads(); }
DEVICE void fence() { __nvvm_membar_gl(); }
DEVICE u32 acquire(const u32 *p) {
  u32 v;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
DEVICE void release(u32 *p, u32 v) { asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
