package machine

import (
	"testing"
	"testing/fstest"
)

// Mounts as systems have them: version 2 alone, both side by side, and a container that sees its own group as the root.
const (
	mounts2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	mounts1 = "31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n32 30 0:28 / /sys/fs/cgroup/cpu " +
		"rw - cgroup cgroup rw,cpu,cpuacct\n"
	mountsPart = "33 30 0:29 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	mebi       = 1 << 20
)

func files(content map[string]string) fstest.MapFS {
	all := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n")}} // 8 GiB
	for name, text := range content {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestFreeMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"no groups": {nil, 8192 * mebi},
		"container with its own namespace": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "268435456\n",
		}, 768 * mebi},
		"page cache can be taken back": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "1048576000\n",
			"sys/fs/cgroup/memory.stat": "anon 100\nfile 900000000\ninactive_file 524288000\nactive_file 104857600\n",
		}, (1024 - 1000 + 600) * mebi},
		"no limit": {map[string]string{
			"proc/self/cgroup": "0::/user.slice\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/user.slice/memory.max": "max\n",
		}, 8192 * mebi},
		"systemd: the limit is a slice's above the service": {map[string]string{
			"proc/self/cgroup": "0::/batch.slice/run-u7.service\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/batch.slice/run-u7.service/memory.max":     "max\n",
			"sys/fs/cgroup/batch.slice/run-u7.service/memory.current": "4096\n",
			"sys/fs/cgroup/batch.slice/memory.max":                    "2147483648\n",
			"sys/fs/cgroup/batch.slice/memory.current":                "1073741824\n",
		}, 1024 * mebi},
		"Slurm: the step's limit is below the job's": {map[string]string{
			"proc/self/cgroup":    "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n",
			"proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max":            "4294967296\n",
			"sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.current":        "104857600\n",
			"sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.max":     "524288000\n",
			"sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.current": "104857600\n",
		}, 400 * mebi},
		"version 1: Slurm": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/slurm/uid_1/job_7\n0::/\n", "proc/self/mountinfo": mounts2 +
				mounts1,
			"sys/fs/cgroup/memory/slurm/uid_1/job_7/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/slurm/uid_1/job_7/memory.usage_in_bytes": "629145600\n",
			"sys/fs/cgroup/memory/slurm/uid_1/job_7/memory.stat": "cache 1\ninactive_file " +
				"5\ntotal_inactive_file 104857600\ntotal_active_file 0\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 524 * mebi},
		"version 1: a container sees its group as the mount": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/abc\n", "proc/self/mountinfo": mountsPart,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "209715200\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "104857600\n",
		}, 100 * mebi},
		"version 1: the host's path inside a container": {map[string]string{
			"proc/self/cgroup": "4:memory:/../../elsewhere\n", "proc/self/mountinfo": mountsPart,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "209715200\n",
		}, 200 * mebi},
		"a full group": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mounts2,
			"sys/fs/cgroup/memory.max": "1048576\n", "sys/fs/cgroup/memory.current": "1048576\n",
		}, 1},
		"ulimit -v": {map[string]string{
			"proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \n" +
				"Max address space         2147483648           unlimited            bytes     \n",
			"proc/self/status": "Name:\tthermsim\nVmPeak:\t 2000000 kB\nVmSize:\t 1048576 kB\n",
		}, 1024 * mebi},
		"no ulimit": {map[string]string{
			"proc/self/limits": "Max address space         unlimited            unlimited            bytes     \n",
		}, 8192 * mebi},
		"damaged": {map[string]string{
			"proc/self/cgroup": "0:\n\n7\n0::/\n", "proc/self/mountinfo": "1 2\n - \n- cgroup2\n" + mounts2,
			"sys/fs/cgroup/memory.max": "-5\n", "proc/self/limits": "Max address space",
		}, 8192 * mebi},
	} {
		if got := freeMemory(files(c.files)); got != c.want {
			t.Errorf("%s: %.0f bytes are free, want %.0f", name, got, c.want)
		}
	}
	if got := freeMemory(fstest.MapFS{}); got != 0 {
		t.Errorf("%g bytes are free on a system that does not tell, want 0", got)
	}
}
