//go:build unix

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// spoilt is the saved run of the small stack, changed, and a command on it.
func spoilt(change func(data []byte) []byte, args ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		if _, err := flags()(dir); err != nil {
			return nil, err
		}
		if err := made(dir, "steady", "--quiet", "--out", "run"); err != nil {
			return nil, err
		}
		return args, changed("run.zip", change)(filepath.Join(dir, "run"))
	}
}

// entries is a saved run whose entries are packed anew; what change says of them is their contents.
func entries(change func(name string, data []byte) []byte, more func(*zip.Writer)) func([]byte) []byte {
	return func(old []byte) []byte {
		in, err := zip.NewReader(bytes.NewReader(old), int64(len(old)))
		if err != nil {
			panic(err) // what thermsim wrote is no archive
		}
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, f := range in.File {
			r, err := f.Open()
			if err != nil {
				panic(err)
			}
			data, _ := io.ReadAll(r)
			w, _ := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
			_, _ = w.Write(change(f.Name, data)) // into memory
		}
		if more != nil {
			more(z)
		}
		_ = z.Close()
		return out.Bytes()
	}
}

func keep(_ string, data []byte) []byte { return data }

// replaced changes a text within an entry.
func replaced(entry, old, by string) func(string, []byte) []byte {
	return func(name string, data []byte) []byte {
		if name != entry {
			return data
		}
		return bytes.Replace(data, []byte(old), []byte(by), 1)
	}
}

func runInputs() []input {
	render := []string{"render", "run", "--quiet", "--out", "out"}
	empties := func(z *zip.Writer) {
		for i := range 90_000 {
			_, _ = z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("e%d", i)})
		}
	}
	return []input{
		{"run-cut", "saved run cut in half", spoilt(func(data []byte) []byte {
			return data[:len(data)/2]
		}, render...), true},
		{"run-empty", "saved run of no bytes", spoilt(func([]byte) []byte { return nil }, render...), true},
		{"run-zeros", "saved run of 10 MB of zeros", spoilt(func([]byte) []byte {
			return make([]byte, 10_000_000)
		}, render...), true},
		{"run-signatures", "saved run of 2,500,000 signatures of archives", spoilt(func([]byte) []byte {
			return bytes.Repeat([]byte("PK\x05\x06"), 2_500_000)
		}, render...), true},
		{"run-entries", "saved run with 90,000 empty entries more", spoilt(entries(keep, empties), render...), false},
		{"run-only-entries", "archive of 90,000 empty entries", spoilt(func([]byte) []byte {
			var out bytes.Buffer
			z := zip.NewWriter(&out)
			empties(z)
			_ = z.Close()
			return out.Bytes()
		}, render...), true},
		{"run-deep", "saved run whose manifest is 5,000,000 arrays in each other",
			spoilt(entries(func(name string, data []byte) []byte {
				if name == "run.json" {
					return []byte(strings.Repeat("[", 5_000_000))
				}
				return data
			}, nil), render...), true},
		{"run-steps", "saved run whose manifest lists 3,000,000 empty steps",
			spoilt(entries(replaced("run.json", "{", `{"steps":[`+strings.Repeat("{},", 3_000_000)+`{}],`), nil),
				render...), true},
		{"run-saved", "saved run that says it holds 4,000,000 steps",
			spoilt(entries(replaced("run.json", `"saved_steps": [`, `"saved_steps": [`+strings.Repeat("0,", 4_000_000)),
				nil), render...), true},
		{"run-inputs", "saved run of 3,000,000 inputs",
			spoilt(entries(replaced("run.json", `"inputs": [`, `"inputs": [`+strings.Repeat("{},", 3_000_000)), nil),
				render...), true},
		{"run-grid", "saved run whose stack has a grid of 100,000 by 10,000",
			spoilt(entries(func(name string, data []byte) []byte {
				if name == "stack.toml" {
					return []byte(strings.Replace(strings.Replace(string(data), "nx = 16", "nx = 100000", 1), "ny = 16",
						"ny = 10000", 1))
				}
				return data
			}, nil), render...), true},
		{"run-pairs", "saved run whose stack is 7 MB of pairs", spoilt(entries(func(name string, data []byte) []byte {
			if name == "stack.toml" {
				return []byte("pairs = [" + strings.Repeat("[1,2],", 1_200_000) + "]")
			}
			return data
		}, nil), render...), true},
		{"run-nan", "saved run of temperatures that are none", spoilt(entries(func(name string, data []byte) []byte {
			if strings.HasSuffix(name, ".f64") {
				return bytes.Repeat([]byte{0xff}, len(data))
			}
			return data
		}, nil), render...), false},
		{"run-plane", "saved run of a plane of 10 MB", spoilt(entries(func(name string, data []byte) []byte {
			if strings.HasSuffix(name, ".f64") {
				return make([]byte, 10_000_000)
			}
			return data
		}, nil), render...), true},
		{"run-short", "saved run of a plane of 8 bytes", spoilt(entries(func(name string, data []byte) []byte {
			if strings.HasSuffix(name, ".f64") {
				return data[:8]
			}
			return data
		}, nil), render...), true},
		{"run-diff", "saved run cut in half, compared with itself", spoilt(func(data []byte) []byte {
			return data[:len(data)/2]
		}, "diff", "run", "run", "--quiet", "--out", "out"), true},
		{"run-initial", "transient that begins with a saved run cut in half", spoilt(func(data []byte) []byte {
			return data[:len(data)/2]
		}, "transient", "--quiet", "--out", "out", "--initial", "run"), true},
	}
}

