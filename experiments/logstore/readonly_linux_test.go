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
	noError(t, syscall.Setfsuid(nobody)) // of this thread alone
	defer syscall.Setfsuid(0)
	work()
}

// snapshot returns the bytes and times of all files of a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	noError(t, err)
	var all strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		b, readErr := os.ReadFile(filepath.Join(dir, e.Name()))
		noError(t, errors.Join(err, readErr))
		all.WriteString(e.Name() + " " + info.ModTime().String() + "\n" + string(b))
	}
	return all.String()
}

// TestOpen_ReadOnlyNeedsNoPermission to write, and changes no byte: of a store that was closed, one whose log is torn,
// one whose index is damaged, and one without the file of the lock.
func TestOpen_ReadOnlyNeedsNoPermission(t *testing.T) {
	dir := t.TempDir()
	s := must(t, dir, Options{Create: true})
	imports(t, s, "name", strings.NewReader("a\nb\n"))
	noError(t, errors.Join(s.Put([]byte("key"), []byte("value")), s.Close()))
	log, index := filepath.Join(dir, segmentName(0)), filepath.Join(dir, s.kept.Index)
	whole, _ := os.ReadFile(log)
	for _, harm := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(log, append(whole, "torn"...), 0o600) },
		func() error { return os.WriteFile(index, []byte("none"), 0o600) },
		func() error { return os.Remove(filepath.Join(dir, lockName)) },
	} {
		noError(t, harm())
		before := snapshot(t, dir)
		os.Chmod(filepath.Dir(dir), 0o755)
		os.Chmod(dir, 0o555)
		for _, name := range []string{log, index, filepath.Join(dir, manifestName), filepath.Join(dir, lockName)} {
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
	s := must(t, dir, Options{Create: true})
	if _, err := Open(dir, Options{ReadOnly: true}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a writer: %v", err)
	}
	noError(t, s.Close())
	a, b := must(t, dir, Options{ReadOnly: true}), must(t, dir, Options{ReadOnly: true})
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside readers: %v", err)
	}
	if err := errors.Join(a.Close(), b.Close(), must(t, dir, Options{}).Close()); err != nil {
		t.Error(err)
	}
}

// TestStore_EndsWithItsContext: what reads returns its error, and Close keeps what was put.
func TestStore_EndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	s := must(t, dir, Options{Create: true, Context: ctx})
	imports(t, s, "name", strings.NewReader("a\nb\n"))
	noError(t, s.Put([]byte("key"), nil))
	cancel()
	for _, err := range []error{s.Check(), s.Compact(), s.Export("name", io.Discard)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	noError(t, s.Close())
	if _, err := Open(dir, Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	s = must(t, dir, Options{})
	if _, err := s.Get([]byte("key")); err != nil || s.Recovered() != (Recovery{}) {
		t.Errorf("%v, %+v", err, s.Recovered())
	}
	if err := errors.Join(s.Check(), s.Close()); err != nil {
		t.Error(err)
	}
}
