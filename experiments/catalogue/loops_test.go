package catalogue

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var indirectPattern = regexp.MustCompile(`\bCALL [A-Z][A-Z0-9]*\s*$`)

// The loops call the verbs directly: in their machine code there is no call through a register.
func TestLoops_CallDirectly(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("calls through registers are looked for in the code of amd64")
	}
	program := filepath.Join(t.TempDir(), "test")
	if out, err := exec.Command("go", "test", "-c", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const loops = `catalogue\.(cuckoo|scalable|concurrent|bloom|blocked|split|sharedBloom|counting|dleft|quotient|fuse)Loops.*\.func[123]$`
	out, err := exec.Command("go", "tool", "objdump", "-s", loops, program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Insert and Contains of eleven types, the three cuckoo filters in each of their forms and widths, and Remove of six.
	functions, name := 0, ""
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "TEXT ") {
			functions, name = functions+1, line
		}
		if indirectPattern.MatchString(strings.TrimRight(line, " \t\n")) {
			t.Errorf("%s: %s", name, line)
		}
	}
	if functions < 2*10+3 {
		t.Errorf("%d loops in the program", functions)
	}
	if !indirectPattern.MatchString("  loops.go:40  0x4c1384  ffd1  CALL CX") ||
		indirectPattern.MatchString("  0x4c  e8  CALL runtime.gcWriteBarrier2(SB)") {
		t.Error("calls are read wrongly")
	}
}