func serveInputs() []input {
	talk := func(make func() string) func(string) ([]string, error) {
		return func(dir string) ([]string, error) {
			_, err := flags()(dir)
			return []string{"serve", "--quiet", "--dt", "1 ms"},
				errorsOf(err, write(filepath.Join(dir, "stdin"), func(w *bufio.Writer) { w.WriteString(make()) }))
		}
	}
	return []input{
		{"serve-long", "serve: a line of 10 MB", talk(func() string { return strings.Repeat("x", 10_000_000) }), false},
		{"serve-deep", "serve: 900,000 arrays in each other", talk(func() string {
			return `{"id":` + strings.Repeat("[", 900_000) + "\n"
		}), false},
		{"serve-lines", "serve: 500,000 empty lines", talk(func() string {
			return strings.Repeat("\n", 500_000)
		}), false},
		{"serve-none", "serve: 300,000 lines that are no requests", talk(func() string {
			return strings.Repeat("{}x\n", 300_000)
		}), false},
		{"serve-watts", "serve: powers of 40,000 blocks that are not there", talk(func() string {
			return `{"op":"set","watts":{` + many(40_000, `"b%d":1,`) + `"x":1}}` + "\n"
		}), false},
		{"serve-1e308", "serve: a power of 1e308", talk(func() string {
			return `{"op":"set","watts":{"die/uniform":1e308}}` + "\n"
		}), false},
		{"serve-steps", "serve: 1e18 steps", talk(func() string {
			return `{"op":"step","n":1000000000000000000}` + "\n"
		}), false},
		{"serve-until", "serve: until 1e300 s", talk(func() string {
			return `{"op":"run","until_s":1e300}` + "\n"
		}), false},
		{"serve-saves", "serve: 100,000 states saved", talk(func() string {
			return many(100_000, `{"op":"save","name":"s%d"}`+"\n")
		}), false},
		{"serve-path", "serve: a state in a file above the folder", talk(func() string {
			return `{"op":"save","file":"../../x"}` + "\n"
		}), false},
	}
}

