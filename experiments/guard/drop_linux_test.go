package guard

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestStore_KeepsToItsMemory reads rows and looks how much of the file the system says is in the memory of this
// program.
func TestStore_KeepsToItsMemory(t *testing.T) {
	const rows = 5000
	s, err := newStore(t.Context(), 1, rows)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	file, err := s.bytes()
	if err := s.cold(); err != nil {
		t.Fatal(err)
	}
	before, most := diskReads(), 0
	for i := range rows {
		if _, e := s.get(name(1, i*7919%rows)); e != nil || err != nil {
			t.Fatal(e, err)
		}
		if i%20 == 0 {
			most = max(most, resident(t, s.file()))
		}
		if err := s.bounded(); err != nil {
			t.Fatal(err)
		}
	}
	if diskReads() == before {
		t.Skip("the temporary folder is in memory")
	}
	const besides = 64 << 10 // pages that come with others when the file is opened
	if most > file/memoryShare+besides || most < file/memoryShare/2 {
		t.Errorf("%d bytes of %d in memory", most, file)
	}
}

// resident is how much of a file is mapped in memory.
func resident(t *testing.T, file string) (bytes int) {
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer maps.Close()
	ours := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if !strings.HasSuffix(fields[0], ":") {
			ours = filepath.Base(fields[len(fields)-1]) == filepath.Base(file)
		}
		if ours && fields[0] == "Rss:" {
			kib, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			bytes += kib << 10
		}
	}
	return bytes
}
