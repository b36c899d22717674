// Each fault leaves the store what a script of puts and deletes makes it, whose state after n operations is known
// (store_test.go, same). docs/HACKING.md says how stores are attacked.
package logstore

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/must"
)

// full makes the proofs run at full size: 300 kills, every bit, every fault.
var full = flag.Bool("logstore.full", false, "run the proofs of the log store at full size")

const childDir = "NEST_LOGSTORE_CHILD"

// TestMain runs the writer that TestStore_SurvivesKills kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Fprintln(os.Stderr, write(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// write goes on with the script until it is killed. It prints how many operations were synced.
func write(dir string) error {
	s, err := Open(dir, small)
	if err != nil {
		return err
	}
	for n := s.sequence; ; n++ {
		err := step(s, n)
		switch {
		case n%11 == 0:
			if err = errors.Join(err, s.Sync()); err == nil {
				fmt.Println(n + 1)
			}
		case n%97 == 0:
			err = errors.Join(err, checkpoint(s))
		case n%211 == 0:
			err = errors.Join(err, s.Compact())
		}
		if err != nil {
			return err
		}
	}
}

// TestStore_SurvivesKills kills a writer again and again: what it had synced is there, and nothing that it had not put.
func TestStore_SurvivesKills(t *testing.T) {
	kills := map[bool]int{false: 12, true: 3}[testing.Short()]
	if *full {
		kills = 300
	}
	dir := filepath.Join(t.TempDir(), "store")
	random := rand.New(rand.NewPCG(1, 2))
	acked := uint64(0)
	for kill := range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		lines := bufio.NewScanner(must.Get(cmd.StdoutPipe())(t))
		must.Do(t, cmd.Start())
		for first := true; lines.Scan(); first = false {
			if acked = must.Get(strconv.ParseUint(lines.Text(), 10, 64))(t); first {
				time.AfterFunc(time.Duration(random.IntN(20_000))*time.Microsecond, func() { cmd.Process.Kill() })
			}
		}
		if cmd.Wait(); stderr.Len() > 0 {
			t.Fatalf("kill %d: %s", kill, stderr.String())
		}
		s := must.Get(Open(dir, Options{}))(t)
		if n := same(t, s); n < acked {
			t.Fatalf("kill %d: %d operations are there, %d were synced", kill, n, acked)
		}
		crash(s)
	}
	t.Logf("%d kills, %d operations", kills, acked)
}

// faulty is a folder whose writes fail: from one on, or a number of them.
type faulty struct {
	osFiles
	ops      int // that change something, so far
	from, to int // those of them that fail
	syncs    bool
	reads    int // so far
	badRead  int
	sizes    map[string]int64 // of each file, what was synced
	undo     []func() error   // what undoes each change of a name since the folder was synced
}

// newFaulty returns a new folder in which nothing fails yet.
func newFaulty(t *testing.T) *faulty {
	return &faulty{osFiles: osFiles(t.TempDir()), sizes: map[string]int64{}}
}

// failing tells whether operations fail now.
func (d *faulty) failing() bool { return d.ops > d.from && d.ops <= d.to }

// fails counts an operation that changes something and returns its error.
func (d *faulty) fails() error {
	if d.ops++; d.failing() {
		return syscall.ENOSPC
	}
	return nil
}

type faultyFile struct {
	file
	name string
	d    *faulty
}

func (d *faulty) open(name string, flags int) (file, error) {
	if flags == anew {
		if err := d.fails(); err != nil {
			return nil, err
		}
		if _, err := os.Stat(d.path(name)); err != nil {
			d.undo = append(d.undo, func() error { return os.Remove(d.path(name)) })
		}
		d.sizes[name] = 0
	}
	f, err := d.osFiles.open(name, flags)
	if err != nil {
		return nil, err
	}
	return &faultyFile{f, name, d}, nil
}

func (d *faulty) rename(from, to string) error {
	if err := d.fails(); err != nil {
		return err
	}
	kept := d.keep(to)
	d.undo = append(d.undo, func() error { return errors.Join(d.osFiles.rename(to, from), kept()) })
	d.sizes[to] = d.sizes[from]
	delete(d.sizes, from)
	return d.osFiles.rename(from, to)
}

// keep returns what brings a file back under its name, if there is one.
func (d *faulty) keep(name string) (back func() error) {
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		return func() error { return nil }
	}
	return func() error { return os.WriteFile(d.path(name), b, 0o600) }
}

func (d *faulty) remove(name string) error {
	d.undo = append(d.undo, d.keep(name))
	delete(d.sizes, name)
	return d.osFiles.remove(name)
}

// ReadAt fails once in d.badRead times.
func (f *faultyFile) ReadAt(b []byte, at int64) (int, error) {
	if f.d.reads++; f.d.badRead > 0 && f.d.reads%f.d.badRead == 0 {
		return 0, syscall.EIO
	}
	return f.file.ReadAt(b, at)
}

// WriteAt writes a part of b when it fails, as a disk does that becomes full.
func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.d.fails(); err != nil {
		n, _ := f.file.WriteAt(b[:len(b)*2/3], at)
		return n, err
	}
	return f.file.WriteAt(b, at)
}

func (f *faultyFile) Sync() error {
	if f.d.syncs {
		if err := f.d.fails(); err != nil {
			return err
		}
	}
	info, err := f.Stat()
	if f.name == "." {
		f.d.undo = nil
	} else if err == nil {
		f.d.sizes[f.name] = info.Size()
	}
	return err
}

func (f *faultyFile) Truncate(size int64) error {
	if f.d.failing() {
		return syscall.EIO
	}
	f.d.sizes[f.name] = min(f.d.sizes[f.name], size)
	return f.file.Truncate(size)
}

