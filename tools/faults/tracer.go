//go:build linux && amd64

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// verdict is what happens to an operation.
type verdict struct {
	fails syscall.Errno  // 0: it continues
	short bool           // a read or write takes half of its bytes
	sends syscall.Signal // to the program, before the operation
}

// waitThreads also waits for threads of a program that this thread traces (__WALL and __WNOTHREAD of Linux).
const waitThreads = 0x40000000 | 0x20000000

// trace runs a program in a work folder and asks decide about every operation on a file. The output goes to files next
// to the folder.
func trace(program string, args []string, work string, env []string, limit time.Duration,
	decide func(operation) verdict) (*ended, error) {
	runtime.LockOSThread() // the thread that starts the program traces it
	defer runtime.UnlockOSThread()
	files, err := streams(work)
	if err != nil {
		return nil, err
	}
	pid, err := syscall.ForkExec(program, append([]string{"thermsim"}, args...),
		&syscall.ProcAttr{Dir: work, Env: env, Files: []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd()},
			Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true}})
	for _, f := range files {
		_ = f.Close() // the program has its own
	}
	if err != nil {
		return nil, err
	}
	var status syscall.WaitStatus
	if _, err = syscall.Wait4(pid, &status, waitThreads, nil); err != nil {
		return nil, err
	}
	const exitKill = 0x100000 // PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|exitKill); err !=
		nil {
		return nil, err
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	t := &tracer{process: process{pid: pid, work: work, memory: memory, seen: map[operation]int{}}, decide: decide,
		entered: map[int]syscall.Errno{}}
	var out ended
	timer := time.AfterFunc(limit, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	if err = syscall.PtraceSyscall(pid, 0); err == nil {
		status, err = t.follow()
	}
	out.Killed = !timer.Stop()
	out.operations, out.Status = t.list, -1
	if status.Exited() {
		out.Status = status.ExitStatus()
	} else if status.Signaled() {
		out.Signal = status.Signal()
	}
	return &out, err
}

// streams opens what the program reads and writes.
func streams(work string) (files [3]*os.File, err error) {
	if files[0], err = os.Open(work + ".stdin"); err != nil {
		return files, err
	}
	for n, name := range []string{"stdout", "stderr"} {
		if files[n+1], err = os.Create(work + "." + name); err != nil {
			return files, err
		}
	}
	return files, nil
}

// tracer follows the threads of a program.
type tracer struct {
	process
	decide  func(operation) verdict
	entered map[int]syscall.Errno // threads within a system call, which fails so
}

// follow continues until the program ends.
func (t *tracer) follow() (syscall.WaitStatus, error) {
	known := map[int]bool{t.pid: true}
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-t.pid, &status, waitThreads, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return status, err
		}
		switch {
		case status.Exited() || status.Signaled():
			if tid == t.pid {
				return status, nil
			}
			continue
		case !status.Stopped():
			continue
		}
		deliver := 0
		switch signal := status.StopSignal(); {
		case signal == syscall.SIGTRAP|0x80:
			err = t.call(tid)
		case signal == syscall.SIGTRAP: // a thread was made
		case signal == syscall.SIGSTOP && !known[tid]: // a thread begins
			known[tid] = true
		default:
			deliver = int(signal)
		}
		if err == nil {
			err = syscall.PtraceSyscall(tid, deliver)
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) { // of a killed thread
			return status, err
		}
	}
}

// call handles the beginning or the end of a system call.
func (t *tracer) call(tid int) error {
	within, ends := t.entered[tid]
	delete(t.entered, tid)
	if ends && within == 0 {
		return nil
	}
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	if ends {
		regs.Rax = uint64(-int64(within))
		return syscall.PtraceSetRegs(tid, &regs)
	}
	if int64(regs.Rax) != -int64(syscall.ENOSYS) { // the end of the call that made the thread or the program
		return nil
	}
	t.entered[tid] = 0
	o := t.operation(&regs)
	if o == nil {
		return nil
	}
	v := t.decide(*o)
	if v.sends != 0 {
		if err := syscall.Kill(t.pid, v.sends); err != nil {
			return err
		}
	}
	switch {
	case v.short && o.size > 1:
		regs.Rdx = uint64(o.size / 2)
	case v.fails != 0:
		t.entered[tid] = v.fails
		if o.Kind == opClose { // Linux closes the file nevertheless
			return nil
		}
		regs.Orig_rax = ^uint64(0)
	default:
		return nil
	}
	return syscall.PtraceSetRegs(tid, &regs)
}
