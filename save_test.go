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
func twin(t testing.TB, odd int) nest.Filter {
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
	return f
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

// TestSave_DanglingLinkStays follows links to a file that is not there yet, through folders that are links, and makes
// the file where the system would.
func TestSave_DanglingLinkStays(t *testing.T) {
	folder := t.TempDir()
	for _, sub := range []string{"deep/er", "other"} {
		if err := os.MkdirAll(filepath.Join(folder, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []struct{ name, target string }{
		{"plain", "made1"}, {"absolute", filepath.Join(folder, "made2")}, {"second", "first"}, {"first", "other/made3"},
		{"shortcut", "deep/er"}, {"deep/er/up", "../made4"}, {"back", "shortcut/../made5"}, {"self", "self"},
		{"nowhere", "none/made"},
	} {
		if err := os.Symlink(link.target, filepath.Join(folder, link.name)); err != nil {
			t.Skip(err)
		}
	}
	for name, made := range map[string]string{
		"plain": "made1", "absolute": "made2", "second": "other/made3", "shortcut/up": "deep/made4",
		"back": "deep/made5",
	} {
		link := filepath.Join(folder, name)
		for round := range 2 {
			if err := nest.Save(link, twin(t, round)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s is %v now, %v", name, info.Mode(), err)
			}
			if f, err := nest.OpenFile(filepath.Join(folder, made)); err != nil || f.Len() != round+1 {
				t.Errorf("%s: %s is %v, %v", name, made, f, err)
			}
		}
	}
	for _, name := range []string{"self", "nowhere"} {
		link := filepath.Join(folder, name)
		if err := nest.Save(link, twin(t, 0)); err == nil || !strings.HasPrefix(err.Error(), "nest: save "+link+": ") ||
			strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSave_LongNames takes every length that a file's name can have.
func TestSave_LongNames(t *testing.T) {
	folder := t.TempDir()
	for n := 90; n <= 255; n++ {
		name := filepath.Join(folder, strings.Repeat("ü", n/2)+strings.Repeat("x", n%2))
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Skipf("names of %d bytes: %v", n, err)
		}
		if err := nest.Save(name, brittle{}); !errors.Is(err, errBrittle) {
			t.Errorf("%d bytes: %v", n, err)
		}
		if err := nest.Save(name, strings.NewReader("text")); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := nest.Save(filepath.Join(folder, strings.Repeat("x", 256)), twin(t, 0)); err == nil {
		t.Error("a name of 256 bytes")
	}
	if left := leftovers(t, folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// panicky is a filter that panics when it is written.
type panicky struct{}

func (panicky) WriteTo(w io.Writer) (int64, error) {
	w.Write(make([]byte, 100))
	panic("it panics")
}

func TestSave_PanicLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	if !panics(func() { _ = nest.Save(filepath.Join(folder, "a.nest"), panicky{}) }) {
		t.Error("the panic is gone")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSave_ErrorsNameTheFile reads the errors of the system, none of which is to show a temporary name.
func TestSave_ErrorsNameTheFile(t *testing.T) {
	folder := t.TempDir()
	closed := filepath.Join(folder, "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{filepath.Join(folder, "none", "a.nest"): os.ErrNotExist,
		filepath.Join(closed, "a.nest"): os.ErrPermission} {
		err := nest.Save(name, twin(t, 0))
		if err == nil && errors.Is(want, os.ErrPermission) {
			continue // root may write everywhere
		}
		if !errors.Is(err, want) || strings.Contains(err.Error(), ".tmp") ||
			!strings.HasPrefix(err.Error(), "nest: save "+name+": ") {
			t.Errorf("%v", err)
		}
	}
	if err := nest.Save(folder, twin(t, 0)); err == nil ||
		err.Error() != "nest: save "+folder+": is not a regular file" {
		t.Errorf("a folder: %v", err)
	}
	// A writer that goes on after the file was closed gets the system's own error.
	var late io.Writer
	err := nest.Save(filepath.Join(folder, "a.nest"),
		writerTo(func(w io.Writer) (int64, error) { late = w; return 0, nil }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.Write(make([]byte, 1<<16)); !errors.Is(err, os.ErrClosed) ||
		strings.Contains(err.Error(), ".tmp") {
		t.Errorf("%v", err)
	}
}

// writerTo is a function that is a filter to be written.
type writerTo func(w io.Writer) (int64, error)

func (f writerTo) WriteTo(w io.Writer) (int64, error) { return f(w) }

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
	filters := []nest.Filter{twin(&t, 0), twin(&t, 1)}
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
	t.Logf("%d kills: %d times the one, %d times the other; %d while a temporary file was there", kills, found[1],
		found[2], within)
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
