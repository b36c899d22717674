package uniq

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/experiments/lines"
	"github.com/nestfilter/nest/hashing"
)

// precise is a rate at which no line of a small test is lost but once in a million runs; the seeds are
// fixed.
const precise = 1e-7

func newStream(t testing.TB, o Options, out io.Writer) *Stream {
	t.Helper()
	s, err := New(o, out)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// numbered returns n lines, numbers drawn from 0..distinct-1.
func numbered(seed uint64, n, distinct int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for range n {
		fmt.Fprintf(&b, "line %d\n", r.IntN(distinct))
	}
	return b.Bytes()
}

// lost holds what was kept against an exact map: it must be a subsequence of the first occurrences. It
// returns how many of those are missing.
func lost(t *testing.T, input, kept []byte) int {
	t.Helper()
	seen := map[string]bool{}
	out := bufio.NewScanner(bytes.NewReader(kept))
	more := out.Scan()
	missing := 0
	for line := range bytes.Lines(input) {
		text := strings.TrimSuffix(string(line), "\n")
		if seen[text] {
			continue
		}
		seen[text] = true
		if more && out.Text() == text {
			more = out.Scan()
		} else {
			missing++
		}
	}
	if more {
		t.Fatalf("%q is kept, but is no first occurrence at its place", out.Text())
	}
	return missing
}

// The number of lines lost, less the expectation that is added for each line kept, is a martingale whose steps are at
// most 1 and whose variance is at most expected/(1-fpr). Freedman's inequality (1975) then bounds
// it: exp(-x*x/(2*(v+x/3))) on each side, here 10^-6 for both together. The variance of the tables about
// their prediction is far below that.
func tolerance(expected, fpr float64) float64 {
	v, l := expected/(1-fpr), math.Log(2e6)
	return l/3 + math.Sqrt(l*l/9+2*v*l)
}

func TestStream_AgainstExactMap(t *testing.T) {
	for _, o := range []Options{
		{FPR: 0.02, Capacity: 100_000},
		{FPR: 0.02, Capacity: 300, Grow: true},
		{FPR: 0.2, Capacity: 1, Grow: true},
		{FPR: 0.001, Capacity: 10_000, Grow: true, Hash: hashing.SipHash([16]byte{7})},
		{FPR: 0.000001, Grow: true},
	} {
		seeds := uint64(4)
		if testing.Short() {
			seeds = 1
		}
		for seed := range seeds {
			input := numbered(seed, 300_000, 90_000)
			var out bytes.Buffer
			s := newStream(t, o, &out)
			if err := s.Read(bytes.NewReader(input), "test"); err != nil {
				t.Fatalf("%+v, seed %d: %v", o, seed, err)
			}
			missing, st := lost(t, input, out.Bytes()), s.Stats()
			if d := math.Abs(float64(missing) - st.ExpectedLost); d > tolerance(st.ExpectedLost, o.FPR) {
				t.Errorf("%+v, seed %d: %d lines lost, want %.1f within %.1f", o, seed, missing,
					st.ExpectedLost, tolerance(st.ExpectedLost, o.FPR))
			}
			if kept := int64(bytes.Count(out.Bytes(), []byte("\n"))); st.Lines != 300_000 || st.Kept != kept || st.Dropped != st.Lines-kept {
				t.Errorf("%+v, seed %d: %d lines written, but %v", o, seed, kept, st)
			}
			if st.FPR > o.FPR {
				t.Errorf("%+v, seed %d: %v", o, seed, st)
			}
		}
	}
}

// However a stream grows, its rate stays below what was asked for, and it is the sum that is expected to be lost.
func TestSet_GrowthKeepsRate(t *testing.T) {
	s, err := newSet(Options{Capacity: 100, FPR: 0.01, Grow: true})
	if err != nil {
		t.Fatal(err)
	}
	var hs [lines.BatchSize]uint64
	var added [lines.BatchSize]bool
	want, kept := 0.0, 0
	for k := uint64(0); k < 200*lines.BatchSize; k += lines.BatchSize {
		for i := range hs {
			hs[i] = hashing.Mix64(k + uint64(i))
		}
		for i := range hs { // one by one, so that the rate of each is known
			p := s.rate()
			if n, err := s.insert(hs[i:i+1], added[i:]); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if added[i] {
				want, kept = want+p/(1-p), kept+1
			}
		}
	}
	doublings := s.filter.(nest.Grower).Doublings()
	if s.rate() > 0.01 || doublings < 8 || kept != s.filter.Len() || math.Abs(s.lost/want-1) > 0.01 {
		t.Errorf("%d doublings and a rate of %v, %d kept, %v lost, want %v", doublings, s.rate(), kept, s.lost, want)
	}
}

// A stream that grows doubles when some 93% of the slots are used: not much earlier, as it is memory, and not at the 96% of the filter
// alone, where inserts are slow.
func TestSet_DoublesAtItsLoad(t *testing.T) {
	s, err := newSet(Options{Capacity: 60_000, FPR: 1e-6, Grow: true})
	if err != nil {
		t.Fatal(err)
	}
	var added [1]bool
	load, doublings := 0.0, 0
	for k := uint64(0); doublings < 3; k++ {
		if _, err := s.insert([]uint64{hashing.Mix64(k)}, added[:]); err != nil {
			t.Fatal(err)
		}
		now := s.filter.(nest.Grower).Doublings()
		if now != doublings && (load < 0.91 || load > 0.955) {
			t.Errorf("doubling %d at a load of %.4f", now, load)
		}
		load, doublings = s.filter.Stats().LoadFactor, now
	}
}

func TestStream_Lines(t *testing.T) {
	long := strings.Repeat("x", 2*bufferSize+3)
	for _, c := range []struct {
		inputs []string
		want   string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"\n"}, "\n"},
		{[]string{"\n\n\n"}, "\n"},
		{[]string{"a"}, "a\n"},
		{[]string{"a\na"}, "a\n"},
		{[]string{"a\n\na\n\n"}, "a\n\n"},
		{[]string{"a\r\na\n\r\n\n"}, "a\r\na\n\r\n\n"},
		{[]string{"a \na\n"}, "a \na\n"},
		{[]string{"\x00\n\x00\x00\n\xff\xfe\n\x00"}, "\x00\n\x00\x00\n\xff\xfe\n"},
		{[]string{"\xef\xbb\xbfa\na"}, "\xef\xbb\xbfa\na\n"},
		{[]string{"a", "b", "a\n", "ab"}, "a\nb\nab\n"},
		{[]string{long, "y\n" + long + "\ny", long + "y"}, long + "\ny\n" + long + "y\n"},
	} {
		for _, reader := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader, iotest.OneByteReader,
		} {
			var out bytes.Buffer
			s := newStream(t, Options{FPR: precise}, &out)
			for _, in := range c.inputs {
				if err := s.Read(reader(strings.NewReader(in)), "test"); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != c.want {
				t.Errorf("%.40q: %.60q, want %.60q", c.inputs, out.String(), c.want)
			}
		}
	}
}

