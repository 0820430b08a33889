package fmu_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/fmu"
)

// random is a model; warm ones start above ambient, and uniform ones rest at it.
func random(states, inputs, probes int, warm, uniform bool) *reducedmodel.Model {
	rng := rand.New(rand.NewPCG(uint64(states), uint64(inputs)))
	m := &reducedmodel.Model{Title: `a "<b>" & 'c'` + "\n*/ \x01é 日本", Ambient: 300, Initial: 300}
	for k := range states {
		m.Tau = append(m.Tau, math.Pow(10, -6*float64(k)/float64(states)))
		if warm {
			m.Start, m.Initial = append(m.Start, rng.Float64()), 310
		}
	}
	m.B, m.L = reducedmodel.NewMatrix(states, inputs), reducedmodel.NewMatrix(inputs+probes, states)
	for _, data := range [][]float64{m.B.Data, m.L.Data} {
		for i := range data {
			data[i] = rng.Float64() - 0.3
		}
	}
	for i := range inputs {
		name := fmt.Sprintf("die/<%d> \"&'\r\n */ é", i)
		m.Inputs = append(m.Inputs, reducedmodel.Input{Name: name, Watts: 1e20 / float64(i+1), Range: 2})
		m.Outputs = append(m.Outputs, reducedmodel.Output{Name: name, Kind: "mean", Rest: 300, Of: i})
	}
	for range probes {
		m.Outputs = append(m.Outputs, reducedmodel.Output{Name: "probe/p", Kind: "probe", Rest: 300, Of: -1})
	}
	if !uniform {
		m.Outputs[0].Rest = 305
	}
	return m
}

// files are the files of an FMU.
func files(t *testing.T, m *reducedmodel.Model, version int) map[string]string {
	t.Helper()
	var written, again bytes.Buffer
	for _, w := range []io.Writer{&written, &again} {
		if err := fmu.Write(w, m, version); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(written.Bytes(), again.Bytes()) {
		t.Error("equal models have different files")
	}
	z, err := zip.NewReader(bytes.NewReader(written.Bytes()), int64(written.Len()))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(b)
	}
	return all
}

// TestSteps compiles FMUs and compares their steps of several lengths with those of `transient --model`. A different
// ambient temperature shifts all temperatures.
func TestSteps(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed: the sources of FMUs are not compiled")
	}
	states := testtier.Pick(7, 200)
	cases := []struct {
		version       int
		warm, uniform bool
		parameters    []float64
		shift         float64 // K
	}{
		{2, true, true, []float64{290, 320}, -10},
		{3, true, true, []float64{310, 305}, 10},
		{3, false, true, []float64{295}, -5},
		{2, true, false, nil, 0},
	}
	for _, c := range cases[:testtier.Pick(2, len(cases))] {
		m := random(states, 3, 2, c.warm, c.uniform)
		run, err := reducedmodel.NewStepper(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.parameters) == 2 {
			if err := run.Begin(c.parameters[1] - c.shift); err != nil {
				t.Fatal(err)
			}
		}
		input := strings.Trim(fmt.Sprintln(c.parameters), "[]\n") + "\n"
		var want [][]float64
		for n, dt := range []float64{1e-7, 1e-7, 0.013, 1, 3e-4, 3e-4, 50, 2e-5} {
			watts := []float64{float64(n % 3), 0.7, float64(n) / 3}
			if err := run.Step(dt, watts); err != nil {
				t.Fatal(err)
			}
			input += fmt.Sprintln(dt, watts[0], watts[1], watts[2])
			kelvin := make([]float64, len(m.Outputs))
			run.Temperatures(kelvin)
			want = append(want, kelvin)
		}
		worst, read := 0.0, 0
		for n, line := range strings.Split(strings.TrimSpace(drive(t, gcc, m, c.version, input)), "\n") {
			for o, word := range strings.Fields(line) {
				read++
				got, err := strconv.ParseFloat(word, 64)
				if err != nil {
					t.Fatal(line)
				}
				worst = math.Max(worst, math.Abs(got-c.shift-want[n][o]))
			}
		}
		if !(worst <= 1e-9) || read != len(want)*len(m.Outputs) {
			t.Errorf("%+v: %d temperatures, up to %g K from the steps of the model", c, read, worst)
		}
		t.Logf("FMI %d: %.2g K from the steps of the model", c.version, worst)
	}
}

// drive compiles an FMU with testdata/driver.c and runs it.
func drive(t *testing.T, gcc string, m *reducedmodel.Model, version int, input string) string {
	t.Helper()
	dir := t.TempDir()
	model := files(t, m, version)["sources/model.c"]
	if err := os.WriteFile(filepath.Join(dir, "model.c"), []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "driver")
	out, err := exec.Command(gcc, "-std=c99", "-pedantic", "-Wall", "-Werror", fmt.Sprintf("-DFMI=%d", version),
		"-I", dir, "-o", program, "testdata/driver.c", "-lm").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program)
	run.Stdin = strings.NewReader(input)
	if out, err = run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestHostileNames reads the description as XML: names are unique, on one line, and equal to the model's otherwise.
func TestHostileNames(t *testing.T) {
	m := random(3, 2, 2, true, true)
	for version, element := range map[int]string{2: "ScalarVariable", 3: "Float64"} {
		all := files(t, m, version)
		var names []string
		d := xml.NewDecoder(strings.NewReader(all["modelDescription.xml"]))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range start.Attr {
				if start.Name.Local == element && a.Name.Local == "name" {
					names = append(names, a.Value)
				}
				if a.Name.Local == "modelName" && a.Value != `a "<b>" & 'c'\u000a*/ \u0001é 日本` {
					t.Errorf("model name %q", a.Value)
				}
			}
		}
		name := `die/<0> "&'\u000d\u000a */ é`
		name1 := strings.Replace(name, "0", "1", 1)
		want := []string{"time", name + "_W", name1 + "_W", name + "_mean_K", name1 + "_mean_K", "p_K", "p_K_2",
			"ambient_K", "initial_K"}
		if got := strings.Join(names, "|"); got != strings.Join(want, "|") {
			t.Errorf("FMI %d: variables %s", version, got)
		}
		c := all["sources/model.c"]
		if strings.Contains(c, "die/") || !strings.Contains(c, "#define PREFIX thermal_") {
			t.Errorf("FMI %d: the source contains names, or no identifier", version)
		}
	}
	if err := fmu.Write(io.Discard, m, 4); err == nil {
		t.Error("FMI 4 was written")
	}
}