// lose makes the files what they are after the machine has lost power: of bytes and names that were not synced, a part
// is there.
func (d *faulty) lose(t *testing.T, random *rand.Rand) {
	for name, synced := range d.sizes {
		if info, err := os.Stat(d.path(name)); err == nil && info.Size() > synced {
			must.Do(t, os.Truncate(d.path(name), synced+random.Int64N(info.Size()-synced+1)))
		}
	}
	for _, undo := range slices.Backward(d.undo) {
		if random.IntN(2) == 0 {
			continue
		}
		if err := undo(); !errors.Is(err, os.ErrNotExist) {
			must.Do(t, err)
		}
	}
}

// script runs the first operations of the script, with all that a store does. Operations that fail are tried again a
// few times. It returns how many were surely synced.
func script(t *testing.T, s *Store, count uint64) (acked uint64) {
	for n := s.sequence; n < count; {
		err := step(s, n)
		if err == nil {
			n++
		}
		if s.sequence != n {
			t.Fatalf("operation %d: %v, and the store has %d", n, err, s.sequence)
		}
		var more error
		switch {
		case n%7 == 0:
			if more = s.Sync(); more == nil {
				acked = n
			}
		case n%101 == 0:
			more = checkpoint(s)
		case n%149 == 0:
			more = s.Compact()
		}
		if s.dir.lost != nil {
			if err := s.Put([]byte("x"), nil); err == nil {
				t.Fatal("a store that failed took a record")
			}
			return acked
		}
		if f := s.dir.files.(*faulty); (err != nil || more != nil) && f.to >= 1<<30 {
			return acked
		}
	}
	return acked
}

// TestStore_SurvivesFaults has one operation of the file system after the other fail, that one alone or all from there
// on, then the power: every record that was synced is there, and none that was not put.
func TestStore_SurvivesFaults(t *testing.T) {
	const count = 400
	every := 23
	if *full {
		every = 1
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, syncs := range []bool{false, true} {
		for _, lasting := range []int{1, 3, 1 << 30} {
			for from := 4; ; from += every {
				d := newFaulty(t)
				d.from, d.to, d.syncs = from, from+lasting, syncs
				s, err := openIn(d, tiny)
				if err != nil {
					if from > 12 {
						t.Fatal(err)
					}
					continue // it was being made
				}
				acked := script(t, s, count)

				for key, want := range model(s.sequence) { // reads go on
					if got, err := s.Get([]byte(key)); string(got) != string(want) {
						t.Fatalf("fault %d+%d: %s: %.30q, %v", from, lasting, key, got, err)
					}
				}

				s.log.file.Close()
				d.lose(t, random)
				again := must.Get(Open(string(d.osFiles), Options{}))(t)
				if n := same(t, again); n < acked {
					t.Fatalf("fault %d+%d: %d operations are there, %d were synced", from, lasting, n, acked)
				}
				must.Do(t, again.Close())
				if d.ops < from {
					break
				}
			}
		}
	}
}

// TestStore_ReadErrorsLoseNothing: what could not be read is not there or damaged for nobody, and can be tried again.
func TestStore_ReadErrorsLoseNothing(t *testing.T) {
	const count = 1500
	d, failed := newFaulty(t), 0
	s := must.Get(openIn(d, small))(t)
	d.badRead = 5
	try := func(change func() error) {
		for err := change(); err != nil && failed < 1e6; err = change() {
			failed++
			is(t, "a change", err, syscall.EIO)
		}
	}
	for n := range uint64(count) {
		try(func() error { return step(s, n) })
		if n%97 == 0 {
			try(func() error { return checkpoint(s) })
		}
	}
	s.Compact()
	s.Check()
	for n := range uint64(400) {
		if err := errOf(s.Get(scriptKey(n))); err != nil && !errors.Is(err, ErrNotFound) {
			is(t, "a lookup", err, syscall.EIO)
		}
	}
	if d.badRead = 0; same(t, s) != count || failed < 100 {
		t.Fatalf("%d operations, want %d; %d failed", s.sequence, count, failed)
	}
	s.log.file.Close()
	for n, opened := 1, 0; opened < 3; n += 1 + n/8 { // opening fails, or succeeds when it needs fewer reads
		d.reads, d.badRead = 0, n
		again, err := openIn(d, Options{})
		if d.badRead = 0; err != nil {
			is(t, "Open", err, syscall.EIO)
			continue
		}
		if opened++; same(t, again) != count {
			t.Fatalf("%d operations, want %d", again.sequence, count)
		}
		again.log.file.Close()
	}
}

// TestStore_FullDiskLosesNothing: changes fail, reads go on, and changes go on when there is room again.
func TestStore_FullDiskLosesNothing(t *testing.T) {
	d := newFaulty(t)
	s := must.Get(openIn(d, tiny))(t)
	script(t, s, 100)
	d.from, d.to = d.ops, 1<<30
	n, err := uint64(100), error(nil)
	for ; err == nil; n++ {
		err = step(s, n)
	}
	n--
	is(t, "a put", err, syscall.ENOSPC)
	for _, err := range []error{s.Sync(), checkpoint(s), s.Compact()} {
		is(t, "on a full disk", err, syscall.ENOSPC)
	}
	d.to = d.ops
	before := same(t, s)
	script(t, s, n+200)
	must.Do(t, s.Compact())
	if after := same(t, s); before != n || after != n+200 {
		t.Errorf("%d and %d operations, want %d, and 200 more", before, after, n)
	}
	must.Do(t, s.Close())
}
