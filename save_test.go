package nest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nestfilter/nest"
)

// twin returns one of two filters of equal size that can be told apart by Len, or by their one digest.
func twin(t testing.TB, odd int) nest.Storer {
	t.Helper()
	f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 16, Slots: 1 << 17})
	if err == nil {
		for range odd + 1 {
			err = errors.Join(err, f.InsertHash(1))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.(nest.Storer)
}

func TestSave_ReplacesAndKeepsPermissions(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a.nest")
	for round, mode := range []os.FileMode{0o640, 0o604} {
		if err := nest.Save(name, twin(t, round)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); round > 0 && (err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640) {
			t.Errorf("mode is %v, %v, want that of the file before", info.Mode(), err)
		}
		if f, err := nest.OpenFile(name); err != nil || f.Len() != round+1 {
			t.Fatalf("round %d: %v, %v", round, f, err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink("a.nest", link); err != nil {
		t.Skip(err)
	}
	if err := nest.Save(link, twin(t, 0)); err != nil {
		t.Fatal(err)
	}
	if f, err := nest.OpenFile(name); err != nil || f.Len() != 1 {
		t.Errorf("through a link: %v, %v", f, err)
	}
	if left := leftovers(t, folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// leftovers returns the temporary files in a folder.
func leftovers(t *testing.T, folder string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(folder, ".*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// A brittle filter fails after some bytes.
type brittle struct{ bytes int }

var errBrittle = errors.New("it broke")

func (b brittle) WriteTo(w io.Writer) (int64, error) {
	n, _ := w.Write(make([]byte, b.bytes))
	return int64(n), errBrittle
}

func TestSave_FailureKeepsOldFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a.nest")
	if err := nest.Save(name, twin(t, 1)); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 10, 1 << 20} {
		if err := nest.Save(name, brittle{n}); !errors.Is(err, errBrittle) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if f, err := nest.OpenFile(name); err != nil || f.Len() != 2 {
		t.Errorf("the old file is %v, %v", f, err)
	}
	if left := leftovers(t, folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := nest.Save(filepath.Join(folder, "none", "a.nest"), twin(t, 0)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}
}

// saverVariable makes this test program save filters to the file that it names, until it is killed.
const saverVariable = "NEST_TEST_SAVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(saverVariable); name != "" {
		saveForever(name)
	}
	os.Exit(m.Run())
}

// saveForever saves two filters in turn.
func saveForever(name string) {
	var t testing.T
	filters := []nest.Storer{twin(&t, 0), twin(&t, 1)}
	for round := 0; ; round++ {
		if err := nest.Save(name, filters[round%2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if round == 0 {
			fmt.Println("saving")
		}
	}
}

// TestSave_KilledLeavesOldOrNew kills a process that saves without end, after random times, and finds one
// filter or the other, whole.
func TestSave_KilledLeavesOldOrNew(t *testing.T) {
	kills := 210
	if testing.Short() {
		kills = 10
	}
	const seed = 6
	random := rand.New(rand.NewPCG(seed, 0))
	folder := t.TempDir()
	name := filepath.Join(folder, "a.nest")
	found, within := [3]int{}, 0
	for kill := range kills {
		killSaver(t, name, time.Duration(random.IntN(int(6*time.Millisecond))))
		f, err := nest.OpenFile(name)
		if err != nil || f.Len() < 1 || f.Len() > 2 {
			t.Fatalf("seed %d, kill %d: %v, %v", seed, kill, f, err)
		}
		found[f.Len()]++
		left := leftovers(t, folder)
		within += len(left)
		for _, l := range left {
			if err := os.Remove(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d kills: %d times the one, %d times the other; %d while a temporary file was there", kills, found[1], found[2], within)
	if kills > 100 && (within == 0 || found[1] == 0 || found[2] == 0) {
		t.Errorf("the kills did not come at random points: %v, %d", found, within)
	}
}

// killSaver runs this test program as a saver and kills it some time after its first save.
func killSaver(t *testing.T, name string, after time.Duration) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), saverVariable+"="+name)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("the system cannot run this program, which an emulator runs: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	line, readErr := bufio.NewReader(out).ReadString('\n')
	time.Sleep(after)
	killErr := c.Process.Kill()
	_ = c.Wait() // it was killed, which is an error
	if readErr != nil || killErr != nil || !strings.HasPrefix(line, "saving") {
		t.Fatalf("the saver said %q, %v, %v", line, readErr, killErr)
	}
}
