package nccl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLinksInWhatNCCLWrites(t *testing.T) {
	const nvlink = "gpu:1:2 [0] NCCL INFO + NVL[318.0] - NVS/0\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"gpu:1:2 [0] NCCL INFO comm 0x1 rank 0 nRanks 2 via nothing\n", nil},
		{nvlink + "gpu:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\ngpu:1:2 [1] NCCL INFO Channel " +
			"01/1 : 1[1] -> 0[0] via P2P/direct pointer/read\n", []string{NVLink}},
		{"gpu:1:2 [0] NCCL INFO + PCI[24.0] - GPU/1\ngpu:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n",
			[]string{PCIExpress}},
		{"gpu:1:2 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n", []string{HostMemory}},
		{nvlink + "n1:1:2 [0] NCCL INFO Channel 00/0 : 3[3] -> 4[0] [send] via NET/IB/0/GDRDMA\nn1:1:2 [0] NCCL INFO " +
			"Channel 00/0 : 2[2] -> 3[3] via P2P/CUMEM\n", []string{InfiniBand, NVLink}},
		{"n1:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/1\n", []string{Sockets}},
		{"n1:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/AWS Libfabric/1/GDRDMA\n",
			[]string{"AWS Libfabric"}},
	} {
		if got := linksIn(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// NCCL is told of a file, which is read and has no name once ranks are joined; where the user has it write, nothing
// changes.
func TestDiary(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	variables := []string{debugVariable, debugFileVariable, debugPartsVariable}
	for _, variable := range variables {
		t.Setenv(variable, "") // which is restored in the end
		if err := os.Unsetenv(variable); err != nil {
			t.Fatal(err)
		}
	}
	names := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, "*"))
		return list
	}
	keepDiary()
	if os.Getenv(debugVariable) != "INFO" || len(names()) != 1 || os.Getenv(debugFileVariable) != names()[0] ||
		Links() != nil {
		t.Fatalf("%q, files %q", os.Getenv(debugFileVariable), names())
	}
	f, err := os.OpenFile(names()[0], os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hideDiary()
	if _, err := f.WriteString("Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0\n"); err != nil {
		t.Fatal(err)
	}
	if got := Links(); len(names()) != 0 || !slices.Equal(got, []string{Sockets}) {
		t.Errorf("%q, files %q", got, names())
	}
	dropDiary()
	t.Setenv(debugVariable, "WARN")
	keepDiary()
	if got := os.Getenv(debugFileVariable); got != "" || Links() != nil {
		t.Errorf("the user's settings changed: %q", got)
	}
	if err := os.Unsetenv(debugVariable); err != nil {
		t.Fatal(err)
	}
	t.Setenv(PathVariable, "/no/such/libnccl.so.2")
	if _, err := Open(); err == nil || len(names()) != 0 || strings.Contains(strings.Join(os.Environ(), " "),
		"thermsim-nccl") {
		t.Errorf("%v leaves %q", err, names())
	}
}
