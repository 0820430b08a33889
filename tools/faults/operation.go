//go:build linux && amd64

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// Kinds of operations.
const (
	opOpen     = "open" // to read
	opCreate   = "create"
	opRead     = "read"
	opWrite    = "write"
	opSync     = "sync"
	opClose    = "close"
	opRename   = "rename"
	opMkdir    = "mkdir"
	opRemove   = "remove"
	opTruncate = "truncate"
	opStat     = "stat"
	opList     = "list" // names of a folder
	opLock     = "lock"
	opMode     = "mode"
)

// operation is a system call on a file: the n-th of its kind on that name, which is the same in every run.
type operation struct {
	Kind string `json:"kind"`
	Name string `json:"name"` // below the work folder, stdout or stderr, or absolute
	N    int    `json:"n"`
	size int    // bytes, of reads and writes
}

func (o operation) String() string { return fmt.Sprintf("%s %s #%d", o.Kind, o.Name, o.N) }

// key distinguishes operations.
func (o operation) key() operation { return operation{Kind: o.Kind, Name: o.Name, N: o.N} }

// arguments are the positions of the arguments of a system call that identify its file.
type arguments struct {
	kind     string
	fd, path int // positions; -1 if there is none
}

// System calls that package syscall of Go has no name for on this processor.
const (
	sysRenameat2 = 316
	sysStatx     = 332
)

var calls = map[uint64]arguments{
	syscall.SYS_OPENAT:     {opOpen, 0, 1},
	syscall.SYS_READ:       {opRead, 0, -1},
	syscall.SYS_PREAD64:    {opRead, 0, -1},
	syscall.SYS_WRITE:      {opWrite, 0, -1},
	syscall.SYS_PWRITE64:   {opWrite, 0, -1},
	syscall.SYS_FSYNC:      {opSync, 0, -1},
	syscall.SYS_FDATASYNC:  {opSync, 0, -1},
	syscall.SYS_CLOSE:      {opClose, 0, -1},
	syscall.SYS_RENAMEAT:   {opRename, 2, 3},
	sysRenameat2:           {opRename, 2, 3},
	syscall.SYS_RENAME:     {opRename, -1, 1},
	syscall.SYS_MKDIRAT:    {opMkdir, 0, 1},
	syscall.SYS_MKDIR:      {opMkdir, -1, 0},
	syscall.SYS_UNLINKAT:   {opRemove, 0, 1},
	syscall.SYS_UNLINK:     {opRemove, -1, 0},
	syscall.SYS_RMDIR:      {opRemove, -1, 0},
	syscall.SYS_FTRUNCATE:  {opTruncate, 0, -1},
	syscall.SYS_FSTAT:      {opStat, 0, -1},
	syscall.SYS_NEWFSTATAT: {opStat, 0, 1},
	sysStatx:               {opStat, 0, 1},
	syscall.SYS_GETDENTS64: {opList, 0, -1},
	syscall.SYS_FLOCK:      {opLock, 0, -1},
	syscall.SYS_FCHMOD:     {opMode, 0, -1},
}

// process is the state of a traced program.
type process struct {
	pid    int
	work   string // its folder
	memory *os.File
	seen   map[operation]int
	list   []operation
}

// operation reads what a thread is about to do; nil if this involves no file of interest.
func (p *process) operation(regs *syscall.PtraceRegs) *operation {
	w, known := calls[regs.Orig_rax]
	if !known {
		return nil
	}
	args := [...]uint64{regs.Rdi, regs.Rsi, regs.Rdx, regs.R10}
	o := operation{Kind: w.kind}
	path := ""
	if w.path >= 0 {
		path = p.text(args[w.path])
	}
	if w.fd >= 0 && !filepath.IsAbs(path) {
		folder := p.open(int32(args[w.fd]))
		path = strings.TrimSuffix(folder+"/"+path, "/")
	}
	if o.Name = p.name(path); o.Name == "" {
		return nil
	}
	switch {
	case w.kind == opOpen && args[2]&(syscall.O_CREAT|syscall.O_WRONLY|syscall.O_RDWR) != 0:
		o.Kind = opCreate
	case w.kind == opRead || w.kind == opWrite:
		o.size = int(args[2])
	}
	o.N = p.seen[o.numberless()]
	p.seen[o.numberless()]++
	p.list = append(p.list, o)
	return &o
}

func (o operation) numberless() operation { return operation{Kind: o.Kind, Name: o.Name} }

// open is the path of an open file, or of the working folder.
func (p *process) open(fd int32) string {
	const workingFolder = -100 // AT_FDCWD
	link := fmt.Sprintf("/proc/%d/fd/%d", p.pid, fd)
	if fd == workingFolder {
		link = fmt.Sprintf("/proc/%d/cwd", p.pid)
	}
	path, err := os.Readlink(link)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// text reads a string of the program.
func (p *process) text(at uint64) string {
	buffer := make([]byte, 4096)
	n, _ := p.memory.ReadAt(buffer, int64(at)) // it may end before the buffer does
	text, _, _ := strings.Cut(string(buffer[:n]), "\x00")
	return text
}

// temporary are the parts of names that differ in each run.
var temporary = regexp.MustCompile(`(-|/proc/)\d{3,}`)

// name is the name of a file in reports; "" for files that do not belong to the program, such as system libraries.
func (p *process) name(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	path = filepath.Clean(path)
	if below, ok := strings.CutPrefix(path, p.work+"/"); ok {
		return temporary.ReplaceAllString(below, "${1}N")
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if path == p.work+"."+stream {
			return stream
		}
	}
	if path == p.work || strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/fs/cgroup") {
		return temporary.ReplaceAllString(path, "${1}N")
	}
	return ""
}

// ours reports whether a name is below the work folder.
func (o operation) ours() bool { return !filepath.IsAbs(o.Name) }

// changes reports whether an operation changes the disk.
func (o operation) changes() bool {
	switch o.Kind {
	case opCreate, opWrite, opSync, opRename, opMkdir, opRemove, opTruncate:
		return true
	}
	return false
}
