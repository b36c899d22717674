package report

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/nestfilter/nest/experiments/claims"
)

// modulePath is the module whose version a manifest states.
const modulePath = "github.com/nestfilter/nest"

// A Machine is what timings depend on.
type Machine struct {
	CPU         string `json:"cpu"` // model name; empty where the system does not tell
	Cores       int    `json:"cores"`
	MemoryBytes uint64 `json:"memoryBytes"` // 0 where the system does not tell
	GOOS        string `json:"goos"`
	GOARCH      string `json:"goarch"`
	Go          string `json:"go"`
}

// ThisMachine describes the machine and the Go version of the running program. The CPU's model and
// the memory come from /proc and are left out on systems without it.
func ThisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Go: runtime.Version()}
	m.CPU = procField("/proc/cpuinfo", "model name")
	kilobytes, _, _ := strings.Cut(procField("/proc/meminfo", "MemTotal"), " ")
	if n, err := strconv.ParseUint(kilobytes, 10, 64); err == nil {
		m.MemoryBytes = n * 1024
	}
	return m
}

// String is one line for people: CPU, cores, memory, system, Go version.
func (m Machine) String() string {
	parts := []string{cmp.Or(m.CPU, "unknown CPU"), claims.Count(m.Cores, "core")}
	if m.MemoryBytes > 0 {
		parts = append(parts, fmt.Sprintf("%.1f GiB", float64(m.MemoryBytes)/(1<<30)))
	}
	return strings.Join(append(parts, m.GOOS+"/"+m.GOARCH, m.Go), ", ")
}

// procField returns the first value of a field in a file of lines "field : value", or "".
func procField(file, field string) string {
	data, _ := os.ReadFile(file) // nothing without /proc
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A Module is the version of the code that ran.
type Module struct {
	Path     string `json:"path"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the version control system
	Modified bool   `json:"modified,omitempty"` // the working tree was not the revision
	Program  string `json:"program,omitempty"`  // the beginning of the SHA-256 of its file
}

// String is one line for people: version, revision, whether the tree was modified, the program.
func (m Module) String() string {
	text := m.Version
	if m.Revision != "" {
		text += " " + m.Revision[:min(len(m.Revision), 12)]
	}
	if m.Modified {
		text += " modified"
	}
	if m.Program != "" {
		text += " (program " + m.Program + ")"
	}
	return text
}

// ThisModule finds the module in the build information of the program: it is the main module of our own command and a
// dependency of a user's. Of a build without such information the version is "unknown". The first call reads the
// program's file.
func ThisModule() Module { return thisModule() }

var thisModule = sync.OnceValue(func() Module {
	m := Module{Path: modulePath, Version: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		m.read(info)
	}
	if name, err := os.Executable(); err == nil {
		if data, err := os.ReadFile(name); err == nil {
			m.Program = sumOf(data)[:12]
		}
	}
	return m
})

// read takes what the build information says of the module.
func (m *Module) read(info *debug.BuildInfo) {
	for _, dep := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if dep.Path == modulePath {
			m.Version = dep.Version
			if dep.Replace != nil {
				m.Version += " => " + dep.Replace.Version
			}
		}
	}
	if info.Main.Path != modulePath {
		return
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			m.Revision = s.Value
		case "vcs.modified":
			m.Modified = s.Value == "true"
		}
	}
}
