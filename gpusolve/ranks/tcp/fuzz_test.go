package tcp

import (
	"bytes"
	"testing"
)

// Whatever a stranger sends is refused or read, and never makes a rank hold more than was sent.
func FuzzHandshake(f *testing.F) {
	var good bytes.Buffer
	if err := say(&good, hello{Protocol: Protocol, Rank: 1, Ranks: 2, Host: "a", Port: 7}); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add(append(magic[:], 0xff, 0xff, 0xff, 0x7f, '{'))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h hello
		if hearLine(bytes.NewReader(data), &h) != nil {
			return
		}
		c := Config{Ranks: 2, Facts: facts()}
		if f := c.refusal(&h); f == nil && (h.Rank != 1 || h.Ranks != 2 || len(h.Facts) != len(c.Facts)) {
			t.Errorf("%+v is taken", h)
		}
	})
}

// A frame is read as it was written, or not at all.
func FuzzFrame(f *testing.F) {
	for _, payload := range []string{"", "sum", string(make([]byte, 5000))} {
		f.Add([]byte(payload), uint16(0), byte(0))
		f.Add([]byte(payload), uint16(9), byte(1))
	}
	f.Fuzz(func(t *testing.T, payload []byte, at uint16, change byte) {
		conn := new(written)
		p := newPeer(1, "", conn)
		if err := p.send(sent, payload); err != nil {
			t.Fatal(err)
		}
		data := conn.Bytes()
		data[int(at)%len(data)] ^= change
		k, got, err := readFrame(bytes.NewReader(data), 0, func(n int) []byte { return make([]byte, min(n, 1<<20)) })
		if change != 0 && err == nil {
			t.Errorf("byte %d changed by %#x, and read as %q", int(at)%len(data), change, got)
		}
		if change == 0 && (err != nil || k != sent || !bytes.Equal(got, payload)) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
