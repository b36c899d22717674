package memory_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/memory"
)

// mapping is what /proc/self/smaps says of the mapping that holds an address.
type mapping struct {
	advised bool // it carries the flag hg, which the advice sets
	largeKB int  // memory in large pages
}

// mappingOf finds the mapping that holds the address.
func mappingOf(t *testing.T, address uint64) (m mapping) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside, seen := false, false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
			seen = seen || inside
			continue
		}
		if !inside {
			continue
		}
		fmt.Sscanf(line, "AnonHugePages: %d kB", &m.largeKB)
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok {
			m.advised = strings.Contains(flags+" ", " hg ")
		}
	}
	if !seen {
		t.Fatalf("no mapping holds %#x", address)
	}
	return m
}

// addressOf returns the address of a table's middle, which package fmt knows without package unsafe.
func addressOf(t *testing.T, middle any) (address uint64) {
	t.Helper()
	if _, err := fmt.Sscanf(fmt.Sprintf("%p", middle), "0x%x", &address); err != nil {
		t.Fatal(err)
	}
	return address
}

// TestBytes_Advised looks at what the kernel knows of tables with the advice.
func TestBytes_Advised(t *testing.T) {
	enabled, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(enabled), "[never]") {
		t.Skipf("no transparent large pages: %q, %v", enabled, err)
	}
	const n = 16 << 20
	b := memory.Bytes(n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	m := mappingOf(t, addressOf(t, b[n/2:]))
	if !m.advised {
		t.Errorf("the kernel did not take the advice")
	}
	// Whether it has large pages to give is not ours to promise.
	t.Logf("%d kB of %d in large pages", m.largeKB, n>>10)
}
