package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
	"github.com/nestfilter/nest/experiments/must"
)

// listenRedis starts a server and returns its address.
func listenRedis(t *testing.T) (s *wiretest.Server, addr string) {
	t.Helper()
	s = wiretest.NewServer()
	addr = must.Get(s.Listen())(t)
	t.Cleanup(s.Close)
	return s, addr
}

// holdsFilter returns the filter that a key has, which must have n items.
func holdsFilter(t *testing.T, s *wiretest.Server, key string, n int) *rediscf.Filter {
	t.Helper()
	f := must.Get(s.Filter(key))(t)
	if f == nil || f.Len() != n {
		t.Fatalf("key %q has no filter of %d items: %v", key, n, f)
	}
	return f
}

// replying has a server reply that to some commands.
func replying(s *wiretest.Server, replies map[string]any) {
	s.SetFault(func(_ int, args []string) wiretest.Fault { return wiretest.Fault{Reply: replies[args[0]]} })
}

// succeeds runs nest redis, which must succeed, and returns what it printed.
func succeeds(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	return says(t, exitOK, "", "", append([]string{"redis"}, args...)...)
}

// refuses runs nest redis, which must end with status 2 and say that.
func refuses(t *testing.T, want string, args ...string) {
	t.Helper()
	says(t, exitUsage, "", want, append([]string{"redis"}, args...)...)
}

func TestRedis_PushPullInfo(t *testing.T) {
	dir := t.TempDir()
	keys := writeKeys(t, dir, "keys.txt", "alice\nbob\nalice\ncarol\n")
	s, addr := listenRedis(t)
	_, stderr := succeeds(t, "push", "--keys", keys, addr, "people")
	want := fmt.Sprintf("pushed to %s/0, key \"people\": 64 bytes, bktsize:4 buckets:2 items:3 deletes:0 filters:1 max_iterations:500 expansion:1, load 0.375, false-positive rate 0.012\n", addr)
	if stderr != want {
		t.Errorf("%s, want %s", stderr, want)
	}
	f := holdsFilter(t, s, "people", 3)
	if !f.ExistsString("carol") {
		t.Error("carol is not there")
	}
	file := filepath.Join(dir, "people.cfd")
	if _, stderr := succeeds(t, "pull", "redis://"+addr+"/3", "people", "-o", file); !strings.HasPrefix(stderr, "pulled from "+addr+"/3, key \"people\": 64 bytes") {
		t.Error(stderr)
	}
	if log := strings.Join(s.Log(), "\n"); !strings.Contains(log, "SELECT 3\n") {
		t.Errorf("database 3 was not selected:\n%s", log)
	}
	data := must.Get(os.ReadFile(file))(t)
	expect(t, "", []string{"filter", "info", file}, exitUsage, "", ": a dump of a Redis filter, not a nest filter")
	expect(t, "alice\nnobody\n", []string{"filter", "query", file}, exitOK, "alice\n", "")
	expect(t, "alice\nnobody\n", []string{"filter", "query", "-vc", file, "-"}, exitOK, "1\n", "")
	if stdout, stderr := succeeds(t, "pull", addr, "people", "-o", "-", "-q"); stdout != string(data) || stderr != "" {
		t.Errorf("standard output has %d bytes, the file %d; %s", len(stdout), len(data), stderr)
	}

	if _, stderr := succeeds(t, "push", file, addr, "copy", "-q"); stderr != "" {
		t.Error(stderr)
	}
	succeeds(t, "push", file, addr, "people", "--force")
	if g := holdsFilter(t, s, "copy", 3); g.Info() != f.Info() {
		t.Error(g)
	}
	stdout, _ := succeeds(t, "info", addr, "copy")
	const info = `size in bytes            64
buckets of sub-filter 0  2
sub-filters              1
items                    3
deletes                  0
slots of a bucket        4
expansion                1
max iterations           500
load factor              0.375
false-positive rate      0.012
`
	if stdout != info {
		t.Errorf("%s, want\n%s", stdout, info)
	}
}

