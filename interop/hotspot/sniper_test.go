package hotspot

import (
	"bytes"
	"compress/gzip"
	"testing"

	"thermsim/interop/importer"
)

// gzipped is a text as gzip.
func gzipped(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// HotSniper's interval trace, with tabs at the ends of lines and compressed as it keeps it, is a power trace.
func TestIntervalTrace(t *testing.T) {
	log := "Core0-TP\tL3\t\n5.5\t2.25\t\n6.5\t1.75\t\n"
	files := project{"c.config": goodConfig, "f.flp": "Core0-TP 8e-3 16e-3 0 0\nL3 8e-3 16e-3 8e-3 0\n",
		"PeriodicPower.log.gz": gzipped(t, []byte(log)), "combined_power.trace": log,
		"bomb.log.gz": gzipped(t, make([]byte, 1<<24))}
	read := func(trace string) (*importer.Result, error) {
		return Format.Import(importer.Request{Files: []string{"c.config", trace, "f.flp"}, Open: files.open})
	}
	for _, name := range []string{"PeriodicPower.log.gz", "combined_power.trace"} {
		r, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Stack.Layers[0].Powers[0]
		if p.Blocks[0].Watts != 6 || p.Trace.Watts[1][1] != 1.75 || p.Trace.End != 0.02 {
			t.Errorf("%s: %+v, trace %+v", name, p.Blocks, p.Trace)
		}
	}
	const want = "bomb.log.gz:1:1: cannot decompress the file: decompresses to more than 100 times its size; if this " +
		"is intended, decompress the file first; decompress it with gunzip"
	if _, err := read("bomb.log.gz"); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
