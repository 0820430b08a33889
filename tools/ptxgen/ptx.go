package ptxgen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Entry is the signature of a kernel in PTX.
type Entry struct {
	Name    string
	Threads int      // maximum of a block, from .maxntid; 0 if it is missing
	Params  []string // PTX types without the dot: u32, f64
}

var (
	entryHead = regexp.MustCompile(`(?m)^\s*(?:\.visible\s+)?\.entry\s+(\S+?)\s*\(([^)]*)\)\s*([^{]*)\{`)
	entryWord = regexp.MustCompile(`(?m)^[^/\n]*\.entry\b`)
	// dynamic shared memory is also extern
	external  = regexp.MustCompile(`(?m)^\s*\.extern\s+\.(?:func|global|const)\b.*`)
	maxThread = regexp.MustCompile(`\.maxntid\s+(\d+)\s*,\s*(\d+)\s*,\s*(\d+)`)
	ptxParam  = regexp.MustCompile(`^\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)??(?:\.align\s+\d+\s+)?)?[\w$]+(\[\d*\])?$`)
)

// Entries reads the signatures of all kernels of a PTX text.
func Entries(ptx string) ([]Entry, error) {
	if undefined := external.FindString(ptx); undefined != "" {
		return nil, fmt.Errorf("PTX refers to an external symbol: %s", strings.TrimSpace(undefined))
	}
	var entries []Entry
	for _, m := range entryHead.FindAllStringSubmatch(ptx, -1) {
		e := Entry{Name: m[1]}
		if bound := maxThread.FindStringSubmatch(m[3]); bound != nil {
			e.Threads = 1
			for _, n := range bound[1:] {
				v, err := strconv.Atoi(n)
				if err != nil {
					return nil, fmt.Errorf("entry %s: %w", e.Name, err)
				}
				e.Threads *= v
			}
		}
		for text := range strings.SplitSeq(m[2], ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			p := ptxParam.FindStringSubmatch(text)
			if p == nil || p[3] != "" {
				return nil, fmt.Errorf("entry %s: parameter %q is not a plain number or pointer", e.Name, text)
			}
			if align := p[1]; align != "" && p[2][1:] != strconv.Itoa(8*atoi(align)) {
				return nil, fmt.Errorf("entry %s: parameter %q is not aligned to its size", e.Name, text)
			}
			e.Params = append(e.Params, p[2])
		}
		entries = append(entries, e)
	}
	if n := len(entryWord.FindAllString(ptx, -1)); n != len(entries) {
		return nil, fmt.Errorf("read %d of %d entries of the PTX", len(entries), n)
	}
	return entries, nil
}

// atoi reads digits that a pattern has found.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// Agree compares the kernels of a source with the entries of its PTX: names, block sizes, number and
// types of parameters.
func (s *Source) Agree(ptx string) error {
	entries, err := Entries(ptx)
	if err != nil {
		return err
	}
	byName := map[string]Entry{}
	for _, e := range entries {
		byName[e.Name] = e
	}
	for _, k := range s.Kernels {
		e, ok := byName[k.Name]
		if !ok {
			return fmt.Errorf("kernel %s of %s.cu is missing", k.Name, s.Name)
		}
		delete(byName, k.Name)
		if e.Threads != k.Threads {
			return fmt.Errorf("kernel %s: blocks of %d threads, %s.cu has %d", k.Name, e.Threads, s.Name, k.Threads)
		}
		if len(e.Params) != len(k.Params) {
			return fmt.Errorf("kernel %s: %d parameters, %s.cu has %d", k.Name, len(e.Params), s.Name, len(k.Params))
		}
		for i, p := range k.Params {
			if t, _ := typeOf(p.Type); e.Params[i] != t.PTX {
				return fmt.Errorf("kernel %s: parameter %d (%s) is a %s, %s.cu has a %s", k.Name, i+1, p.Name,
					e.Params[i], s.Name, p.Type)
			}
		}
	}
	for name := range byName {
		return fmt.Errorf("entry %s is not a KERNEL of %s.cu", name, s.Name)
	}
	return nil
}
