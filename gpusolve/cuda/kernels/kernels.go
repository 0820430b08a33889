// Package kernels holds the CUDA kernels of the GPU executor: their sources (*.cu), the PTX that clang makes of them
// (ptx/, embedded) and one Go launcher per kernel, generated from its declaration. Kernels of a method stand in its own
// folder, gpusolve/precond/<method> or gpusolve/krylov/mixed, and include headers from here.
//
// After a change of a source run "make ptx" (needs clang-19) and commit what it wrote.
package kernels

//go:generate go run thermsim/tools/ptxgen/gen
