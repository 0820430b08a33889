// Package kernels holds the CUDA kernels of the GPU executor: their sources (*.cu), the PTX that clang makes of them (ptx/, embedded) and one Go
// launcher per kernel, generated from its declaration. Kernels of a method stand in its own folder, gpusolve/precond/<method> or gpusolve/mixed, and include
// headers from here.
//
// After a change of a source run "make ptx" (needs clang-19) and commit what it wrote.
package kernels

//go:generate go run ./internal/ptxgen/gen

import "thermsim/gpusolve/kernels/internal/lineclass"

// AnyLength is the class of columns of every length: slower, and the only one that needs scratch memory.
const AnyLength = lineclass.Any

// LineClasses returns the column lengths that the line kernels are compiled for, in ascending order and AnyLength first. A class takes columns
// up to its length.
func LineClasses() []int { return lineclass.All() }

// LineClass returns the smallest class for columns of nz cells, AnyLength above the greatest.
func LineClass(nz int) int { return lineclass.For(nz) }
