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

	"github.com/nestfilter/nest/experiments/measure"
)

// source is the program.
//
//go:embed cpp/twin.cc
var source []byte

// ErrNoCompiler reports that there is no C++ compiler.
var ErrNoCompiler = errors.New("no C++ compiler: install one, or name it in CXX")

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
	t := &Twin{dir: dir}
	if err == nil {
		err = t.start(ctx, compiler)
	}
	if err != nil {
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
	in, err := t.process.StdinPipe()
	out, failed := t.process.StdoutPipe()
	t.in, t.out = in, bufio.NewScanner(out)
	return cmp.Or(err, failed, t.process.Start())
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

// Do sends a command and returns what it took. The key of a number follows from the seed; ranges are from one number
// to before another.
//
//	make FILTER SLOTS SEED    an empty filter of so many slots, a power of two, or for as many keys as so many slots
//	                          hold at load 0.95: Found is the bytes of its table
//	insert FROM TO            Found keys of the range, fewer than Hits if one is refused
//	ask FROM TO               looks up the range: Found are reported as present
//	remove FROM TO            deletes the range: Found were there
//	find SHARE N HELD ROUND   looks up N probes of a round, a share of 100 of them among the first keys, of which
//	                          so many are held, and the others absent: Hits are keys, Found are reported as present
//	batch SHARE N HELD ROUND  the same, 256 at a time with an answer for each, as in Go. The compiler may make
//	                          vector instructions for several keys. It can for cuckoo12-mix64 and an AVX-512
//	                          processor; multiply-shift takes products of 128 bits, which vectors do not have
func (t *Twin) Do(format string, args ...any) (l measure.Lap, err error) {
	command := fmt.Sprintf(format, args...)
	if _, err := io.WriteString(t.in, command+"\n"); err != nil {
		return l, fmt.Errorf("native: %s: %w", command, err)
	}
	if !t.out.Scan() {
		return l, fmt.Errorf("native: %s: the process ended: %w", command, cmp.Or(t.out.Err(), io.ErrUnexpectedEOF))
	}
	if _, err := fmt.Sscanf(t.out.Text()+"\n", "ok %d %d %d\n", &l.Time, &l.Hits, &l.Found); err != nil {
		return l, fmt.Errorf("native: %s: answer %q", command, t.out.Text())
	}
	return l, nil
}
