package inputfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReadIsTheFile(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 70_000} {
		want := bytes.Repeat([]byte("a"), n)
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
	}
}

// A file of more than MaxBytes is refused by its size alone; this one takes no room on the disk.
func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, MaxBytes+1); err != nil {
		t.Skip(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "larger than 256 MiB") {
		t.Errorf("got %v", err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were taken before the file was refused", took)
	}
}

func TestFoldersAndDevicesAreRefused(t *testing.T) {
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no devices here")
	}
	if _, err := Read("/dev/zero"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("/dev/zero: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Only the name - stands for what is piped in, and it is read to its end.
func TestPipedIn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	os.Stdin = r
	go func() {
		defer w.Close()
		for range 3 {
			_, _ = w.Write(bytes.Repeat([]byte("b"), 5000)) // the reader tells what is missing
		}
	}()
	if data, err := ReadAsked(Stdin); err != nil || len(data) != 15_000 {
		t.Errorf("read %d bytes, %v", len(data), err)
	}
}

// Deflate needs at least one bit for a run of 258 bytes, so that blanks pack about a thousand times smaller; numbers
// counted up do not come near the limit.
func TestUnpack(t *testing.T) {
	pack := func(text []byte) *bytes.Buffer {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	blanks := bytes.Repeat([]byte(" "), 20<<20)
	if r, err := Unpack(pack(blanks)); err != nil {
		t.Fatal(err)
	} else if n, err := io.Copy(io.Discard, r); err == nil || n > 4<<20 {
		t.Errorf("20 MiB of blanks: %d bytes read, %v", n, err)
	}
	var counted []byte
	for i := range 300_000 {
		counted = fmt.Appendf(counted, "%d %d -1\n", i, i+1)
	}
	r, err := Unpack(pack(counted))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, counted) {
		t.Errorf("read %d of %d bytes, %v", len(got), len(counted), err)
	}
}