// However the input is cut into reads, the output is the same.
func TestStream_CutsDoNotMatter(t *testing.T) {
	input := numbered(1, 20_000, 9_000)
	o := Options{FPR: 0.01, Capacity: 200, Grow: true}
	var whole, bytewise bytes.Buffer
	a, b := newStream(t, o, &whole), newStream(t, o, &bytewise)
	err := errors.Join(a.Read(bytes.NewReader(input), "a"), b.Read(iotest.OneByteReader(bytes.NewReader(input)), "b"))
	as, bs := a.Stats(), b.Stats()
	off := math.Abs(as.ExpectedLost/bs.ExpectedLost - 1) // it is a sum over batches
	if bs.ExpectedLost = as.ExpectedLost; err != nil || !bytes.Equal(whole.Bytes(), bytewise.Bytes()) || as != bs || off > 0.01 {
		t.Errorf("%v\n%v\n%v", err, as, b.Stats())
	}
}

func TestStream_LineTooLong(t *testing.T) {
	const limit = 100
	fits, beyond := strings.Repeat("x", limit), strings.Repeat("x", limit+1)
	for _, c := range []struct {
		input, want string
		fails       bool
	}{
		{fits, fits + "\n", false},
		{fits + "\n" + fits + "y"[1:], fits + "\n", false},
		{"a\n" + fits + "\nb", "a\n" + fits + "\nb\n", false},
		{"a\n" + beyond, "a\n", true},
		{"a\n" + beyond + "\nb\n", "a\n", true},
		{"a\n" + beyond + beyond, "a\n", true},
	} {
		for _, reader := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.OneByteReader} {
			var out bytes.Buffer
			err := newStream(t, Options{FPR: precise, MaxLine: limit}, &out).Read(reader(strings.NewReader(c.input)), "test")
			if out.String() != c.want || errors.Is(err, keyfile.ErrLineTooLong) != c.fails || (err != nil) != c.fails {
				t.Errorf("%q: %q, %v", c.input, out.String(), err)
			}
			if c.fails && !strings.HasPrefix(err.Error(), "uniq: test:2: ") {
				t.Errorf("%v, want the line named", err)
			}
		}
	}
}

func TestStream_StopsAtCapacity(t *testing.T) {
	for _, capacity := range []int{1, 2, 100, 3000} {
		var input, want bytes.Buffer
		for i := range capacity {
			fmt.Fprintf(&input, "%d\n%d\n", i, i/2)
			fmt.Fprintln(&want, i)
		}
		var out bytes.Buffer
		s := newStream(t, Options{FPR: precise, Capacity: capacity}, &out)
		if err := s.Read(&input, "first"); err != nil {
			t.Fatal(err)
		}
		err := s.Read(strings.NewReader("0\n0\nnew\nnewer\n"), "second")
		if !errors.Is(err, ErrCapacity) || !strings.HasPrefix(err.Error(), "uniq: second:3: ") {
			t.Errorf("capacity %d: %v", capacity, err)
		}
		if st := s.Stats(); !bytes.Equal(out.Bytes(), want.Bytes()) || st.Kept != int64(capacity) || st.Lines != int64(2*capacity+2) {
			t.Errorf("capacity %d: %d bytes written, want %d; %v", capacity, out.Len(), want.Len(), st)
		}
	}
}

