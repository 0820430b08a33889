// Command comparison runs thermsim on the inputs of other simulators and compares the results with theirs, file by
// file:
//
//	go run ./tools/comparison -cases DIR -thermsim bin/thermsim -out docs/explanation/comparison.md
//
// DIR holds one folder per simulator (3dice, hotspot) with a folder per case: its inputs, what the simulator wrote, and
// where it was measured the output of /usr/bin/time -v. thermsim runs as a user runs it, once its own way and once with
// --compat.
//
//	go run ./tools/comparison -hotspot PATH -thermsim bin/thermsim
//
// makes random HotSpot projects and compares thermsim --compat with that executable on them, number by number.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	o := options{}
	flag.StringVar(&o.cases, "cases", "", "folder with the cases")
	flag.StringVar(&o.program, "thermsim", filepath.Join("bin", "thermsim"), "the program to compare")
	flag.StringVar(&o.out, "out", filepath.Join("docs", "explanation", "comparison.md"), "document to write")
	flag.StringVar(&o.images, "images", filepath.Join("docs", "images", "comparison"), "folder for the difference maps")
	flag.StringVar(&o.hotspot, "hotspot", "", "HotSpot's executable: compare thermsim --compat with it on random "+
		"projects and write -results, nothing else")
	flag.IntVar(&o.random, "random", 200, "number of random projects")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the first random project")
	flag.StringVar(&o.results, "results", filepath.Join("tools", "comparison", "random-hotspot.json"),
		"what random projects showed; the document quotes it")
	flag.Parse()
	if o.hotspot != "" {
		if err := runRandom(context.Background(), o); err != nil {
			log.Fatal("comparison: ", err)
		}
		return
	}
	log.Print("no random projects: name HotSpot's executable with -hotspot to compare with it")
	if err := run(context.Background(), o); err != nil {
		log.Fatal("comparison: ", err)
	}
}

type options struct {
	cases, program, out, images string
	hotspot, results            string
	random                      int
	seed                        uint64
}

// simulators are those that thermsim is compared with.
func simulators() []simulator { return []simulator{threeDICE{}, hotSpot{}} }

func run(ctx context.Context, o options) error {
	if o.cases == "" {
		return errors.New("name the folder of the cases with -cases")
	}
	var sections []section
	for _, s := range simulators() {
		folder := filepath.Join(o.cases, s.folder())
		if _, err := os.Stat(folder); err != nil {
			log.Printf("no cases of %s in %s", s.title(), folder)
			continue
		}
		studies, err := s.studies(folder)
		if err != nil {
			return err
		}
		sec := section{simulator: s}
		for _, st := range studies {
			log.Print(st.name)
			f, err := compare(ctx, o, s, st)
			if err != nil {
				return fmt.Errorf("%s: %w", st.name, err)
			}
			sec.findings = append(sec.findings, f)
		}
		sections = append(sections, sec)
	}
	return writeDocument(o, sections)
}