func designInputs() []input {
	eda := func(def, lef, power func() string) func(string) ([]string, error) {
		return func(dir string) ([]string, error) {
			put := func(name string, text func() string) error {
				return write(filepath.Join(dir, name), func(w *bufio.Writer) { w.WriteString(text()) })
			}
			return []string{"import", "eda", "--quiet", "--def", "a.def", "--lef", "a.lef", "--power", "a.rpt", "--out",
					"chip"},
				errorsOf(put("a.def", def), put("a.lef", lef), put("a.rpt", power))
		}
	}
	lef := func() string { return "MACRO A\nSIZE 1 BY 1 ;\nEND A\nEND LIBRARY\n" }
	const head = "VERSION 5.8 ;\nDESIGN d ;\nUNITS DISTANCE MICRONS 1000 ;\nDIEAREA ( 0 0 ) ( 1000000 1000000 ) ;\n"
	power := func() string { return "a 1\n" }
	cells := func(text func() string) func(string) ([]string, error) {
		return file("cells.csv", func(w io.Writer) {
			io.WriteString(w, text())
		}, "import", "eda", "--quiet", "--placement", "cells.csv", "--out", "chip")
	}
	return []input{
		{"def-unplaced", "DEF of 300,000 instances of unknown cells", eda(func() string {
			return head + "COMPONENTS 300000 ;\n" + many(300_000, "- i%d X + PLACED ( 0 0 ) N ;\n") +
				"END COMPONENTS\nEND DESIGN\n"
		}, lef, power), true},
		{"def-same", "DEF of 300,000 instances of one name", eda(func() string {
			return head + "COMPONENTS 300000 ;\n" + strings.Repeat("- i A + PLACED ( 0 0 ) N ;\n", 300_000) +
				"END COMPONENTS\nEND DESIGN\n"
		}, lef, power), true},
		{"def-announced", "DEF that announces 1e18 instances", eda(func() string {
			return head + "COMPONENTS 1000000000000000000 ;\n- i A + PLACED ( 0 0 ) N ;\nEND COMPONENTS\nEND DESIGN\n"
		}, lef, power), true},
		{"def-token", "DEF of a word of 10 MB", eda(func() string {
			return head + "COMPONENTS 1 ;\n- " + strings.Repeat("x", 10_000_000)
		}, lef, power), true},
		{"def-open", "DEF of a statement of 3,000,000 words that does not end", eda(func() string {
			return head + "PROPERTYDEFINITIONS\n" + strings.Repeat("a b ", 2_000_000)
		}, lef, power), true},
		{"def-area", "DEF whose die has 500,000 corners", eda(func() string {
			return "VERSION 5.8 ;\nDESIGN d ;\nUNITS DISTANCE MICRONS 1000 ;\nDIEAREA " + many(500_000, "( %d 0 ) ") +
				";\nEND DESIGN\n"
		}, lef, power), true},
		{"def-far", "DEF of an instance at 1e18", eda(func() string {
			return head + "COMPONENTS 1 ;\n- i A + PLACED ( 1000000000000000000 1 ) N ;\nEND COMPONENTS\nEND DESIGN\n"
		}, lef, func() string { return "i 1\n" }), true},
		{"lef-macros", "LEF of 300,000 cells of one name", eda(func() string {
			return head + "END DESIGN\n"
		}, func() string { return strings.Repeat("MACRO A\nSIZE 1 BY 1 ;\nEND A\n", 300_000) }, power), true},
		{"lef-open", "LEF of 1,000,000 cells within each other", eda(func() string {
			return head + "END DESIGN\n"
		}, func() string { return strings.Repeat("MACRO A\n", 1_000_000) }, power), true},
		{"power-unknown", "report of 900,000 instances that are not there", eda(func() string {
			return head + "COMPONENTS 1 ;\n- i A + PLACED ( 0 0 ) N ;\nEND COMPONENTS\nEND DESIGN\n"
		}, lef, func() string { return many(700_000, "x%d 1e-6\n") }), true},
		{"power-1e308", "report of a power of 1e308", eda(func() string {
			return head + "COMPONENTS 1 ;\n- i A + PLACED ( 0 0 ) N ;\nEND COMPONENTS\nEND DESIGN\n"
		}, lef, func() string { return "i 1e308\n" }), true},
		{"cells-wide", "table of cells with 3,000,000 columns", cells(func() string {
			return strings.Repeat("a,", 3_000_000) + "\n"
		}), true},
		{"cells-1e308", "table of a cell of 1e308", cells(func() string {
			return "name,x [um],y [um],width [um],height [um],watts [W]\na,1e308,1e308,1e308,1e308,1e308\n"
		}), true},
		{"cells-same", "table of 400,000 cells of one name in one place", cells(func() string {
			return "name,x [um],y [um],width [um],height [um],watts [W]\n" +
				strings.Repeat("a,0,0,100,100,1e-6\n", 400_000)
		}), false},
	}
}

