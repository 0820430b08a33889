package mpi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// PathVariable names the environment variable with the path of the MPI library.
const PathVariable = "THERMSIM_MPI"

// abi holds the constants of a binary interface. A handle fits a register in all of them, and a status statusWords.
type abi struct {
	world, bytes, errorsReturn uintptr // handles, or addresses of them
	serialized                 int     // the thread level MPI_THREAD_SERIALIZED
}

const statusWords = 8

var (
	// mpich is the interface of MPICH since 3.1, Intel MPI and MVAPICH.
	mpich = abi{0x44000000, 0x4c00010d, 0x54000001, 2}
	// openMPI has handles that are addresses of variables of the library.
	openMPI = abi{serialized: 2}
	// standard is the interface that MPI 5 defines.
	standard = abi{0x101, 0x247, 0x142, 2048}
)

// libraries are the file names of each interface. Debian renames MPICH's.
var libraries = []struct {
	abi   *abi
	files []string
}{
	{&mpich, []string{"libmpi.so.12", "libmpich.so.12"}},
	{&openMPI, []string{"libmpi.so.40"}},
	{&standard, []string{"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"}},
}

// candidates are the libraries to try, in order: first those of the launcher that started this process.
func candidates(getenv func(string) string) []string {
	if path := getenv(PathVariable); path != "" {
		return []string{path}
	}
	first := &mpich
	if getenv("OMPI_COMM_WORLD_RANK") != "" || getenv("PMI_RANK") == "" && getenv("PMIX_RANK") != "" {
		first = &openMPI
	}
	var files, others []string
	for _, l := range libraries {
		if l.abi == first {
			files = append(files, l.files...)
		} else {
			others = append(others, l.files...)
		}
	}
	return append(files, others...)
}

// interfaceOf recognizes the interface of a loaded library by its name and its symbols.
func interfaceOf(file string, lookup func(symbol string) (uintptr, error)) (abi, error) {
	if strings.HasPrefix(filepath.Base(file), "libmpi_abi.") {
		return standard, nil
	}
	world, err := lookup("ompi_mpi_comm_world")
	if err != nil || world == 0 {
		return mpich, nil
	}
	a := openMPI
	a.world = world
	for symbol, to := range map[string]*uintptr{"ompi_mpi_byte": &a.bytes,
		"ompi_mpi_errors_return": &a.errorsReturn} {
		if *to, err = lookup(symbol); err != nil {
			return a, fmt.Errorf("%s has no %s", file, symbol)
		}
	}
	return a, nil
}

// load opens the first library that is installed.
func load() (*library, error) {
	var problems []error
	for _, file := range candidates(os.Getenv) {
		l, err := open(file)
		if err == nil {
			return l, nil
		}
		problems = append(problems, err)
	}
	return nil, fmt.Errorf("no MPI library could be loaded: %w. Fix: install the MPI of the launcher, name its "+
		"library with %s=/path/to/libmpi.so, or run one process with --ranks 1", errors.Join(problems...), PathVariable)
}

// library is a loaded library with the functions used here.
type library struct {
	abi
	file string

	initThread, commRank, commSize, commSetErrhandler, isend, irecv, iprobe, getCount, test, finalize, abort,
	errorString, getLibraryVersion entry

	results struct { // of the last call
		flag, count int32
		status      [statusWords]uint64
	}
}

// bind looks up the functions of a library.
func bind(file string, lookup func(symbol string) (uintptr, error)) (*library, error) {
	a, err := interfaceOf(file, lookup)
	if err != nil {
		return nil, err
	}
	l := &library{abi: a, file: file}
	for name, to := range map[string]*entry{
		"MPI_Init_thread": &l.initThread, "MPI_Comm_rank": &l.commRank, "MPI_Comm_size": &l.commSize,
		"MPI_Comm_set_errhandler": &l.commSetErrhandler, "MPI_Isend": &l.isend, "MPI_Irecv": &l.irecv,
		"MPI_Iprobe": &l.iprobe, "MPI_Get_count": &l.getCount, "MPI_Test": &l.test, "MPI_Finalize": &l.finalize,
		"MPI_Abort": &l.abort, "MPI_Error_string": &l.errorString, "MPI_Get_library_version": &l.getLibraryVersion,
	} {
		addr, err := lookup(name)
		if err != nil || addr == 0 {
			return nil, fmt.Errorf("%s has no %s", file, name)
		}
		*to = entry{l, name, addr}
	}
	return l, nil
}

// name is a library's product and version, from the first line or clause of what it reports.
func name(version string) string {
	version, _, _ = strings.Cut(version, "\n")
	version, _, _ = strings.Cut(version, ",")
	return strings.Join(strings.Fields(strings.Replace(version, " Version:", "", 1)), " ")
}
