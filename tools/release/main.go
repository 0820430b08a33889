// Command release makes the files of a release: archives of thermsim with manual pages and completions, packages,
// manifests for package managers, checksums, bills of materials, and third-party notices. It runs in any folder of the
// repository. The same source gives identical files in any location.
//
//	go run ./tools/release notices > THIRD_PARTY_NOTICES.txt
//	go run ./tools/release dist [-o DIR] [-version V] [-repository ADDRESS] [SYSTEM/PROCESSOR ...]
package main

import (
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
	const usage = "usage: release notices|dist; the comment of the package describes them"
	if len(args) == 0 {
		return errors.New(usage)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	out := flags.String("o", "bin/dist", "folder for the files")
	version := flags.String("version", "", "version; if empty, the tag of the commit or the commit")
	repository := flags.String("repository", projectAddress, "address where the project is published, for manifests")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "notices":
		return writeNotices(stdout)
	case "dist":
		r, err := newRelease(*version, *out, *repository)
		if err != nil {
			return err
		}
		wanted := flags.Args()
		if len(wanted) == 0 {
			wanted = targets
		}
		return r.dist(wanted)
	}
	return fmt.Errorf("%s: %s", strings.Join(args, " "), usage)
}
