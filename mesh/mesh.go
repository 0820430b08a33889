// Package mesh is the structured grid and its finite-volume discretization in compact form: coordinates, one entry per
// plane and palettes of materials. It stores nothing of size nx*ny*nz.
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
	// Laws describe the temperature dependence of the palette, which then holds the properties at 300 K; nil if nothing
	// is temperature-dependent.
	Laws *Laws
	// Leakage is temperature-dependent power; nil if there is none.
	Leakage *Leakage
	Planes  []Plane // one per z, bottom to top
	// LayerPlanes[l] is the half-open range of planes of layer l.
	LayerPlanes [][2]int
	// Rough is, for each layer, the number of cells of a plane in which too many rectangles overlap to be resolved; the
	// material shares of such cells are accurate to a few percent.
	Rough    []int
	Power    *powermap.Map
	Cavities []*Cavity // layers with coolant, bottom to top
	// Patched are the faces with patches, cell by cell; nil for those without.
	Patched [stack.NumFaces]*PatchedFace

	drives     [stack.NumFaces]Drive // without patches
	whole      *Mesh                 // of a slab
	characters []character           // of the layers
	// warm returns the temperatures in K at which halfResistance evaluates properties; nil selects those of the
	// palette.
	warm func(plane, cell int) (kelvin float64, ok bool)
}

// Material of a cell: conductivity along x, y, z in W/(m K) and volumetric heat capacity in J/(m3 K).
type Material struct {
	K [3]float64
	C float64
	// Half holds the lateral conductivities of the cell's west, east, south and north half. They differ from K only in
	// cells that a region's edge cuts: the half on the side of the better conductor conducts better.
	Half [4]float64
}

// The halves of a cell, in the order of the faces.
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
	// Index holds the palette indices of the cells row by row, in ascending y. Planes of one layer share it, and
	// neighboring rows that are equal share their memory: see Runs.
	Index [][]uint32
	// ContactAbove is the contact resistance between this plane and the next in m2 K/W.
	ContactAbove float64
	// Cavity is the cavity that the plane belongs to; nil for solids.
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

// DX is the width of column i in m.
func (m *Mesh) DX(i int) float64 { return m.X[i+1] - m.X[i] }

// DY is the depth of row j in m.
func (m *Mesh) DY(j int) float64 { return m.Y[j+1] - m.Y[j] }

// DZ is the thickness of plane k in m.
func (m *Mesh) DZ(k int) float64 {
	l := m.Planes[k].Layer
	// Differences of heights would lose digits for a thin layer high in the stack.
	return m.Stack.Layers[l].PlaneThickness(k - m.LayerPlanes[l][0])
}

// PowerPlanes is the half-open range of planes over which the power of layer l is spread evenly.
func (m *Mesh) PowerPlanes(l int) [2]int {
	from, to := m.Stack.Layers[l].HeatedPlanes()
	first := m.LayerPlanes[l][0]
	return [2]int{first + from, first + to}
}

// Center is the center of cell (i, j, k) in m.
func (m *Mesh) Center(i, j, k int) (x, y, z float64) {
	return (m.X[i] + m.X[i+1]) / 2, (m.Y[j] + m.Y[j+1]) / 2, (m.Z[k] + m.Z[k+1]) / 2
}

// At is the material of the cell at column i, row j of plane k.
func (m *Mesh) At(i, j, k int) *Material {
	p := &m.Planes[k]
	if p.Index == nil {
		return &m.Palette[p.Uniform]
	}
	return &m.Palette[p.Index[j][i]]
}

// character holds the properties of a layer's materials that the choice of a solver depends on, computed once.
type character struct {
	kx, ky     float64 // mean conductivities, W/(m K)
	interfaces float64 // share of lateral faces with a jump
	// diffusivity is the largest of any material along x and y, m2/s; infinite without heat capacity.
	diffusivity [2]float64
}

// Cooled reports whether the stack has coolant, which makes the operator unsymmetric.
func (m *Mesh) Cooled() bool { return len(m.Cavities) > 0 }

// TemperatureDependent reports whether a property of any material or the coefficient of any face is
// temperature-dependent, which makes the equations nonlinear.
func (m *Mesh) TemperatureDependent() bool { return m.Laws != nil }

// plain is a cell of one material.
func plain(k [3]float64, c float64) Material {
	return Material{K: k, C: c, Half: [4]float64{k[0], k[0], k[1], k[1]}}
}

// add appends an entry to the palette.
func (m *Mesh) add(e Material) uint32 {
	m.Palette = append(m.Palette, e)
	return uint32(len(m.Palette) - 1)
}
