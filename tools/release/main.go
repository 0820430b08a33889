// Command release makes the files of a release: archives of thermsim with manual pages and completions, checksums,
// bills of materials, and third-party notices. It runs in any folder of the repository. The same source gives identical
// files in any location.
//
//	go run ./tools/release notices > THIRD_PARTY_NOTICES.txt
//	go run ./tools/release dist [-o DIR] [-version V] [SYSTEM/PROCESSOR ...]
//	go run ./tools/release docs [-o DIR] [-version V]
//	go run ./tools/release sbom [-to FILE] [-version V] PROGRAM
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// targets are the systems that releases are built for.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	const usage = "usage: release notices|dist|docs|sbom; the comment of the package describes them"
	if len(args) == 0 {
		return errors.New(usage)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	out := flags.String("o", "bin/dist", "folder for the files")
	version := flags.String("version", "", "version; if empty, the tag of the commit or the commit")
	to := flags.String("to", "", "file for the bill of materials; if empty, standard output")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if args[0] == "notices" {
		return writeNotices(stdout)
	}
	r, err := newRelease(*version, *out)
	if err != nil {
		return err
	}
	switch {
	case args[0] == "dist":
		wanted := flags.Args()
		if len(wanted) == 0 {
			wanted = targets
		}
		return r.dist(wanted)
	case args[0] == "docs":
		return r.writeDocs()
	case args[0] == "sbom" && flags.NArg() == 1:
		if *to == "" {
			return r.writeSBOM(stdout, flags.Arg(0))
		}
		var b bytes.Buffer
		if err := r.writeSBOM(&b, flags.Arg(0)); err != nil {
			return err
		}
		return os.WriteFile(*to, b.Bytes(), 0o666)
	}
	return fmt.Errorf("%s: %s", strings.Join(args, " "), usage)
}
