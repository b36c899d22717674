package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// A collector keeps the lines that it gets and refuses one.
type collector struct {
	lines   []string
	flushed int // lines at the last flush
	refuse  string
	bad     error
}

var errRefused = errors.New("refused")

func (c *collector) take(b *batch) (int, error) {
	for i := range b.n {
		line := strings.TrimSuffix(string(b.run(i, i+1)), "\n")
		if b.digests[i] != hashing.XXH3(0).Sum64([]byte(line)) {
			return i, fmt.Errorf("line %q has another digest", line)
		}
		if c.refuse == "" || line != c.refuse {
			c.lines = append(c.lines, line)
			continue
		}
		return i, errRefused
	}
	whole := strings.Join(c.lines[len(c.lines)-b.n:], "\n") + "\n"
	if got := string(b.run(0, b.n)); got != whole {
		return 0, fmt.Errorf("the batch %q, its lines %q", got, whole)
	}
	return b.n, nil
}

func (c *collector) flush() error {
	c.flushed = len(c.lines)
	return c.bad
}

// cutter returns one whose lines the collector gets.
func (c *collector) cutter() *cutter { return newCutter(hashing.Digester{}, c.take, c.flush) }

// want returns the lines of a text, as the package says what they are.
func want(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// readers are ways in which a text may arrive.
func readers(text string) []io.Reader {
	return []io.Reader{
		strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)),
		iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text)),
	}
}

func TestCutter_CutsLikeSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	long := strings.Repeat("x", readSize+17)
	texts := []string{"", "\n", "a", "a\n", "a\n\n", "\n\na\r\n\x00\xff\n ", long, long + "\n" + long + "\na\n", strings.Repeat("\n", 3*batchSize+1),
		strings.Repeat("\n", readSize/3), strings.Repeat("ab\n\n", readSize/4), strings.Repeat("a line\n", readSize/5) + long, // in bulk
	}
	for range 30 {
		var b strings.Builder
		for range rng.IntN(3000) {
			b.WriteString("\n\nab\n"[rng.IntN(3):][:rng.IntN(3)])
		}
		texts = append(texts, b.String())
	}
	for i, text := range texts {
		for j, r := range readers(text) {
			var got collector
			if err := got.cutter().each(r, "r"); err != nil ||
				!slices.Equal(got.lines, want(text)) || got.flushed != len(got.lines) {
				t.Errorf("text %d by reader %d: %v, %d lines, %d flushed, want %d", i, j, err, len(got.lines), got.flushed, len(want(text)))
			}
		}
	}
}

func TestCutter_Errors(t *testing.T) {
	for _, c := range []struct {
		r      io.Reader
		to     collector
		want   error
		text   string
		before int // lines taken
	}{
		{strings.NewReader("a\nb\nc\n"), collector{refuse: "b"}, errRefused, "r:2: refused", 1},
		{iotest.OneByteReader(strings.NewReader("a\nb\nc")), collector{refuse: "c"}, errRefused, "r:3: refused", 2},
		{strings.NewReader("a\nb\n"), collector{bad: errRefused}, errRefused, "refused", 2},
		{stuck{}, collector{}, io.ErrNoProgress, "r: ", 0},
	} {
		cutter := c.to.cutter()
		cutter.limit(8)
		err := cutter.each(c.r, "r")
		if !errors.Is(err, c.want) || err != nil && !strings.HasPrefix(err.Error(), c.text) ||
			len(c.to.lines) != c.before || c.to.flushed != c.before {
			t.Errorf("%v, want %q; %d lines taken, %d flushed, want %d", err, c.text, len(c.to.lines), c.to.flushed, c.before)
		}
	}
}

// TestCutter_ErrorsInBulk refuses lines at all places of batches: the lines before were taken, none behind them, and the
// cutter goes on with the next stream.
func TestCutter_ErrorsInBulk(t *testing.T) {
	text := join(numbered(0, 10_000))
	var got collector
	cutter := got.cutter()
	for _, at := range []int{0, 1, batchSize - 1, batchSize, 3*batchSize + 7, 9_999} {
		got = collector{refuse: fmt.Sprint("line ", at)}
		err := cutter.each(strings.NewReader(text), "r")
		if !errors.Is(err, errRefused) || !strings.HasPrefix(err.Error(), fmt.Sprintf("r:%d: ", at+1)) ||
			len(got.lines) != at || got.flushed != at {
			t.Errorf("line %d is refused: %v, %d taken, %d flushed", at, err, len(got.lines), got.flushed)
		}
	}
}

// stuck never has anything and never ends.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// idle takes lines and does nothing with them.
func idle(b *batch) (int, error) { return b.n, nil }

// A reader takes the lines of a stream.
type reader interface {
	Read(r io.Reader, name string) error
}

// Read makes a cutter one.
func (c *cutter) Read(r io.Reader, name string) error { return c.each(r, name) }

func TestRead_AllocatesNothingForALine(t *testing.T) {
	text := []byte(join(numbered(0, 10_000)))
	f, _ := build(t, rated(nest.Best, 0.01, 0), join(numbered(0, 1000)))
	u := newUniq(t, UniqOptions{FPR: precise}, io.Discard)
	for _, to := range []reader{
		newCutter(hashing.Digester{}, idle, nil), u, must.Get(NewQuery(f, QueryOptions{Out: io.Discard}))(t),
		must.Get(NewQuery(view(t, f), QueryOptions{Out: io.Discard}))(t),
	} {
		r := new(bytes.Reader)
		if got := testing.AllocsPerRun(5, func() {
			r.Reset(text)
			u.filter.Reset()
			must.Do(t, to.Read(r, "r"))
		}); got > 10 { // for the stream
			t.Errorf("%T: %v allocations for 10000 lines", to, got)
		}
	}
}

// TestRead_Errors name the command and the stream; what was there before the line to blame is written.
func TestRead_Errors(t *testing.T) {
	f, _ := build(t, rated(nest.Cuckoo, 0.000001, 0), "a\nb\n")
	for command, open := range map[string]func(w io.Writer) (reader, *cutter){
		"uniq: ": func(w io.Writer) (reader, *cutter) {
			u := newUniq(t, UniqOptions{FPR: precise}, w)
			return u, u.cutter
		},
		"query: ": func(w io.Writer) (reader, *cutter) {
			q := must.Get(NewQuery(f, QueryOptions{Out: w}))(t)
			return q, q.cutter
		},
	} {
		for _, c := range []struct {
			text, want string
			end        error
		}{
			{"a\nb\nhalf", "text: io: read/write on closed pipe", io.ErrClosedPipe},
			{"a\nb\n123456789", "text:3: line too long: more than 8 bytes", io.EOF},
			{"a\nb\n123456789\n", "text:3: line too long: more than 8 bytes", io.EOF},
			{"a\nb", "standard output: short write", io.EOF},
		} {
			var out bytes.Buffer
			to, cutter := open(&out)
			if strings.HasPrefix(c.want, "standard output") {
				to, cutter = open(brokenWriter{})
				out.WriteString("a\nb\n")
			}
			cutter.limit(8)
			err := to.Read(io.MultiReader(strings.NewReader(c.text), iotest.ErrReader(c.end)), "text")
			if err == nil || err.Error() != command+c.want || out.String() != "a\nb\n" {
				t.Errorf("%v, want %s%s; %q is written before", err, command, c.want, &out)
			}
		}
	}
}

// brokenWriter takes nothing.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
