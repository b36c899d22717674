package logstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// asNobody runs work as a user who owns nothing, or as the present one where that is not root.
func asNobody(t *testing.T, work func()) {
	t.Helper()
	if os.Getuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		must.Do(t, syscall.Setfsuid(65534)) // of this thread alone
		defer syscall.Setfsuid(0)
	}
	work()
}

// permit sets the modes of a folder and of the files in it, and returns their names, times and bytes.
func permit(t *testing.T, dir string, folder, file os.FileMode) (all string) {
	t.Helper()
	for _, name := range must.Get(osFiles(dir).names())(t) {
		name = filepath.Join(dir, name)
		info := must.Get(os.Stat(name))(t)
		all += fmt.Sprintln(name, info.ModTime(), string(must.Get(os.ReadFile(name))(t)))
		must.Do(t, os.Chmod(name, file))
	}
	must.Do(t, os.Chmod(dir, folder))
	return all
}

// TestOpen_ReadOnlyNeedsNoPermission to write, and changes no byte: of a store that was closed, one whose log is torn,
// one whose index is damaged, and one without the file of the lock.
func TestOpen_ReadOnlyNeedsNoPermission(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, Options{Create: true}))(t)
	imports(t, s, "name", strings.NewReader("a\nb\n"))
	must.Do(t, errors.Join(s.Put([]byte("key"), []byte("value")), s.Close(), os.Chmod(filepath.Dir(dir), 0o755)))
	log, index := filepath.Join(dir, logName), filepath.Join(dir, indexName)
	whole := must.Get(os.ReadFile(log))(t)
	for _, harm := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(log, append(whole, "torn"...), 0o600) },
		func() error { return os.Truncate(index, manifestBytes) },
		func() error { return os.Remove(filepath.Join(dir, lockName)) },
	} {
		must.Do(t, harm())
		before := permit(t, dir, 0o555, 0o444)
		asNobody(t, func() {
			is(t, "to write", errOf(Open(dir, Options{})), os.ErrPermission)
			s := must.Get(Open(dir, Options{ReadOnly: true}))(t)
			var out strings.Builder
			must.Do(t, errors.Join(s.Export("name", &out), s.Check()))
			if got := must.Get(s.Names())(t); out.String() != "a\nb\n" || len(got) != 1 {
				t.Errorf("%q, %q", got, &out)
			}
			has(t, s, "key", "value")
			for _, err := range []error{s.Put(nil, nil), s.Delete([]byte("key")), s.Sync(), s.Compact(), checkpoint(s),
				errOf(s.Import("name", strings.NewReader("other")))} {
				is(t, "a change", err, ErrReadOnly)
			}
			must.Do(t, s.Close())
		})
		if permit(t, dir, 0o755, 0o644) != before {
			t.Error("a file was changed")
		}
	}
}

// TestOpen_ReadersShareTheLock, and keep who would change the store out.
func TestOpen_ReadersShareTheLock(t *testing.T) {
	dir, toRead := t.TempDir(), Options{ReadOnly: true, Create: true}
	is(t, "no store", errOf(Open(dir, toRead)), ErrNoStore)
	s := must.Get(Open(dir, Options{Create: true}))(t)
	is(t, "beside a writer", errOf(Open(dir, toRead)), ErrLocked)
	must.Do(t, s.Close())
	a, b := must.Get(Open(dir, toRead))(t), must.Get(Open(dir, toRead))(t)
	is(t, "beside readers", errOf(Open(dir, Options{})), ErrLocked)
	must.Do(t, errors.Join(a.Close(), b.Close(), must.Get(Open(dir, Options{}))(t).Close()))
}

// TestStore_EndsWithItsContext: what reads returns its error, and Close keeps what was put.
func TestStore_EndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	s := must.Get(Open(dir, Options{Create: true, Context: ctx}))(t)
	imports(t, s, "name", strings.NewReader("a\nb\n"))
	must.Do(t, s.Put([]byte("key"), nil))
	cancel()
	for _, err := range []error{s.Check(), s.Compact(), s.Export("name", io.Discard)} {
		is(t, "after the end", err, context.Canceled)
	}
	must.Do(t, s.Close())
	is(t, "Open", errOf(Open(dir, Options{Context: ctx})), context.Canceled)
	s = must.Get(Open(dir, Options{}))(t)
	if _, err := s.Get([]byte("key")); err != nil || s.Recovered() != (Recovery{}) {
		t.Errorf("%v, %+v", err, s.Recovered())
	}
	must.Do(t, errors.Join(s.Check(), s.Close()))
}
