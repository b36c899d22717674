// Package native runs filters in C++ beside those in Go: a cuckoo filter and a split-block Bloom filter, written from
// their papers, in a process that is compiled on the spot and answers one command a line. The process times itself, so
// what the pipe costs is in no number. It makes the same keys and probes from the same seed as package rivals does.
//
// The filters are cuckoo8, cuckoo12 and cuckoo16, which have packed fingerprints of so many bits, 4 slots a bucket, a
// power of two of buckets, XOR placement, multiply-shift hashing and a random walk of at most 500 kicks;
// cuckoo12-mix64, which hashes as the filters in Go do; and split-block, with 32/3 bits a key, in AVX2 where the
// processor has it. With "-huge" behind the name a filter asks for huge pages, as those in Go do.
package native

import (
	"bufio"
	"cmp"
	"context"
	_ "embed" // the source
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// source is the program.
//
//go:embed cpp/twin.cc
var source []byte

var (
	// ErrNoCompiler reports that there is no C++ compiler.
	ErrNoCompiler = errors.New("no C++ compiler: install one, or name it in CXX")
	// ErrRefused reports a filter that took fewer keys than it was given.
	ErrRefused = errors.New("a key is refused")
)

// Flags are what the compiler is given besides the names of files.
const Flags = "-std=c++17 -O3 -march=native"

// A Twin is a running process. It holds one filter at a time and belongs to one goroutine.
type Twin struct {
	// Compiler is the version that the compiler tells of itself.
	Compiler string

	dir     string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// Start compiles the program with the compiler that the environment names in CXX, or c++, and starts it. The process
// is killed when ctx is done. The error is [ErrNoCompiler] if there is none, or has the first lines that the compiler
// wrote.
func Start(ctx context.Context) (*Twin, error) {
	compiler, err := exec.LookPath(cmp.Or(os.Getenv("CXX"), "c++"))
	if err != nil {
		return nil, fmt.Errorf("native: %w: %w", ErrNoCompiler, err)
	}
	dir, err := os.MkdirTemp("", "nest-native")
	if err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	t := &Twin{dir: dir}
	if err := t.start(ctx, compiler); err != nil {
		return nil, errors.Join(fmt.Errorf("native: %w", err), t.Close())
	}
	return t, nil
}

func (t *Twin) start(ctx context.Context, compiler string) error {
	file, program := filepath.Join(t.dir, "twin.cc"), filepath.Join(t.dir, "twin")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, compiler, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", filepath.Base(compiler), err)
	}
	t.Compiler, _, _ = strings.Cut(string(version), "\n")
	args := append(strings.Fields(Flags), "-o", program, file)
	if wrote, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%.500s", filepath.Base(compiler), Flags, err, wrote)
	}
	t.process = exec.CommandContext(ctx, program)
	if t.in, err = t.process.StdinPipe(); err != nil {
		return err
	}
	out, err := t.process.StdoutPipe()
	if err != nil {
		return err
	}
	t.out = bufio.NewScanner(out)
	return t.process.Start()
}

// Close ends the process and removes what was compiled.
func (t *Twin) Close() error {
	var err error
	if t.process != nil && t.process.Process != nil {
		t.in.Close()
		err = t.process.Wait()
	}
	return errors.Join(err, os.RemoveAll(t.dir))
}

// do sends a command and reads the numbers of the answer.
func (t *Twin) do(want string, answer []any, format string, args ...any) error {
	command := fmt.Sprintf(format, args...)
	if _, err := io.WriteString(t.in, command+"\n"); err != nil {
		return fmt.Errorf("native: %s: %w", command, err)
	}
	if !t.out.Scan() {
		return fmt.Errorf("native: %s: the process ended: %w", command, cmp.Or(t.out.Err(), io.ErrUnexpectedEOF))
	}
	verb, rest, _ := strings.Cut(t.out.Text(), " ")
	if verb != want {
		return fmt.Errorf("native: %s: answer %q", command, t.out.Text())
	}
	if n, err := fmt.Sscan(rest, answer...); err != nil || n != len(strings.Fields(rest)) {
		return fmt.Errorf("native: %s: answer %q: want %d numbers", command, t.out.Text(), len(answer))
	}
	return nil
}

// Make replaces the filter by an empty one of so many slots, a power of two, or for the keys that so many slots hold at
// load 0.95, and chooses the keys by a seed. It returns the bytes of the table.
func (t *Twin) Make(filter string, slots int, seed uint64) (bytes int, err error) {
	err = t.do("made", []any{&bytes}, "make %s %d %d", filter, slots, seed)
	return bytes, err
}

// Insert inserts the keys of the numbers from one to before another and returns how many it took. The error is
// [ErrRefused] if those are fewer.
func (t *Twin) Insert(from, to int) (took time.Duration, n int, err error) {
	err = t.do("inserted", []any{&took, &n}, "insert %d %d", from, to)
	if err == nil && n != to-from {
		err = fmt.Errorf("native: %w after %d of %d", ErrRefused, n, to-from)
	}
	return took, n, err
}

// Find looks up n probes of a round, a share of 100 of them among the first held keys and the others absent. It returns
// how many are keys, and how many were reported as present.
func (t *Twin) Find(share, n, held, round int) (took time.Duration, hits, yes int, err error) {
	return t.probe("find", share, n, held, round)
}

// Batch is Find in a loop of which the compiler may make vector instructions for several keys. It can for
// cuckoo12-mix64 and an AVX-512 processor; multiply-shift takes products of 128 bits, which vectors do not have.
func (t *Twin) Batch(share, n, held, round int) (took time.Duration, hits, yes int, err error) {
	return t.probe("batch", share, n, held, round)
}

func (t *Twin) probe(verb string, share, n, held, round int) (took time.Duration, hits, yes int, err error) {
	err = t.do("found", []any{&took, &hits, &yes}, "%s %d %d %d %d", verb, share, n, held, round)
	return took, hits, yes, err
}

// Ask looks up the keys of the numbers from one to before another and returns how many were reported as present.
func (t *Twin) Ask(from, to int) (took time.Duration, yes int, err error) {
	var n int
	err = t.do("found", []any{&took, &n, &yes}, "ask %d %d", from, to)
	return took, yes, err
}

// Remove deletes the keys of the numbers from one to before another and returns how many were there.
func (t *Twin) Remove(from, to int) (took time.Duration, n int, err error) {
	err = t.do("removed", []any{&took, &n}, "remove %d %d", from, to)
	return took, n, err
}