// A stream whose rate permits no filter more stops like one at its capacity.
func TestStream_GrowthEnds(t *testing.T) {
	s := newStream(t, Options{FPR: 1e-8, Capacity: 10, Grow: true}, io.Discard)
	err := s.Read(bytes.NewReader(numbered(1, 20_000, 10_000)), "test")
	if !errors.Is(err, ErrCapacity) || !strings.Contains(err.Error(), "one doubling more") || s.set.filter.(nest.Grower).Doublings() < 1 {
		t.Errorf("%v; %v", err, s.Stats())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestStream_Failures(t *testing.T) {
	var out bytes.Buffer
	s := newStream(t, Options{FPR: precise}, &out)
	broken := io.MultiReader(strings.NewReader("a\nb\nhalf of a li"), iotest.ErrReader(errors.New("bad sector")))
	if err := s.Read(broken, "test"); err == nil || err.Error() != "uniq: test: bad sector" || out.String() != "a\nb\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := s.Read(idleReader{}, "test"); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v", err)
	}
	s = newStream(t, Options{FPR: precise}, failingWriter{})
	if err := s.Read(strings.NewReader("a"), "test"); err == nil || err.Error() != "uniq: standard output: disk full" {
		t.Errorf("%v", err)
	}
}

func TestNew_BadOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "FPR is 0"},
		{Options{FPR: 1}, "FPR is 1"},
		{Options{FPR: math.NaN()}, "FPR is NaN"},
		{Options{FPR: 0.1, Capacity: -1}, "Capacity is -1"},
		{Options{FPR: 0.1, MaxLine: -1}, "MaxLine -1"},
		{Options{FPR: 1e-12}, "no filter for 1048576 lines reaches a rate of 1e-12: nest: "},
		{Options{FPR: 0.1, Capacity: math.MaxInt}, "too large"},
		{Options{FPR: 0.1, Hash: integerhash.SimpleTabulation(0)}, "tabulation is for integers"},
	} {
		if _, err := New(c.o, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

func TestAllocs_ZeroPerLine(t *testing.T) {
	input := numbered(1, 50_000, 40_000)
	s := newStream(t, Options{FPR: precise}, io.Discard)
	r := bytes.NewReader(input)
	if n := testing.AllocsPerRun(3, func() {
		r.Reset(input)
		s.set.filter.Reset()
		if err := s.Read(r, "test"); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for 50000 lines, want 0", n)
	}
}

func BenchmarkStream(b *testing.B) {
	const n = 200_000
	for _, distinct := range []int{n / 10, 10 * n} {
		b.Run(fmt.Sprintf("n=%d/distinct=%d", n, distinct), func(b *testing.B) {
			input := numbered(1, n, distinct)
			for b.Loop() {
				s := newStream(b, Options{FPR: 0.000001, Grow: true}, io.Discard)
				if err := s.Read(bytes.NewReader(input), "bench"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// BenchmarkFile reads a file of distinct lines of 12 to 20 bytes, which is in memory, as nest uniq does, and writes them to nowhere and
// to a file. Ten million of them take 155 MB of disk, twice: set NEST_BENCH_LARGE for it.
func BenchmarkFile(b *testing.B) {
	n := 100_000
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		n = 10_000_000
	}
	name := filepath.Join(b.TempDir(), "lines")
	if err := os.WriteFile(name, distinctLines(n), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, to := range []string{os.DevNull, filepath.Join(b.TempDir(), "out")} {
		b.Run(fmt.Sprintf("n=%d/to=%s", n, filepath.Base(to)), func(b *testing.B) {
			for b.Loop() {
				readFile(b, name, to, n)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// distinctLines returns n lines that look like names of accounts.
func distinctLines(n int) []byte {
	syllables := strings.Fields("ka no mi ter son ber la vi tor an el da ro shi qu ex")
	r := rand.New(rand.NewPCG(1, 16))
	var b []byte
	for i := range n {
		start := len(b)
		for range 2 + r.IntN(3) {
			b = append(b, syllables[r.IntN(len(syllables))]...)
		}
		b = strconv.AppendUint(append(b, '.'), uint64(uint32(i)*0x9e3779b1), 36)
		for len(b)-start < 12 {
			b = append(b, '.')
		}
		b = append(b, '\n')
	}
	return b
}

// readFile writes the distinct lines of a file, which are all but those expected to be lost.
func readFile(b *testing.B, from, to string, n int) {
	in, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	s := newStream(b, Options{FPR: 0.000001, Grow: true}, out)
	if err := s.Read(in, "bench"); err != nil {
		b.Fatal(err)
	}
	if st := s.Stats(); float64(st.Dropped) > st.ExpectedLost+tolerance(st.ExpectedLost, st.FPR) || st.Lines != int64(n) {
		b.Fatalf("%v", st)
	}
}
