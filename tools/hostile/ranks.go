//go:build unix

package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// otherRank is a run of two ranks. In place of the other rank, this program sends something else.
func otherRank(rank int, message func() []byte) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		if err := writeFile(dir, "stack.toml", small()); err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		address := l.Addr().String()
		meet := l.Accept
		if rank == 0 {
			_ = l.Close() // rank 0 listens there
			meet = func() (net.Conn, error) {
				pause()
				return net.Dial("tcp", address)
			}
		}
		go func() {
			for {
				if c, err := meet(); err == nil {
					_, _ = c.Write(message()) // the program may leave at any time
					time.Sleep(time.Second)
					_ = c.Close()
				}
			}
		}()
		return []string{"steady", "--quiet", "--out", "out", "--grid", "32x32", "--ranks", "2", "--rank",
			strconv.Itoa(rank), "--rendezvous", address, "--ranks-wait", "3 s"}, nil
	}
}

func peerInputs() (all []input) {
	text := func(parts ...string) func() []byte { return func() []byte { return []byte(strings.Join(parts, "")) } }
	framed := func(length uint32, parts ...string) func() []byte {
		head := string([]byte{byte(length), byte(length >> 8), byte(length >> 16), byte(length >> 24)})
		return text(append([]string{"thrmrank", head}, parts...)...)
	}
	facts := `{"facts":[` + strings.TrimSuffix(strings.Repeat("{},", 3_000_000), ",") + `]}`
	for rank := range 2 {
		for _, s := range []struct {
			name, what string
			message    func() []byte
		}{
			{"web", "a request of a browser", text("GET / HTTP/1.1\r\nHost: x\r\n\r\n")},
			{"zeros", "10 MB of zeros", func() []byte { return make([]byte, 10_000_000) }},
			{"long", "a line of 4 GB announced", framed(0xffffffff, strings.Repeat("x", 1000))},
			{"most", "a line of 16 MB", framed(16<<20, strings.Repeat("x", 16<<20))},
			{"deep", "10,000,000 arrays in each other", framed(10_000_000, strings.Repeat("[", 10_000_000))},
			{"facts", "3,000,000 facts", framed(uint32(len(facts)), facts)},
			{"silence", "nothing", text()},
		} {
			all = append(all, input{fmt.Sprintf("rank%d-%s", rank, s.name),
				fmt.Sprintf("rank %d of two hears %s from the other", rank, s.what), anyStatus,
				otherRank(rank, s.message)})
		}
	}
	return all
}
