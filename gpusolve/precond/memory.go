package precond

import "thermsim/mesh"

// Shape is what the memory of a solve depends on, known before any of it is taken.
type Shape struct {
	NX, NY, NZ int   // of the grid; 0 of a matrix by rows
	Unknowns   int64 // rows
	Entries    int64 // of the matrix, the diagonal included
	Symmetric  bool
	// Assembled marks a mesh's system, which holds conductances in FP32 and makes matrices of them where a method asks
	// for one. Mesh may be nil where it is not built yet.
	Assembled bool
	Mesh      *mesh.Mesh
	InTime    bool
	States    int64 // of adaptive time steps, 0 otherwise
	Grounded  int64 // planes with cells of a face with a temperature
	// GPU marks the executor for GPUs, and Multiprocessors is how many the GPU has; 0 means a large one.
	GPU             bool
	Multiprocessors int64
}

// Need is what a method takes in bytes beside the system: most while it is set up, and afterwards.
type Need struct{ SetUp, Held int64 }

// Sheet is the number of cells of a plane.
func (s *Shape) Sheet() int64 { return int64(s.NX) * int64(s.NY) }

// Vector is the size of a vector of values of width bytes.
func (s *Shape) Vector(width int64) int64 {
	if !s.Assembled {
		return width * s.Unknowns
	}
	return width * Padded(s.Unknowns, s.NX)
}

// Padded is the number of values of n cells with the pads on either side in place of neighbours outside: a row of nx
// cells, rounded up to lines of 128 bytes of FP32.
func Padded(n int64, nx int) int64 { return n + 2*((int64(nx)+31)&^31) }

// Grid says whether the matrix is that of a grid.
func (s *Shape) Grid() bool { return s.NX > 0 }

// Diagonals is what the matrix takes by diagonals in FP64, as a form that methods build on; nothing where the system is
// stored so anyway.
func (s *Shape) Diagonals() int64 {
	switch {
	case !s.Assembled:
		return 0
	case !s.Symmetric:
		return 56 * s.Unknowns
	}
	return 32 * s.Unknowns
}

// Rows is what the matrix takes by rows: while it is made, and afterwards. Nothing where the system is stored so
// anyway.
func (s *Shape) Rows() Need {
	if !s.Assembled && !s.Grid() {
		return Need{}
	}
	rows := 8*(s.Unknowns+1) + 12*s.Entries
	return Need{SetUp: s.Diagonals() + rows, Held: rows}
}

// GridEntries is the number of entries of the matrix of a grid.
func GridEntries(nx, ny, nz int) int64 {
	x, y, z := int64(nx), int64(ny), int64(nz)
	return 7*x*y*z - 2*(x*y+y*z+z*x)
}
