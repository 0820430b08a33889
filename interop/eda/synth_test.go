package eda

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"testing"

	"thermsim/powermap"
)

// synthetic is a made-up design: rows of cells of three widths, every other row flipped, and a macro in each corner
// region when asked for.
type synthetic struct {
	def, lef, report []byte
	watts            float64 // sum of the figures as printed
	boxes            []Box
	power            []float64
}

const synthLEF = `VERSION 5.8 ;
UNITS
  DATABASE MICRONS 1000 ;
END UNITS
LAYER m1
  TYPE ROUTING ;
END m1
SITE unit
  CLASS CORE ; SIZE 0.2 BY 1.4 ;
END unit
MACRO INV
  CLASS CORE ; ORIGIN 0 0 ; FOREIGN INV 0 0 ; SIZE 0.6 BY 1.4 ; SYMMETRY X Y ; SITE unit ;
  PIN A
    DIRECTION INPUT ;
    PORT
      LAYER m1 ; RECT 0.1 0.1 0.2 0.2 ;
    END
  END A
  OBS
    LAYER m1 ; RECT 0 0 0.1 0.1 ;
  END
END INV
MACRO NAND2
  CLASS CORE ; SIZE 0.8 BY 1.4 ;
END NAND2
MACRO DFF
  CLASS CORE ; SIZE 3.4 BY 1.4 ;
END DFF
END LIBRARY
`

// synthesize makes a design of n cells.
func synthesize(n int) *synthetic {
	rnd := rand.New(rand.NewPCG(1, 2))
	kinds := []struct {
		name  string
		width int // in database units
	}{{"INV", 600}, {"NAND2", 800}, {"DFF", 3400}}
	const height = 1400
	side := 1600 * n // mean width of a cell
	rows := 1
	for rows*rows*height < side {
		rows++
	}
	rowWidth := side/rows + 3400
	die := [2]int{rowWidth, (rows + 2) * height}
	s := &synthetic{lef: []byte(synthLEF)}
	var def, rpt bytes.Buffer
	fmt.Fprintf(&def, "VERSION 5.8 ;\nDIVIDERCHAR \"/\" ;\nBUSBITCHARS \"[]\" ;\nDESIGN synthetic ;\nUNITS DISTANCE "+
		"MICRONS 1000 ;\nDIEAREA ( 0 0 ) ( %d %d ) ;\nCOMPONENTS %d ;\n", die[0], die[1], n)
	rpt.WriteString("   Internal  Switching    Leakage      Total\n      Power      Power      Power      Power " +
		"(Watts)\n--------------------------------------------\n")
	var total powermap.Sum
	x, y, row := 0, 0, 0
	for i := range n {
		k := kinds[rnd.IntN(len(kinds))]
		if x+k.width > rowWidth {
			x, y, row = 0, y+height, row+1
		}
		if y+height > die[1] {
			panic("the die is too small")
		}
		orient := "N"
		if row%2 == 1 {
			orient = "FS"
		}
		fmt.Fprintf(&def, "- top/block%d/_%d_ %s + SOURCE TIMING + PLACED ( %d %d ) %s ;\n", i%97, i, k.name, x, y,
			orient)
		internal, switching, leakage := rnd.Float64()*1e-6, rnd.Float64()*1e-6, rnd.Float64()*1e-8
		text := strconv.FormatFloat(internal+switching+leakage, 'e', 2, 64)
		fmt.Fprintf(&rpt, "  %9.2e  %9.2e  %9.2e  %9s top/block%d/_%d_\n", internal, switching, leakage, text, i%97, i)
		w, _ := strconv.ParseFloat(text, 64)
		total.Add(w)
		if n <= 10000 {
			s.boxes = append(s.boxes, Box{float64(x) / 1000, float64(y) / 1000, float64(x+k.width) / 1000,
				float64(y+height) / 1000})
			s.power = append(s.power, w)
		}
		x += k.width
	}
	def.WriteString("END COMPONENTS\nNETS 1 ;\n- n1 ( top/block0/_0_ A ) + USE SIGNAL ;\nEND NETS\nEND DESIGN\n")
	s.def, s.report, s.watts = def.Bytes(), rpt.Bytes(), total.Value()
	return s
}

func (s *synthetic) files() map[string][]byte {
	return map[string][]byte{"d.def": s.def, "c.lef": s.lef, "p.rpt": s.report}
}

// open serves files from memory.
func open(files map[string][]byte) Opener {
	return func(path string) (io.ReadCloser, error) {
		data, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
}

func request(files map[string][]byte, nx, ny int) Request {
	return Request{DEF: "d.def", LEF: []string{"c.lef"}, Power: "p.rpt", NX: nx, NY: ny, Open: open(files)}
}

func BenchmarkImportMillion(b *testing.B) {
	s := synthesize(1_000_000)
	b.SetBytes(int64(len(s.def) + len(s.report)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Import(request(s.files(), 512, 512))
		if err != nil {
			b.Fatal(err)
		}
		if err := r.WriteMap(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCellsMillion(b *testing.B) {
	s := synthesize(1_000_000)
	r, err := Import(request(s.files(), 512, 512))
	if err != nil {
		b.Fatal(err)
	}
	var cells bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		cells.Reset()
		if err := r.WriteCells(&cells); err != nil {
			b.Fatal(err)
		}
		if _, err :=
			Import(Request{Placement: "cells.csv", NX: 512, NY: 512,
				Open: open(map[string][]byte{"cells.csv": cells.Bytes()})}); err != nil {
			b.Fatal(err)
		}
	}
}
