package inputfile

import (
	"bytes"
	"fmt"
)

// fewTables is how many tables any JSON file may have.
const fewTables = 1000

// Crowded refuses JSON with more tables than its size has room for, where each takes so many bytes at least as it is meant. What is decoded of empty
// ones takes many times the room of the file.
func Crowded(data []byte, bytesEach int) error {
	if n := bytes.Count(data, []byte("{")); n > fewTables+len(data)/bytesEach {
		return fmt.Errorf("%d tables { } in %d bytes are more than such a file has", n, len(data))
	}
	return nil
}
