//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed readers.txt
var readersText string

var (
	anyNumber = regexp.MustCompile(`\b\d+(\.\d+)?([eE][-+]?\d+)?\b`)
	anyName   = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9_]+\b`)
)

// damage is a change of a file of text; raw ones change compressed files as they are.
type damage struct {
	name, what string
	raw        bool
	change     change
}

// damages are those of every project. Some results are valid: all must end within the limits.
var damages = []damage{
	{"cut", "cut in half", true, half},
	{"zeros", "of 10 MB of zeros", true, others([]byte{0}, 10<<20)},
	{"noise", "of 1 MB of random bytes", true, func([]byte) []byte {
		rng, noise := rand.New(rand.NewPCG(1, 2)), make([]byte, 1<<20)
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		return noise
	}},
	{"repeated", "repeated to 4 MB", false, func(data []byte) []byte {
		return bytes.Repeat(data, 1+4<<20/max(1, len(data)))
	}},
	{"numbers", "whose numbers are 1e308", false, func(data []byte) []byte {
		return anyNumber.ReplaceAll(data, []byte("1e308"))
	}},
	{"names", "whose last name has 1 MB", false, func(data []byte) []byte {
		at := anyName.FindAllIndex(data, -1)
		if len(at) == 0 {
			return data
		}
		last := at[len(at)-1]
		return bytes.Join([][]byte{data[:last[0]], bytes.Repeat([]byte("x"), 1<<20), data[last[1]:]}, nil)
	}},
	{"deep", "after 1,000,000 opening brackets and elements", false, func(data []byte) []byte {
		return append([]byte(strings.Repeat("[", 1_000_000)+strings.Repeat("<a>", 1_000_000)), data...)
	}},
	{"separators", "with 1,000,000 separators behind its first line", false, func(data []byte) []byte {
		first, rest, _ := bytes.Cut(data, []byte("\n"))
		return bytes.Join([][]byte{first, []byte(strings.Repeat(", \t", 1_000_000)), []byte("\n"), rest}, nil)
	}},
}

// damagedProjects are valid inputs with a file damaged in every way.
func damagedProjects(projects []input) (all []input) {
	for _, p := range projects {
		_, name, _ := strings.Cut(p.name, "-")
		for _, d := range damages {
			all = append(all, input{p.name + "-" + d.name, p.what + " " + d.what, within,
				func(dir string) ([]string, error) {
					args, err := p.make(dir)
					if err != nil {
						return nil, err
					}
					c := d.change
					if strings.HasSuffix(name, ".gz") && !d.raw {
						c = compressed(c)
					}
					return args, c.in(name)(filepath.Clean(dir))
				}})
		}
	}
	return all
}

// compressed changes the content of a compressed file.
func compressed(c change) change {
	return func(data []byte) []byte {
		in, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			panic(err) // write has made the file
		}
		text, _ := io.ReadAll(in)
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(c(text))
		_ = z.Close()
		return b.Bytes()
	}
}
