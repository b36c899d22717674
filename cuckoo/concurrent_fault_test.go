//go:build invariants && !race

package cuckoo

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A fault is what the code of kick.Shared would be without one of its steps.
type fault struct {
	name, file string
	change     []string // old and new text by turns
}

// The ways in which a move can go wrong.
const (
	moveEnd   = "	if v := s.Version(fp); !passed(v) {\n		pass(v)\n	}\n	pause()\n	s.put(word, shift, fp, left)\n"
	moveLate  = "	s.put(word, shift, fp, left)\n	pause()\n	pass(s.Version(fp))\n"
	moveQuiet = "	s.put(word, shift, fp, left)\n"
	moveFill  = ">>shift&mask != fp || !s.fill(to, fp) {\n		l.Free()\n		runtime.Gosched()\n		return false\n	}\n"
	moveFirst = ">>shift&mask != fp {\n		l.Free()\n		runtime.Gosched()\n		return false\n	}\n"
	moveFails = "	if !s.fill(to, fp) {\n		l.Free()\n		return false\n	}\n"
	takeSoon  = "	if !l.Taken() {\n		l.take()\n	}\n"
	takeErase = "	if !lock.Taken() {\n		return s.Delete(i, j, fp)\n	}\n"
	takeLock  = "	l := s.LockOf(fp)\n	l.take()\n	defer l.Free()\n"
)

var faults = []fault{
	{"a lookup believes a miss without a look at the moves that passed", "shared.go", []string{
		"return before>>readerBits == after>>readerBits", "return before>>readerBits == after>>readerBits || true"}},
	{"a move erases the fingerprint before it copies it", "shared_path.go", []string{
		moveFill, moveFirst + "	s.put(word, shift, fp, left)\n	pause()\n	s.fill(to, fp)\n", moveEnd, "	pass(s.Version(fp))\n"}},
	{"a move tells lookups before the copy is there", "shared_path.go", []string{
		moveFill, moveFirst + "	pass(s.Version(fp))\n	pause()\n" + moveFails, moveEnd, moveQuiet}},
	{"a move tells lookups after it has erased", "shared_path.go", []string{moveEnd, moveLate}},
	{"a move believes the plan", "shared_path.go", []string{
		"fp == 0 || atomic.LoadUint64(word)>>shift&mask != fp ||", "fp == 0 ||"}},
	{"a move takes no lock", "shared_path.go", []string{takeSoon, "	l = new(Lock)\n"}},
	{"a delete takes no lock", "../../cuckoo/concurrent_verbs.go", []string{takeErase, "	lock = new(kick.Lock)\n"}},
	{"a delete does not look at the other bucket under its lock", "../../cuckoo/concurrent_verbs.go", []string{
		"flags == 0 || atomic.LoadUint64(&words[away]) != y ||", "flags == 0 || away > uint64(len(words)) || y == 1 ||"}},
	{"a delete of one of two copies tells no lookup", "shared.go", []string{"		pass(s.Version(fp))\n", ""}},
	{"a count takes no lock", "shared.go", []string{takeLock + "	n = bits", "	n = bits"}},
	{"a check takes no lock, nor does the insert that follows from it", "shared.go", []string{takeLock + "	first :=", "	first :="}},
	{"an insert writes the word without a look whether it is still the one that was loaded", "shared.go", []string{
		"if atomic.CompareAndSwapUint64(word, x, x|fp<<s.place(flags)) {",
		"if func() bool { atomic.StoreUint64(word, x|fp<<s.place(flags)); return true }() {"}},
	{"a move does not wait for lookups that ask it to", "shared.go", []string{
		"return old&readersMask == 0 && v.", "return v."}},
}

// TestConcurrent_FaultsAreNoticed builds the tests with every fault in turn, and has the same histories find it. With
// -short it says only whether the code still has what the faults replace.
func TestConcurrent_FaultsAreNoticed(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			list := f.overlay(t)
			if testing.Short() {
				t.Skip("builds a program")
			}
			out, err := exec.Command("go", "test", "-tags", "invariants", "-vet=off", "-overlay", list,
				"-run", "TestConcurrent_(IsLinearizable|DeleteLooksAgain)$", "-histories", "100000", ".").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestConcurrent_") {
				t.Errorf("none of 100000 histories noticed it: %v\n%s", err, out)
			}
		})
	}
}

// overlay writes the changed file and returns the name of the list that has the compiler read it in place of the
// file.
func (f fault) overlay(t *testing.T) string {
	file, err := filepath.Abs(filepath.Join("..", "internal", "kick", f.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code := string(text)
	for k := 0; k < len(f.change); k += 2 {
		if strings.Count(code, f.change[k]) != 1 {
			t.Fatalf("%q is not once in %s: the code has changed, so change the fault", f.change[k], f.file)
		}
		code = strings.Replace(code, f.change[k], f.change[k+1], 1)
	}
	dir := t.TempDir()
	changed, list := filepath.Join(dir, filepath.Base(f.file)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{changed: []byte(code), list: replace} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
