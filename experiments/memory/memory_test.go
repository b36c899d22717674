package memory

import (
	"math"
	"testing"
	"testing/fstest"
)

// files are a file system of the given texts.
func files(texts ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(texts); i += 2 {
		out[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1])}
	}
	return out
}

const (
	unlimited = uint64(math.MaxUint64)

	mountV2 = "24 1 0:22 / /proc rw - proc proc rw\n" +
		"35 25 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountV1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)

func TestLeastMemory_OfTheMachine(t *testing.T) {
	for _, c := range []struct {
		meminfo string
		want    uint64
	}{
		{"MemTotal:       24689764 kB\nMemFree:        100 kB\nMemAvailable:   1000 kB\n", 1000 << 10},
		{"", unlimited}, {"MemAvailable:", unlimited}, {"MemAvailable: many kB", unlimited},
		{"MemAvailable: 99999999999999999999 kB", unlimited}, {"MemAvailable: 18014398509481984 kB", unlimited},
	} {
		if got := leastMemory(files("proc/meminfo", c.meminfo)); got != c.want {
			t.Errorf("%q: %d, want %d", c.meminfo, got, c.want)
		}
	}
	if Available() == 1 {
		t.Error("no byte is left")
	}
}

func TestLeastMemory_OfTheProcess(t *testing.T) {
	const status = "Name:\tnest\nVmPeak:\t  999 kB\nVmSize:\t  200000 kB\nVmData:\t   50000 kB\nVmStk:\t 132 kB\n"
	line := func(name, soft string) string {
		return name + "         " + soft + "            unlimited            bytes     \n"
	}
	for _, c := range []struct {
		name, limits, status string
		want                 uint64
	}{
		{"no limit", line("Max data size", "unlimited") + line("Max address space", "unlimited"), status, unlimited},
		{"address space", "Limit  Soft Limit  Hard Limit  Units\n" + line("Max address space", "1536000000"), status, 1536000000 - 200000<<10 - arenas},
		{"no address space", line("Max address space", "1000"), status, 0},
		{"within the first arena", line("Max address space", "204801024"), status, 1024},
		{"within the next", line("Max address space", "300000000"), status, firstArena},
		{"data", line("Max data size", "52428800"), status, 52428800 - 50000<<10},
		{"the less of both", line("Max data size", "99999999") + line("Max address space", "380000000"), status, 380000000 - 200000<<10 - arenas},
		{"no status", line("Max address space", "1000"), "", unlimited},
	} {
		if got := leastMemory(files("proc/self/limits", c.limits, "proc/self/status", c.status)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLeastMemory_OfGroupsVersion2(t *testing.T) {
	const unit = "sys/fs/cgroup/system.slice/run-1.service/"
	group := func(path string, more ...string) fstest.MapFS {
		return files(append([]string{"proc/self/cgroup", "0::" + path + "\n", "proc/self/mountinfo", mountV2}, more...)...)
	}
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		want uint64
	}{
		{"no limit", group("/system.slice/run-1.service", unit+"memory.max", "max\n"), unlimited},
		{"a service", group("/system.slice/run-1.service", unit+"memory.max", "4096\n"), 4096},
		{"what it uses", group("/system.slice/run-1.service", unit+"memory.max", "4096\n", unit+"memory.current", "1000\n"), 3096},
		{"but for idle file pages", group("/system.slice/run-1.service", unit+"memory.max", "4096\n", unit+"memory.current", "1000\n",
			unit+"memory.stat", "anon 200\nactive_file 100\ninactive_file 700\n"), 3796},
		{"more than the limit", group("/system.slice/run-1.service", unit+"memory.max", "4096\n", unit+"memory.current", "5000\n"), 0},
		{"a slice around it", group("/system.slice/run-1.service", unit+"memory.max", "9000\n",
			"sys/fs/cgroup/system.slice/memory.max", "8000\n", "sys/fs/cgroup/system.slice/memory.current", "6000\n"), 2000},
		{"a container's root", group("/", "sys/fs/cgroup/memory.max", "777\n"), 777},
		{"outside of the namespace", group("/../other", "sys/fs/cgroup/memory.max", "777\n"), 777},
		{"no mount", files("proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/memory.max", "1\n"), unlimited},
	} {
		if got := leastMemory(c.fs); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLeastMemory_OfGroupsVersion1(t *testing.T) {
	const top = "sys/fs/cgroup/memory/"
	group := func(path, mounts string, more ...string) fstest.MapFS {
		return files(append([]string{"proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:" + path + "\n1:cpu:/wrong\n0::/\n",
			"proc/self/mountinfo", mounts}, more...)...)
	}
	inContainer := "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		want uint64
	}{
		{"no limit", group("/a", mountV1, top+"memory.limit_in_bytes", "9223372036854771712\n"), 9223372036854771712},
		{"a group", group("/a", mountV1, top+"a/memory.limit_in_bytes", "5000\n", top+"a/memory.usage_in_bytes", "900\n",
			top+"a/memory.stat", "inactive_file 1\ntotal_inactive_file 300\n"), 4400},
		{"one around it", group("/a/b", mountV1, top+"a/memory.limit_in_bytes", "5000\n", top+"a/b/memory.limit_in_bytes", "7000\n"), 5000},
		{"a container that sees its whole path", group("/docker/abc", inContainer, top+"memory.limit_in_bytes", "6000\n"), 6000},
		{"a group in it", group("/docker/abc/x", inContainer, top+"x/memory.limit_in_bytes", "600\n"), 600},
		{"of like name", group("/docker/abcd", inContainer, top+"memory.limit_in_bytes", "6000\n", top+"d/memory.limit_in_bytes", "1\n"), 6000},
	} {
		if got := leastMemory(c.fs); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLeastMemory_ReadsWhatIsNoSuchFile(t *testing.T) {
	for _, text := range []string{"", "\n", " - ", "a b c d e - cgroup2 x", "1 2 3 4 5 6 - cgroup2 a b", "0::", "::::", "0:x"} {
		if got := leastMemory(files("proc/self/cgroup", text, "proc/self/mountinfo", text, "proc/self/limits", text, "proc/self/status", text)); got != unlimited {
			t.Errorf("%q: %d", text, got)
		}
	}
}
