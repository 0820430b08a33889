//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// avx2 says that the processor and the operating system know 256-bit registers.
var avx2 = cpu.X86.HasAVX && cpu.X86.HasAVX2
