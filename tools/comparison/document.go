package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// section is a simulator with what was found.
type section struct {
	simulator simulator
	findings  []finding
}

const introduction = `# Comparison with other simulators

<!-- Made by: go run ./tools/comparison -cases DIR -thermsim bin/thermsim. Do not edit. -->

Each case is an input of another simulator that thermsim runs as it stands, once its own way and once with ` + "`--compat`" + `, which puts the
simulator's arithmetic in place of thermsim's; [import.md](import.md) tells what that is. Files in the simulator's format are compared number
by number with those that it wrote. Temperatures are in K; differences are the largest of any cell at any instant.

`

func writeDocument(o options, sections []section) error {
	file, err := os.Create(o.out)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	fmt.Fprint(w, introduction)
	for i := range sections {
		sections[i].write(w, filepath.Dir(o.out))
		if _, ok := sections[i].simulator.(hotSpot); ok {
			if err := writeRandom(w, o.results, filepath.Dir(o.out)); err != nil {
				return errors.Join(err, file.Close())
			}
		}
	}
	return errors.Join(w.Flush(), file.Close())
}

func (s *section) write(w *bufio.Writer, folder string) {
	fmt.Fprintf(w, "## %s\n\n", s.simulator.title())
	s.overview(w)
	for i := range s.findings {
		s.findings[i].write(w, s.simulator.title(), folder)
	}
}

// overview is a line per case, with run times.
func (s *section) overview(w *bufio.Writer) {
	fmt.Fprint(w, "| case | cells | `--compat`, K | thermsim, K | wall time | processor time | ratio | memory "+
		"|\n|---|---|---|---|---|---|---|---|\n")
	for i := range s.findings {
		f := &s.findings[i]
		peer, own := f.study.measured, f.compat
		if f.refused != nil {
			fmt.Fprintf(w, "| [%s](#%[1]s) | | refused | refused | %s | %s | | %s |\n", f.study.name,
				seconds(peer.wall), seconds(peer.cpu), bytes(peer.memory))
			continue
		}
		plain, compat := f.largest()
		ratio := ""
		if peer.cpu > 0 {
			ratio = fmt.Sprintf("%.3g", peer.cpu/own.cpu)
		}
		fmt.Fprintf(w, "| [%s](#%[1]s) | %s | %.1e | %.1e | %s / %s | %s / %s | %s | %s / %s |\n", f.study.name, f.grid,
			compat, plain,
			seconds(peer.wall), seconds(own.wall), seconds(peer.cpu), seconds(own.cpu), ratio, bytes(peer.memory),
			bytes(own.memory))
	}
	fmt.Fprintf(w, `
The third and fourth column are the largest differences over all maps. Times and peak memory of whole processes are those of %s, then those of thermsim
with `+"`--compat`"+`, its default tolerance, its maps, tables and pictures, and the simulator's files with nine decimals (the fastest of five runs). Both ran on
the same two cores, which other work shared, so wall times are upper bounds; the ratio is that of processor times, user and system, of all threads.

`, s.simulator.title())
}

// largest differences over all maps.
func (f *finding) largest() (plain, compat float64) {
	for _, r := range f.rows {
		if !(r.dPlain <= plain) {
			plain = r.dPlain
		}
		if !(r.dCompat <= compat) {
			compat = r.dCompat
		}
	}
	return plain, compat
}

func (f *finding) write(w *bufio.Writer, simulator, folder string) {
	fmt.Fprintf(w, "### %s\n\n", f.study.name)
	if f.study.what != "" {
		fmt.Fprintf(w, "%s\n\n", f.study.what)
	}
	if f.refused != nil {
		fmt.Fprint(w, "thermsim refuses the case, because it cannot model what it describes:\n\n")
		for _, r := range f.refused {
			fmt.Fprintf(w, "    %s\n", r)
		}
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "| map | instants | %s, hottest | `--compat` | difference | thermsim | difference "+
		"|\n|---|---|---|---|---|---|---|\n", simulator)
	for _, r := range f.rows {
		fmt.Fprintf(w, "| %s | %d | %.6f | %.6f | %.1e | %.6f | %.1e |\n", r.name, r.instants, r.peer, r.compat,
			r.dCompat, r.plain, r.dPlain)
	}
	fmt.Fprintln(w)
	f.reasons(w, simulator)
	if f.image != "" {
		path, err := filepath.Rel(folder, f.image)
		if err != nil {
			path = f.image
		}
		fmt.Fprintf(w, "![difference](%s)\n\n*thermsim minus %s, %s.*\n\n", filepath.ToSlash(path), simulator,
			f.imageOf)
	}
}

// worthAReason is the difference in K above which it has to be explained.
const worthAReason = 0.01

func (f *finding) reasons(w *bufio.Writer, simulator string) {
	plain, _ := f.largest()
	if plain <= worthAReason {
		fmt.Fprintf(w, "No difference exceeds %g K.\n\n", worthAReason)
		return
	}
	fmt.Fprintf(w, "Why the two differ by more than %g K:\n\n", worthAReason)
	for _, d := range f.deviations {
		if !d.Field && !(d.InTime && f.inTime()) {
			continue
		}
		size := "not measured"
		if d.InTime {
			size = "in transients"
		}
		switch {
		case d.Measured && d.InTime:
			size = fmt.Sprintf("%.3g K in the first %d time steps", d.SizeK, d.Steps)
		case d.Measured:
			size = fmt.Sprintf("%.3g K in the steady state", d.SizeK)
		}
		fmt.Fprintf(w, "* **%s** (%s): %s. Here: %s.\n", d.Name, size, strings.TrimSuffix(d.What, "."), d.Instead)
	}
	fmt.Fprintln(w)
}

// inTime tells whether the case is a transient.
func (f *finding) inTime() bool {
	for _, r := range f.rows {
		if r.instants > 1 {
			return true
		}
	}
	return false
}

func seconds(s float64) string {
	switch {
	case s == 0:
		return ""
	case s < 1:
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.1f s", s)
}

func bytes(b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f MB", b/1e6)
}