func projectInputs() []input {
	config := func(lines string, layers func() string) func(string) ([]string, error) {
		return func(dir string) ([]string, error) {
			put := func(name, text string) error {
				return write(filepath.Join(dir, name), func(w *bufio.Writer) { w.WriteString(text) })
			}
			return []string{"steady", "case.config", "-f", "a.flp", "-p", "a.ptrace", "--quiet", "--out", "out"},
				errorsOf(put("case.config", "-model_type grid\n"+lines), put("a.flp", "a 1e-2 1e-2 0 0\n"),
					put("a.ptrace", "a\n1\n"), put("a.lcf", layers()))
		}
	}
	none := func() string { return "" }
	stk := func(old, by string, n int) func(string) ([]string, error) {
		return func(dir string) ([]string, error) {
			args, err := iceStack(1, "t.txt")(dir)
			return args, errorsOf(err, changed("case.stk", func(data []byte) []byte {
				return bytes.Replace(data, []byte(old), []byte(by), n)
			})(dir))
		}
	}
	return []input{
		{"config-grid", "HotSpot: grid of 1e9 rows", config("-grid_rows 1000000000\n-grid_cols 1000000000\n", none),
			true},
		{"config-lines", "HotSpot: 1,000,000 unknown settings", config(many(1_000_000, "-x%d 1\n"), none), true},
		{"config-line", "HotSpot: a setting of 10 MB", config("-init_file "+strings.Repeat("x", 10_000_000)+"\n", none),
			true},
		{"config-1e308", "HotSpot: a chip 1e308 m thick", config("-t_chip 1e308\n", none), true},
		{"config-layers", "HotSpot: 200,000 layers", config("-grid_layer_file a.lcf\n", func() string {
			return many(200_000, "%d\nY\nN\n1.75e6\n0.01\n0.0001\na.flp\n\n")
		}), true},
		{"config-power", "HotSpot: trace of 3,000,000 rows", func(dir string) ([]string, error) {
			args, err := config("", none)(dir)
			return args, errorsOf(err, write(filepath.Join(dir, "a.ptrace"), func(w *bufio.Writer) {
				w.WriteString("a\n" + strings.Repeat("1\n", 3_000_000) + "x\n")
			}))
		}, true},
		{"stk-cells", "3D-ICE: cells of 1e-9 um", stk("cell length 1000, width 1000", "cell length 1e-9, width 1e-9",
			1), true},
		{"stk-chip", "3D-ICE: chip of 1e300 um", stk("chip length 10000, width 10000", "chip length 1e300, width 1e300",
			1), true},
		{"stk-slots", "3D-ICE: steps of 1e-300 s", stk("steady ;", "transient step 1e-300, slot 1 ;", 1), true},
		{"stk-outputs", "3D-ICE: 100,000 outputs",
			stk("  Tmap ( DIE, \"t.txt\", final ) ;\n", many(100_000, "  Tmap ( DIE, \"t%d.txt\", final ) ;\n"), 1),
			true},
		{"stk-materials", "3D-ICE: 100,000 materials",
			stk("material SI",
				many(100_000, "material M%d :\n  thermal conductivity 1.3e-4 ;\n  volumetric heat capacity "+
					"1.628e-12 ;\n\n")+"material SI", 1), false},
		{"stk-word", "3D-ICE: a word of 10 MB", stk("material SI", "material "+strings.Repeat("S", 10_000_000), 1),
			true},
		{"stk-comment", "3D-ICE: a comment of 10 MB that does not end",
			stk("material SI", "/*"+strings.Repeat("x", 10_000_000), 1), true},
		{"stk-flp", "3D-ICE: floorplan of 150,000 blocks over each other", func(dir string) ([]string, error) {
			args, err := iceStack(1, "t.txt")(dir)
			return args, errorsOf(err, write(filepath.Join(dir, "die.flp"), func(w *bufio.Writer) {
				w.WriteString(many(150_000, "c%d :\n position 0, 0 ;\n dimension 10, 10 ;\n power values 1 ;\n"))
			}))
		}, false},
		{"stk-values", "3D-ICE: 3,000,000 powers of a block", func(dir string) ([]string, error) {
			args, err := iceStack(1, "t.txt")(dir)
			return args, errorsOf(err, write(filepath.Join(dir, "die.flp"), func(w *bufio.Writer) {
				w.WriteString("core :\n  position 0, 0 ;\n  dimension 10000, 10000 ;\n  power values 10" +
					strings.Repeat(", 1", 3_000_000) + " ;\n")
			}))
		}, false},
	}
}

