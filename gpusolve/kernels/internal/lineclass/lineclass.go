// Package lineclass lists the column lengths that lines.cu is compiled for. The generator and the loader share it.
package lineclass

// Any is the class of the general path, which takes columns of every length.
const Any = 0

// All returns the classes in ascending order, Any first.
func All() []int { return []int{Any, 4, 10, 16, 24, 32, 48, 64, 96, 128} }

// For returns the smallest class that holds columns of nz cells, Any where none does.
func For(nz int) int {
	for _, class := range All() {
		if class != Any && class >= nz {
			return class
		}
	}
	return Any
}
