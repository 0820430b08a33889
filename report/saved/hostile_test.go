package saved

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rewrite copies an archive with one entry changed, packed if asked for.
func rewrite(t *testing.T, path, name string, method uint16, change func([]byte) []byte) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == name {
			data = change(data)
		}
		e, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		if err == nil {
			_, err = e.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "run.zip")
	if err := os.WriteFile(changed, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return changed
}

// A manifest that speaks of steps which the run has not taken is refused.
func TestSavedStepsAreThoseOfTheRun(t *testing.T) {
	path := write(t, sampleMesh(t))
	for _, steps := range [][]int{{-1}, {0}, {99}, {1, 99}, {1, 1}, {2, 1}} {
		other := rewrite(t, path, manifestName, zip.Store, func(b []byte) []byte {
			var about map[string]any
			if err := json.Unmarshal(b, &about); err != nil {
				t.Fatal(err)
			}
			about["saved_steps"] = steps
			b, err := json.Marshal(about)
			if err != nil {
				t.Fatal(err)
			}
			return b
		})
		if r, err := Open(other, nil); err == nil {
			r.Close()
			t.Errorf("a transient with the steps %v saved is opened", steps)
		}
	}
}

// A run of another version of the format is not read as if it were of this one.
func TestSchemaIsChecked(t *testing.T) {
	path := write(t, sampleMesh(t))
	for _, number := range []string{"0", "2", "-1"} {
		other := rewrite(t, path, manifestName, zip.Store, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"schema": 1`), []byte(`"schema": `+number), 1)
		})
		if _, err := Open(other, nil); err == nil ||
			!strings.Contains(err.Error(), "its schema is "+number+", expected 1") {
			t.Errorf("schema %s: %v", number, err)
		}
	}
}

// Tables of a manifest that hold nothing would take many times its size.
func TestEmptySteps(t *testing.T) {
	other := rewrite(t, write(t, sampleMesh(t)), manifestName, zip.Store, func(b []byte) []byte {
		return append([]byte(`{"warnings":[`+strings.Repeat("{},", 3000)+`{}],`), bytes.TrimSpace(b)[1:]...)
	})
	if _, err := Open(other, nil); err == nil || !strings.Contains(err.Error(), "run.json: ") ||
		!strings.Contains(err.Error(), "bytes are more than a valid file") {
		t.Error(err)
	}
}

// An archive that was packed again is read; one that opens to absurdly much is refused before it does.
func TestPackedArchives(t *testing.T) {
	path := write(t, sampleMesh(t))
	r, err := Open(rewrite(t, path, "", zip.Deflate, nil), nil)
	if err != nil {
		t.Fatalf("packed again: %v", err)
	}
	r.Close()
	for _, name := range []string{manifestName, stackName, traceName} {
		bomb := rewrite(t, path, name, zip.Deflate, func(b []byte) []byte {
			return append(b, bytes.Repeat([]byte(" "), 20<<20)...)
		})
		if _, err := Open(bomb, nil); err == nil || !strings.Contains(err.Error(), "more than 20 times its size") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever texts a manifest holds, none of them reaches a terminal or a file as more than text.
func TestTextsOfAManifestAreShownAsText(t *testing.T) {
	const evil = "\x1b[2J\u202e\u009b"
	path := rewrite(t, write(t, sampleMesh(t)), manifestName, zip.Store, func(b []byte) []byte {
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		m["version"], m["stack"], m["device_name"] = evil, evil, evil
		m["status"].(map[string]any)["details"] = evil
		m["warnings"] = []map[string]string{{"code": evil, "place": evil, "text": evil, "remedy": evil}}
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	})
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := &r.Manifest
	for _, text := range []string{m.Version, m.Stack, m.DeviceName, m.Status.Details, m.Warnings[0].Text,
		m.Warnings[0].Place} {
		if text != `\u001b[2J\u202e\u009b` {
			t.Errorf("got %q", text)
		}
	}
}

// Damage can be told from other failures: it is the input that is at fault.
func TestDamageIsAKindOfItsOwn(t *testing.T) {
	path := rewrite(t, write(t, sampleMesh(t)), planeName(1, 0), zip.Store, func(b []byte) []byte {
		return b[:len(b)/2]
	})
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := r.Field(1)
	if err == nil {
		err = f.Plane(0, make([]float64, 63))
	}
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("half a plane: %v", err)
	}
}

// A plane that is longer than its grid is damage and is called that, one that is none is not; a stack that cannot be
// printed ends no archive.
func TestFaultsOfPlanesAndStacks(t *testing.T) {
	m := sampleMesh(t)
	path := rewrite(t, write(t, m), planeName(1, 0), zip.Store, func(b []byte) []byte { return append(b, 0) })
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := r.Field(1)
	if err != nil {
		t.Fatal(err)
	}
	plane := make([]float64, 63)
	if err := f.Plane(0, plane); !errors.Is(err, ErrDamaged) ||
		!strings.Contains(err.Error(), "it has more values than a plane of the grid has cells") {
		t.Errorf("a plane too long: %v", err)
	}
	for _, k := range []int{-1, m.NZ()} {
		if err := f.Plane(k, plane); err == nil || errors.Is(err, ErrDamaged) {
			t.Errorf("plane %d: %v", k, err)
		}
	}
	s := *m.Stack
	s.Ambient = -1
	w := NewWriter(io.Discard, 63)
	if err := w.Close(Describe("steady", "1.0", m.Stack, solved()), &s, nil); err == nil ||
		!strings.Contains(err.Error(), "saving the stack") {
		t.Errorf("an ambient of -1 K: %v", err)
	}
}

// An archive in which an entry is a folder, once or twice, is refused.
func TestEntriesThatAreFolders(t *testing.T) {
	for times := 1; times <= 2; times++ {
		path := filepath.Join(t.TempDir(), "run.zip")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(f)
		for range times {
			if _, err := w.CreateHeader(&zip.FileHeader{Name: manifestName + "/"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(path, nil); err == nil || !strings.Contains(err.Error(), "run.zip") {
			t.Errorf("a folder that is there %d times: %v, %v", times, r, err)
		}
	}
}

// An archive that lacks a plane says so when it is read.
func TestAPlaneThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.zip")
	z, err := zip.OpenReader(write(t, sampleMesh(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, e := range z.File {
		if e.Name != planeName(2, 1) {
			if err := w.Copy(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	field, err := r.Field(2)
	if err != nil {
		t.Fatal(err)
	}
	plane := make([]float64, 63)
	if err := field.Plane(0, plane); err != nil {
		t.Error(err)
	}
	if err := field.Plane(1, plane); !errors.Is(err, ErrDamaged) {
		t.Errorf("a plane that is not there: %v", err)
	}
}

// A list of twelve steps is told whole, a longer one by its ends.
func TestListOfSteps(t *testing.T) {
	for want, steps := range map[string][]int{
		"steps [3]":                          {3},
		"steps [1 2 3 4 5 6 7 8 9 10 11 12]": {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		"13 steps from 1 to 25":              {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25},
	} {
		if got := listed(steps); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A field with a cell that has no finite temperature can be read, and nothing can start from it.
func TestBrokenFields(t *testing.T) {
	m := sampleMesh(t)
	path := write(t, m)
	const i, j = 3, 2
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		r, err := Open(rewrite(t, path, planeName(1, 1), zip.Store, func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[8*(j*m.NX()+i):], math.Float64bits(v))
			return b
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		plane := make([]float64, m.NX()*m.NY())
		f, err := r.Field(1)
		if err == nil {
			err = f.Plane(1, plane)
		}
		if got := plane[j*m.NX()+i]; err != nil || got != v && !(got != got && v != v) {
			t.Errorf("to look at: %v, %v", got, err)
		}
		if f, err = r.State(1); err != nil {
			t.Fatal(err)
		}
		if err := f.Plane(0, plane); err != nil {
			t.Errorf("a plane beside it: %v", err)
		}
		want := fmt.Sprintf("cell (%d, %d, 1), in layer %q, is %v", i, j, m.Stack.Layers[m.Planes[1].Layer].Name, v)
		if err := f.Plane(1, plane); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