// stranger is a run of two ranks, of which this program is the other one, and says something else.
func stranger(rank int, says func() []byte) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		_, err := flags()(dir)
		if err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		address := l.Addr().String()
		if rank == 1 {
			go func() {
				for {
					if c, err := l.Accept(); err == nil {
						_, _ = c.Write(says()) // the program may leave at any time
						time.Sleep(time.Second)
						_ = c.Close()
					}
				}
			}()
		} else {
			_ = l.Close() // nobody else takes it meanwhile
			go func() {
				for {
					if c, err := net.Dial("tcp", address); err == nil {
						_, _ = c.Write(says())
						time.Sleep(time.Second)
						_ = c.Close()
					}
					pause()
				}
			}()
		}
		return []string{"steady", "--quiet", "--out", "out", "--grid", "32x32", "--ranks", "2", "--rank",
			fmt.Sprint(rank), "--rendezvous", address, "--ranks-wait", "3 s"}, nil
	}
}

func strangerInputs() []input {
	framed := func(length uint32, text string) func() []byte {
		return func() []byte {
			return append([]byte("thrmrank"),
				append([]byte{byte(length), byte(length >> 8), byte(length >> 16), byte(length >> 24)}, text...)...)
		}
	}
	var all []input
	for rank := range 2 {
		for _, s := range []struct {
			name, what string
			says       func() []byte
		}{
			{"web", "a request of a browser", func() []byte { return []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }},
			{"zeros", "10 MB of zeros", func() []byte { return make([]byte, 10_000_000) }},
			{"long", "a line of 4 GB announced", framed(0xffffffff, strings.Repeat("x", 1000))},
			{"most", "a line of 16 MB", framed(16<<20, strings.Repeat("x", 16<<20))},
			{"deep", "10,000,000 arrays in each other", framed(10_000_000, strings.Repeat("[", 10_000_000))},
			{"facts", "3,000,000 facts",
				framed(uint32(len(`{"facts":[]}`)+3*3_000_000-1),
					`{"facts":[`+strings.Repeat("{},", 3_000_000)[:3*3_000_000-1]+`]}`)},
			{"silence", "nothing", func() []byte { return nil }},
		} {
			all = append(all,
				input{fmt.Sprintf("rank%d-%s", rank, s.name),
					fmt.Sprintf("rank %d of two hears %s from the other", rank, s.what), stranger(rank, s.says), false})
		}
	}
	return all
}

func otherInputs() []input {
	return []input{
		{"external-rows", "bench: 3,000,000 external rows", file("e.json", func(w io.Writer) {
			io.WriteString(w, `{"rows":[`+strings.Repeat("{},", 3_000_000)+"{}]}")
		}, "bench", "--from", "e.json", "--external", "e.json"), true},
		{"external-csv", "bench: external table of 3,000,000 columns", file("e.csv", func(w io.Writer) {
			io.WriteString(w, strings.Repeat("a,", 3_000_000)+"\n")
		}, "bench", "--from", "e.csv", "--external", "e.csv"), true},
		{"bench-from", "bench: 10 MB that is no measurement", file("b.json", func(w io.Writer) {
			io.WriteString(w, strings.Repeat("[", 10_000_000))
		}, "bench", "--from", "b.json"), true},
		{"long-path", "stack of a path of 100 kB", func(string) ([]string, error) {
			return []string{"steady", strings.Repeat("x", 100_000)}, nil
		}, true},
		{"many-arguments", "50,000 stacks at once", func(string) ([]string, error) {
			return append([]string{"steady"}, strings.Split(strings.Repeat("x ", 50_000), " ")...), nil
		}, true},
		{"folder", "folder that is its own stack.toml", func(dir string) ([]string, error) {
			return []string{"check", "--quiet"}, os.Symlink(".", filepath.Join(dir, "stack.toml"))
		}, true},
		{"link-cycle", "stack that is a link to itself", func(dir string) ([]string, error) {
			return []string{"check", "--quiet"}, os.Symlink("stack.toml", filepath.Join(dir, "stack.toml"))
		}, true},
	}
}
