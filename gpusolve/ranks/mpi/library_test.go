package mpi

import (
	"errors"
	"testing"
)

// The library of the launcher is tried first.
func TestCandidates(t *testing.T) {
	for _, tt := range []struct{ variable, first string }{
		{"PMI_RANK", "libmpi.so.12"},
		{"OMPI_COMM_WORLD_RANK", "libmpi.so.40"},
		{"PMIX_RANK", "libmpi.so.40"},
		{"SLURM_PROCID", "libmpi.so.12"},
	} {
		got := candidates(func(name string) string {
			if name == tt.variable {
				return "0"
			}
			return ""
		})
		if len(got) != 6 || got[0] != tt.first {
			t.Errorf("%s: %v", tt.variable, got)
		}
	}
	if got := candidates(func(string) string { return "/opt/libmpi.so" }); len(got) != 1 || got[0] != "/opt/libmpi.so" {
		t.Errorf("%v", got)
	}
}

// Handles of each interface: Open MPI's are addresses of symbols, the others' are constants of their headers.
func TestInterfaces(t *testing.T) {
	none := func(string) (uintptr, error) { return 0, errors.New("no such symbol") }
	symbols := func(name string) (uintptr, error) { return uintptr(len(name)), nil }
	for _, tt := range []struct {
		file   string
		lookup func(string) (uintptr, error)
		want   abi
	}{
		{"/usr/lib/libmpi_abi.so.0", none, abi{0x101, 0x247, 0x142, 2048}},
		{"libmpi.so.12", none, abi{0x44000000, 0x4c00010d, 0x54000001, 2}},
		{"libmpi.so.40", symbols, abi{uintptr(len("ompi_mpi_comm_world")), uintptr(len("ompi_mpi_byte")),
			uintptr(len("ompi_mpi_errors_return")), 2}},
	} {
		if got, err := interfaceOf(tt.file, tt.lookup); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", tt.file, got, err)
		}
	}
}

func TestName(t *testing.T) {
	for version, want := range map[string]string{
		"MPICH Version:      4.0.2\nMPICH Release date: Thu": "MPICH 4.0.2",
		"Open MPI v4.1.4, package: Debian OpenMPI":           "Open MPI v4.1.4",
		"Intel(R) MPI Library 2021.9 for Linux* OS\n":        "Intel(R) MPI Library 2021.9 for Linux* OS",
	} {
		if got := name(version); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
