package machine

import (
	"testing"
	"testing/fstest"
)

func TestKilobytes(t *testing.T) {
	text := "MemTotal:       32768 kB\nMemFree:         1024 kB\nMemAvailable:    2048 kB\n"
	available := func(text string) float64 {
		root := fstest.MapFS{"proc/meminfo": {Data: []byte(text)}}
		return kilobytes(root, "proc/meminfo", "MemAvailable:")
	}
	if got := available(text); got != 2048*1024 {
		t.Errorf("%g bytes available, want %d", got, 2048*1024)
	}
	for _, text := range []string{"", "MemAvailable:", "MemAvailable: lots kB", "MemTotal: 1 kB"} {
		available := func(text string) float64 {
			root := fstest.MapFS{"proc/meminfo": {Data: []byte(text)}}
			return kilobytes(root, "proc/meminfo", "MemAvailable:")
		}
		if got := available(text); got != 0 {
			t.Errorf("%q: %g bytes available, want 0 for unknown", text, got)
		}
	}
}
