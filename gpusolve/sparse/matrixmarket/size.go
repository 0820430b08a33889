package matrixmarket

import "os"

// Size is what the head of a file of a matrix announces. Entries are those that are kept: a symmetric file lists half
// of them.
type Size struct{ Rows, Entries int64 }

// ReadSize reads the head of a regular file alone; ok is false for what has none to read twice, such as a pipe, and for
// files that OpenMatrix will refuse.
func ReadSize(path string) (size Size, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return size, false
	}
	f, err := os.Open(path)
	if err != nil {
		return size, false
	}
	defer f.Close()
	l, err := newLines(path, f)
	if err != nil {
		return size, false
	}
	h, err := begin(l)
	if err != nil || h.array {
		return size, false
	}
	n, entries, err := matrixSize(l)
	if err != nil {
		return size, false
	}
	if h.symmetric {
		entries = 2*entries - n
	}
	return Size{n, entries}, true
}
