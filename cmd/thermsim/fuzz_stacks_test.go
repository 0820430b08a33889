package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
)

// outcome is what summary.json says of a run.
type outcome struct {
	Grid        struct{ Cells int }
	Solver      struct{ Converged bool }
	Temperature struct {
		Max  float64 `json:"max_K"`
		Min  float64 `json:"min_K"`
		Mean float64 `json:"mean_K"`
	}
	Power struct {
		Requested float64 `json:"requested_W"`
		Mapped    float64 `json:"mapped_W"`
	}
	Energy struct {
		In        float64 `json:"in_W"`
		Out       float64 `json:"out_W"`
		Imbalance float64 `json:"imbalance_rel"`
	}
}

// quietly gives a function that runs commands with what they print in a file. It gives the status and the messages.
func quietly(f *testing.F) func(t *testing.T, line string) (status int, said string) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		f.Fatal(err)
	}
	input := os.Stdin
	os.Stdin = null
	f.Cleanup(func() { os.Stdin = input; null.Close() })
	return func(t *testing.T, line string) (int, string) {
		t.Helper()
		messages, err := os.CreateTemp("", "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(messages.Name())
		defer messages.Close()
		status := run(strings.Fields(line), null, messages)
		if _, err := messages.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(messages)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "please report") || strings.Contains(string(text), "goroutine ") {
			t.Fatalf("%s: %s", line, text)
		}
		return status, string(text)
	}
}

func summaryOf(t *testing.T, folder string) (o outcome) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "summary.json"))
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// printed writes what check --print says of stack.toml.
func printed(t *testing.T, from, to string) int {
	t.Helper()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	messages, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	return run([]string{"check", from, "--print", "--quiet"}, out, messages)
}

// Any stack file of all that the format has is refused with a place, or is solved: its power is that of the file, its
// heat is kept, another method and a step in time agree, and the file that check --print writes gives the same to the
// last bit. A fuzzer ends an input after 10 s, so each has one of the comparisons.
func FuzzStacks(f *testing.F) {
	for _, seed := range cases.Seeds(testtier.Pick(6, 16)) {
		f.Add(seed)
	}
	command := quietly(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		t.Chdir(t.TempDir())
		r := cases.Bytes(data)
		file := randomStack(r)
		if err := os.WriteFile("stack.toml", []byte(file.Text), 0o666); err != nil {
			t.Fatal(err)
		}
		solved := func(line string) outcome {
			t.Helper()
			status, said := command(t, line)
			if status != exit.Done && status != exit.TooHot {
				t.Fatalf("%s ends with status %d: %s\n%s", line, status, said, file.Text)
			}
			return summaryOf(t, "out")
		}
		if status, said := command(t, "check --quiet"); status != exit.Done {
			if status != exit.Input || !strings.Contains(said, "stack.toml:") {
				t.Fatalf("status %d: %s\n%s", status, said, file.Text)
			}
			t.Skip(said)
		}
		const plain = " --no-page --save none --quiet --out out --device cpu --dpi 36"
		first := solved("steady" + plain)
		fail := func(what string, a ...any) {
			t.Helper()
			t.Errorf("%s: %+v\n%s", fmt.Sprintf(what, a...), first, file.Text)
		}
		if e := math.Abs(first.Power.Requested - file.Watts); e > 1e-5*file.Watts {
			fail("%g W are requested, the file has %g W", first.Power.Requested, file.Watts)
		}
		if e := math.Abs(first.Power.Mapped - file.Watts); e > 1e-5*file.Watts {
			fail("%g W are mapped, the file has %g W", first.Power.Mapped, file.Watts)
		}
		switch r.IntN(3) {
		case 0:
			againPrinted(t, first, file.Text, solved, plain)
		case 1:
			solved("transient" + plain)
		default:
			byAnotherMethod(t, r, first, file, command, plain)
		}
	})
}

// againPrinted solves what check --print writes, which printed again is the same.
func againPrinted(t *testing.T, first outcome, text string, solved func(string) outcome, plain string) {
	t.Helper()
	for n, from := range []string{"stack.toml", "printed0.toml"} {
		if status := printed(t, from, fmt.Sprintf("printed%d.toml", n)); status != exit.Done {
			t.Errorf("check --print of %s ends with status %d\n%s", from, status, text)
		}
	}
	once, _ := os.ReadFile("printed0.toml")
	twice, _ := os.ReadFile("printed1.toml")
	if string(once) != string(twice) {
		t.Errorf("printed twice it changes:\n%s\n%s\n%s", text, once, twice)
	}
	if again := solved("steady printed0.toml" + plain); again != first {
		t.Errorf("%+v; the printed file gives %+v:\n%s\n%s", first, again, text, once)
	}
}

// byAnotherMethod solves by a method that is not that of choice, where it applies.
func byAnotherMethod(t *testing.T, r *rand.Rand, first outcome, file randomFile,
	command func(*testing.T, string) (int, string), plain string) {
	t.Helper()
	methods := []string{"multigrid", "jacobi", "ic", "cmg", "chebyshev"}
	if file.Cooled {
		methods = []string{"multigrid", "ddilu --rtol 1e-11", "ilu --rtol 1e-11"}
	}
	status, said := command(t, "steady --precond "+methods[r.IntN(len(methods))]+plain)
	if status == exit.Input && strings.Contains(said, "does not apply") {
		return
	}
	other := summaryOf(t, "out")
	span := first.Temperature.Max - first.Temperature.Min + 1
	if e := math.Max(math.Abs(other.Temperature.Max-first.Temperature.Max),
		math.Abs(other.Temperature.Min-first.Temperature.Min)); !(e <= 4e-4+2e-6*span) && other.Grid == first.Grid {
		t.Errorf("%+v; another method ends with status %d and %+v: %s\n%s", first, status, other, said, file.Text)
	}
}
