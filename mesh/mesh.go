// Package mesh is the structured grid and its finite-volume discretisation, kept compact: coordinates, one entry per
// plane and palettes of materials. Nothing of size nx*ny*nz lives here.
//
// Cells are numbered x fastest, then y, then z, from the south-west corner of the bottom face.
package mesh

import (
	"thermsim/powermap"
	"thermsim/stack"
)

// Mesh is a stack on a grid.
type Mesh struct {
	Stack   *stack.Stack
	X, Y, Z []float64 // face coordinates in m, ascending; lengths nx+1, ny+1, nz+1
	// Palette holds the materials of cells: those of the stack first, then mixtures in cells that region edges cut.
	Palette []Material
	// Laws say how the palette follows the temperature; nil where nothing does. Palette then holds the properties at
	// 300 K.
	Laws *Laws
	// Leakage is heat that follows the temperature; nil where there is none.
	Leakage *Leakage
	Planes  []Plane // one per z, bottom to top
	// LayerPlanes[l] is the half-open range of planes of layer l.
	LayerPlanes [][2]int
	// Rough is the number of cells of a plane of each layer in which more rectangles cross than are told apart: what
	// they are made of is right within some hundredths.
	Rough    []int
	Power    *powermap.Map
	Cavities []*Cavity // that coolant flows through, bottom to top
	// Patched are the faces with patches, cell by cell; nil for those without.
	Patched [stack.NumFaces]*PatchedFace

	whole      *Mesh       // of a slab
	characters []character // of the layers
	// warm knows temperatures in K at which halfResistance takes properties; nil for those of the palette.
	warm func(plane, cell int) (kelvin float64, ok bool)
}

// Material of a cell: conductivity along x, y, z in W/(m K) and volumetric heat capacity in J/(m3 K).
type Material struct {
	K [3]float64
	C float64
	// Half holds the lateral conductivities of the cell's west, east, south and north half. They differ from K only in
	// cells that a region's edge cuts: there the half on the side of the good conductor conducts well and the other
	// badly.
	Half [4]float64
}

// The halves of a cell.
const (
	west = iota
	east
	south
	north
)

// Plane is one sheet of cells.
type Plane struct {
	Layer int
	// Uniform is the palette index of every cell where Index is nil.
	Uniform uint32
	// Index is the palette index cell by cell, x fastest; planes of one layer share it.
	Index []uint32
	// ContactAbove is the contact resistance between this plane and the next in m2 K/W.
	ContactAbove float64
	// Cavity is what the plane belongs to, nil of solids.
	Cavity *Cavity
}

// NX is the number of cells along x.
func (m *Mesh) NX() int { return len(m.X) - 1 }

// NY is the number of cells along y.
func (m *Mesh) NY() int { return len(m.Y) - 1 }

// NZ is the number of planes.
func (m *Mesh) NZ() int { return len(m.Planes) }

// Cells is the number of unknowns.
func (m *Mesh) Cells() int { return m.NX() * m.NY() * m.NZ() }
