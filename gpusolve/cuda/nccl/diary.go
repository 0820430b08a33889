package nccl

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// What ranks may be joined by.
const (
	NVLink     = "NVLink"
	PCIExpress = "PCI Express"
	HostMemory = "the host's memory"
	InfiniBand = "InfiniBand"
	Sockets    = "TCP sockets"
)

// diary is the file into which NCCL writes what it does at the start, which it reports in no other way. It has no name
// any more once a communicator is there.
var diary struct {
	sync.Mutex
	file *os.File
}

// The variables that configure what NCCL writes. Users who set one of the first two read what it says themselves.
const debugVariable, debugFileVariable, debugPartsVariable = "NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS"

// keepDiary has NCCL write down how it joins ranks, unless the user has it write already. The variables must be set
// before its first call.
func keepDiary() {
	diary.Lock()
	defer diary.Unlock()
	_, level := os.LookupEnv(debugVariable)
	_, name := os.LookupEnv(debugFileVariable)
	if diary.file != nil || level || name {
		return
	}
	f, err := os.CreateTemp("", "thermsim-nccl-*.log")
	if err != nil {
		return // nothing is known then, and nothing is said
	}
	diary.file = f
	for variable, value := range map[string]string{debugVariable: "INFO",
		debugFileVariable: strings.ReplaceAll(f.Name(), "%", "%%"), debugPartsVariable: "INIT,GRAPH"} {
		if err := os.Setenv(variable, value); err != nil {
			return
		}
	}
}

// hideDiary takes the file's name away: NCCL and this process have it open.
func hideDiary() {
	diary.Lock()
	defer diary.Unlock()
	if diary.file != nil {
		_ = os.Remove(diary.file.Name()) // a file in the folder for temporary ones may stay
	}
}

// dropDiary is for libraries that could not be used.
func dropDiary() {
	diary.Lock()
	defer diary.Unlock()
	if diary.file == nil {
		return
	}
	_ = diary.file.Close()
	_ = os.Remove(diary.file.Name())
	diary.file = nil
	for _, variable := range []string{debugVariable, debugFileVariable, debugPartsVariable} {
		_ = os.Unsetenv(variable)
	}
}

// Links is what NCCL has joined ranks of this process by so far, to each other and to others: NVLink, InfiniBand and so
// on, or a name of NCCL's. It is empty where that is unknown. Ranks are joined when they first send something.
func Links() []string {
	diary.Lock()
	defer diary.Unlock()
	if diary.file == nil {
		return nil
	}
	if _, err := diary.file.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(diary.file, 16<<20))
	if err != nil {
		return nil
	}
	return linksIn(string(text))
}

// linksIn reads lines such as "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM" and "Channel 00/0 : 0[0] -> 1[0] [send] via
// NET/IB/0". Which wires join GPUs that reach each other's memory is written in NCCL's picture of the machine, as
// "NVL[318.0]".
func linksIn(text string) []string {
	direct := PCIExpress
	if strings.Contains(text, "NVL[") {
		direct = NVLink
	}
	var links []string
	for line := range strings.Lines(text) {
		_, how, found := strings.Cut(line, " via ")
		if !found || !strings.Contains(line, "Channel ") || !strings.Contains(line, "->") {
			continue
		}
		kind, rest, _ := strings.Cut(strings.TrimSpace(how), "/")
		link := ""
		switch kind {
		case "P2P":
			link = direct
		case "SHM":
			link = HostMemory
		case "NET", "COLLNET":
			link, _, _ = strings.Cut(rest, "/")
			switch link {
			case "IB":
				link = InfiniBand
			case "Socket":
				link = Sockets
			}
		}
		if link != "" && !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
	slices.Sort(links)
	return links
}
