// Package matrixmarket reads and writes matrices and vectors in the text format of the Matrix Market
// (https://math.nist.gov/MatrixMarket/formats.html): coordinate matrices, real or integer, general or symmetric, and
// vectors as arrays or coordinates. Files may be compressed with gzip.
package matrixmarket

import (
	"strings"

	"thermsim/internal/inputfile"
)

// Error is a fault in a file.
type Error = inputfile.Error

// header is the first line of a file: %%MatrixMarket matrix FORMAT FIELD SYMMETRY.
type header struct {
	array     bool
	symmetric bool
}

const banner = "%%MatrixMarket"

// parseHeader reads the first line.
func parseHeader(l *lines) (h header, err error) {
	words := l.words()
	if len(words) == 0 || !strings.EqualFold(words[0].text, banner) {
		return h, l.fail(1, "write it first, as in: %%MatrixMarket matrix coordinate real general",
			"the first line is not a Matrix Market header")
	}
	if len(words) != 5 {
		return h, l.fail(1, "it reads: %%MatrixMarket matrix coordinate real general", "the header has %d words, not 5",
			len(words))
	}
	choose := func(n int, remedy string, allowed ...string) (string, error) {
		for _, a := range allowed {
			if strings.EqualFold(words[n].text, a) {
				return a, nil
			}
		}
		return "", l.fail(words[n].col, remedy, "%q cannot be solved with; %s", words[n].text, list(allowed))
	}
	if _, err = choose(1, "write the matrix itself, not a graph or a set of vectors", "matrix"); err != nil {
		return h, err
	}
	format, err := choose(2, "write it in one of them", "coordinate", "array")
	if err != nil {
		return h, err
	}
	fields := "a pattern has no values and complex systems have no solver here: write real values"
	if _, err = choose(3, fields, "real", "integer", "double"); err != nil {
		return h, err
	}
	symmetry, err := choose(4, "write all entries and say general", "general", "symmetric")
	return header{array: format == "array", symmetric: symmetry == "symmetric"}, err
}

func list(words []string) string {
	if len(words) == 1 {
		return "only " + words[0] + " can"
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1] + " can"
}
