package report

import (
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/printable"
	"thermsim/mesh"
	"thermsim/report/fieldfile"
)

// writeMapCSV writes a plane as a matrix: after the comment lines a row of x cell centres, then one row per y cell
// centre from south to north, its coordinate first. Coordinates are in m and temperatures in K. A note, if any, tells
// of which time they are.
func writeMapCSV(w io.Writer, m *mesh.Mesh, v view, kelvin []float64, note string) error {
	span := m.LayerPlanes[v.layer]
	_, err := fmt.Fprintf(w, "# %s, z %s to %s m, %d plane(s)%s%s\n"+
		"# temperature in K at cell centres; first row: x in m; first column: y in m; rows from south to north\n",
		printable.Text(v.what), metres(m.Z[span[0]]), metres(m.Z[span[1]]), v.planes[1]-v.planes[0],
		hottestNote(v.planes), comma(printable.Text(note)))
	if err != nil {
		return err
	}
	nx := m.NX()
	buf := append(make([]byte, 0, 16*(nx+1)), "y\\x"...)
	for i := range nx {
		buf = append(buf, ',')
		buf = fieldfile.AppendMetres(buf, (m.X[i]+m.X[i+1])/2)
	}
	if _, err := w.Write(append(buf, '\n')); err != nil {
		return err
	}
	return writeMatrix(w, m.NY(), 16*(nx+1), func(buf []byte, j int) []byte {
		buf = fieldfile.AppendMetres(buf, (m.Y[j]+m.Y[j+1])/2)
		for _, t := range kelvin[j*nx : (j+1)*nx] {
			buf = append(buf, ',')
			buf = fieldfile.AppendKelvin(buf, t)
		}
		return append(buf, '\n')
	})
}

// rowsAtOnce is about how many bytes of rows one goroutine formats at a time.
const rowsAtOnce = 1 << 18

// writeMatrix writes n rows of about so many bytes, which append makes on all cores.
func writeMatrix(w io.Writer, n, bytes int, appendRow func(buf []byte, row int) []byte) error {
	each := max(1, rowsAtOnce/bytes)
	parts := make([][]byte, runtime.GOMAXPROCS(0))
	for from := 0; from < n; from += each * len(parts) {
		var g errgroup.Group
		for p := range parts {
			g.Go(func() error {
				parts[p] = parts[p][:0]
				for j := from + p*each; j < min(n, from+(p+1)*each); j++ {
					parts[p] = appendRow(parts[p], j)
				}
				return nil
			})
		}
		_ = g.Wait() // none of them fails
		for _, part := range parts {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
	return nil
}

func hottestNote(planes [2]int) string {
	if planes[1]-planes[0] > 1 {
		return ", the hottest of them cell by cell"
	}
	return ""
}

func metres(v float64) string { return string(fieldfile.AppendMetres(nil, v)) }
