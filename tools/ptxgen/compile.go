package ptxgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Clang is the compiler's command. Another version would change the committed files without need.
const Clang = "clang-19"

// ErrNoClang means that the compiler is not installed.
var ErrNoClang = errors.New(Clang + " is not installed: apt-get install " + Clang)

// Compile returns the PTX of one build of a source. The result depends only on the sources and the compiler: clang runs
// in the folder with relative names, without its configuration files and environment variables for header folders.
func (f *Folder) Compile(s *Source, b Build) ([]byte, error) {
	clang, err := exec.LookPath(Clang)
	if err != nil {
		return nil, ErrNoClang
	}
	args := []string{"--no-default-config", "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
		"--cuda-gpu-arch=sm_70", "--cuda-feature=+ptx63", "-O3", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-S",
		"-o", "-"}
	if f.Headers != "" {
		args = append(args, "-I"+f.Headers)
	}
	for _, d := range b.Defines {
		args = append(args, "-D"+d)
	}
	command := exec.Command(clang, append(args, s.Name+".cu")...)
	command.Dir = f.Dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	var ptx, messages bytes.Buffer
	command.Stdout, command.Stderr = &ptx, &messages
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", b.PTX, err, messages.Bytes())
	}
	if err := s.Agree(ptx.String()); err != nil {
		return nil, fmt.Errorf("%s: %w", b.PTX, err)
	}
	return ptx.Bytes(), nil
}
