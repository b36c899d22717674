package logstore

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs work as a user who owns nothing, or as the present one where that is not root.
func asNobody(t *testing.T, work func()) {
	t.Helper()
	if os.Getuid() != 0 {
		work()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	check(t, syscall.Setfsuid(nobody)) // of this thread alone
	defer syscall.Setfsuid(0)
	work()
}

// snapshot returns the bytes and times of all files of a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	var all strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		b, readErr := os.ReadFile(filepath.Join(dir, e.Name()))
		check(t, errors.Join(err, readErr))
		all.WriteString(e.Name() + " " + info.ModTime().String() + "\n" + string(b))
	}
	return all.String()
}

// TestOpen_ReadOnlyNeedsNoPermission to write, and changes no byte: of a store that was closed, one whose log is torn,
// one whose index is damaged, and one without the file of the lock.
func TestOpen_ReadOnlyNeedsNoPermission(t *testing.T) {
	dir := t.TempDir()
	s := must(Open(dir, Options{Create: true}))(t)
	imports(t, s, "name", strings.NewReader("a\nb\n"))
	check(t, errors.Join(s.Put([]byte("key"), []byte("value")), s.Close()))
	log, index := filepath.Join(dir, logName), filepath.Join(dir, indexName)
	whole, _ := os.ReadFile(log)
	for _, harm := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(log, append(whole, "torn"...), 0o600) },
		func() error { return os.Truncate(index, manifestBytes) },
		func() error { return os.Remove(filepath.Join(dir, lockName)) },
	} {
		check(t, harm())
		before := snapshot(t, dir)
		os.Chmod(filepath.Dir(dir), 0o755)
		os.Chmod(dir, 0o555)
		for _, name := range []string{log, index, filepath.Join(dir, indexName), filepath.Join(dir, lockName)} {
			os.Chmod(name, 0o444)
		}
		asNobody(t, func() {
			if s, err := Open(dir, Options{}); !errors.Is(err, os.ErrPermission) {
				t.Errorf("to write: %v", err)
				crash(s)
			}
			s, err := Open(dir, Options{ReadOnly: true})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			var out strings.Builder
			names, err := s.Names()
			if err := errors.Join(err, s.Export("name", &out), s.Check()); err != nil || out.String() != "a\nb\n" ||
				len(names) != 1 {
				t.Errorf("%q, %q, %v", names, &out, err)
			}
			if v, err := s.Get([]byte("key")); string(v) != "value" {
				t.Errorf("%q, %v", v, err)
			}
			_, imported := s.Import("name", strings.NewReader("other"))
			for _, err := range []error{s.Put(nil, nil), s.Delete([]byte("key")), s.Sync(), s.Compact(), checkpoint(s),
				imported} {
				if !errors.Is(err, ErrReadOnly) {
					t.Errorf("a change: %v", err)
				}
			}
		})
		os.Chmod(dir, 0o755)
		if snapshot(t, dir) != before {
			t.Error("a file was changed")
		}
		for _, name := range []string{log, index} {
			os.Chmod(name, 0o644)
		}
	}
}

// TestOpen_ReadersShareTheLock, and keep who would change the store out.
func TestOpen_ReadersShareTheLock(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, Options{ReadOnly: true, Create: true}); !errors.Is(err, ErrNoStore) {
		t.Errorf("no store: %v", err)
	}
	s := must(Open(dir, Options{Create: true}))(t)
	if _, err := Open(dir, Options{ReadOnly: true}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a writer: %v", err)
	}
	check(t, s.Close())
	a, b := must(Open(dir, Options{ReadOnly: true}))(t), must(Open(dir, Options{ReadOnly: true}))(t)
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside readers: %v", err)
	}
	if err := errors.Join(a.Close(), b.Close(), must(Open(dir, Options{}))(t).Close()); err != nil {
		t.Error(err)
	}
}

// TestStore_EndsWithItsContext: what reads returns its error, and Close keeps what was put.
func TestStore_EndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	s := must(Open(dir, Options{Create: true, Context: ctx}))(t)
	imports(t, s, "name", strings.NewReader("a\nb\n"))
	check(t, s.Put([]byte("key"), nil))
	cancel()
	for _, err := range []error{s.Check(), s.Compact(), s.Export("name", io.Discard)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	check(t, s.Close())
	if _, err := Open(dir, Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	s = must(Open(dir, Options{}))(t)
	if _, err := s.Get([]byte("key")); err != nil || s.Recovered() != (Recovery{}) {
		t.Errorf("%v, %+v", err, s.Recovered())
	}
	if err := errors.Join(s.Check(), s.Close()); err != nil {
		t.Error(err)
	}
}