// TestRedis_Errors holds each to one line that names the server and the key where they matter.
func TestRedis_Errors(t *testing.T) {
	dir := t.TempDir()
	keys := writeKeys(t, dir, "keys.txt", "alice\nbob\n")
	wrong := writeKeys(t, dir, "wrong.cfd", "this is no dump at all")
	cut := writeKeys(t, dir, "cut.cfd", "\x89cfd and no more of a dump")
	saved := filepath.Join(dir, "saved.nest")
	says(t, exitOK, "", "", "filter", "build", keys, "-q", "-o", saved)
	out := filepath.Join(dir, "out.cfd")
	s, addr := listenRedis(t)
	succeeds(t, "push", "--keys", keys, addr, "taken")
	files := strings.NewReplacer("KEYS", keys, "ADDR", addr, "WRONG", wrong, "CUT", cut, "NEST", saved, "OUT", out, "DIR", dir, "MISSING", filepath.Join(dir, "missing"),
		"AT", "redis: "+addr+"/0: wire: ")
	for args, want := range map[string]string{
		`push --keys KEYS ADDR taken`:                             `ATpush to key "taken": filter exists; --force replaces it`,
		`push KEYS ADDR`:                                          "wrong number of names; use: nest redis push",
		`push --keys KEYS KEYS ADDR k`:                            "wrong number of names",
		`push MISSING ADDR k`:                                     "missing: no such file",
		`push WRONG ADDR k`:                                       "WRONG: no dump; for a list of keys use --keys",
		`push NEST ADDR k`:                                        "NEST: it is a nest filter, which Redis cannot load; push the keys with --keys",
		`push CUT ADDR k`:                                         "CUT: wire: dump: at byte 8: data corrupt",
		`push --keys MISSING ADDR k`:                              "push: --keys MISSING: no such file",
		`push --keys KEYS ADDR k --bucket-size 300`:               "BucketSize is 300, want 1 to 255",
		`push --keys KEYS ADDR k --slots 100000 --max-bytes 1000`: "table too large",
		`push --keys KEYS ADDR k --timeout 0s`:                    "--timeout: 0s: want more than 0",
		`push --keys KEYS ADDR k --bucket-size 0`:                 `"0" for "--bucket-size" flag: want`,
		`push WRONG ADDR k --slots 100`:                           "--slots, --bucket-size: are for a filter that is made of --keys",
		`pull ADDR nobody -o OUT`:                                 `ATpull of key "nobody": filter not found`,
		`pull ADDR taken`:                                         "--out: name the file to write",
		`pull ADDR taken -o OUT --max-bytes 3`:                    `pull of key "taken": rediscf: table too large`,
		`info ADDR nobody`:                                        `ATinfo of key "nobody": filter not found`,
		`info redis://u:secret@host:99:99/x k`:                    "the address is wrong",
		`info redis://u:secret k`:                                 "the address is wrong",
		`info redis://u:1#secret@host k`:                          "the address is wrong",
		`info ftp://u:secret@host k`:                              "the address is wrong",
		`info redis://u:secret@127.0.0.1:1 k`:                     "redis: 127.0.0.1:1/0: dial",
	} {
		line := append([]string{"redis"}, strings.Fields(files.Replace(args))...)
		expect(t, "", line, exitUsage, "", files.Replace(want))
		if _, _, stderr := runNest(line...); strings.Contains(stderr, "secret") {
			t.Error(stderr)
		}
	}
	if _, err := os.Stat(out); err == nil || len(s.Keys()) != 1 {
		t.Errorf("a file was written, or the server has %q", s.Keys())
	}
}

func TestRedis_Password(t *testing.T) {
	keys := writeKeys(t, t.TempDir(), "keys.txt", "alice\n")
	s, addr := listenRedis(t)
	s.SetPassword("secret")
	refuses(t, "NOAUTH", "push", "--keys", keys, addr, "k")
	succeeds(t, "push", "--keys", keys, "redis://user:secret@"+addr, "k")
	t.Setenv("REDISCLI_AUTH", "secret")
	if _, stderr := succeeds(t, "push", "--keys", keys, addr, "k", "--force"); strings.Contains(stderr, "secret") {
		t.Error(stderr)
	}
}

// TestRedis_InterruptEndsPush interrupts a push whose server keeps a chunk waiting: it ends at once, and the temporary
// key is gone. Of one whose rename is made but not answered it would be wrong that nothing was written.
func TestRedis_InterruptEndsPush(t *testing.T) {
	keys := writeKeys(t, t.TempDir(), "keys.txt", "alice\nbob\n")
	release := make(chan struct{})
	defer close(release)
	for verb, c := range map[string]struct {
		fault wiretest.Fault
		keys  int // that the server has then
		said  string
	}{
		"CF.LOADCHUNK": {wiretest.Fault{Wait: release, Before: true}, 0, "nest: interrupted, nothing was written\n"},
		"RENAMENX":     {wiretest.Fault{After: true}, 1, "the rename may have been made\n"},
	} {
		s, addr := listenRedis(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.SetFault(func(_ int, args []string) wiretest.Fault {
			if args[0] == verb && args[2] != "1" { // the first chunk is a header
				cancel()
				return c.fault
			}
			return wiretest.Fault{}
		})
		status, _, stderr := executeIn(ctx, "", "redis", "push", "--keys", keys, addr, "k")
		if status != exitInterrupted || !strings.HasSuffix(stderr, c.said) || len(s.Keys()) != c.keys ||
			c.keys > 0 && !strings.Contains(stderr, `key "k"`) {
			t.Errorf("%s: status %d, %q; the server has %q", verb, status, stderr, s.Keys())
		}
	}
}

// TestRedis_SilentServer waits no longer than it was told.
func TestRedis_SilentServer(t *testing.T) {
	s, addr := listenRedis(t)
	release := make(chan struct{})
	defer close(release)
	s.SetFault(func(int, []string) wiretest.Fault { return wiretest.Fault{Wait: release} })
	expect(t, "", []string{"redis", "info", addr, "k", "--timeout", "20ms"}, exitUsage, "", "i/o timeout")
}

// TestRedis_ServerThatGoesAway is told what is left.
func TestRedis_ServerThatGoesAway(t *testing.T) {
	keys := writeKeys(t, t.TempDir(), "keys.txt", "alice\nbob\n")
	s, addr := listenRedis(t)
	s.SetFault(func(n int, args []string) wiretest.Fault { return wiretest.Fault{Before: n >= 4} })
	_, stderr := says(t, exitUsage, "", "", "redis", "push", "--keys", keys, addr, "k")
	if left := s.Keys(); len(left) != 1 || s.Expires(left[0]) == 0 || !strings.Contains(stderr, left[0]) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%q; the server has %q", stderr, left)
	}
}
