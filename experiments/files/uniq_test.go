package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// precise is a rate at which no line of a small test is lost but once in a million runs; the seeds are fixed.
const precise = 1e-7

func newUniq(t testing.TB, o UniqOptions, out io.Writer) *Uniq {
	t.Helper()
	return must.Get(NewUniq(o, out))(t)
}

// drawn returns n lines, numbers drawn from 0..distinct-1.
func drawn(seed uint64, n, distinct int) []byte {
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

func TestUniq_AgainstExactMap(t *testing.T) {
	for _, o := range []UniqOptions{
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
			input := drawn(seed, 300_000, 90_000)
			var out bytes.Buffer
			s := newUniq(t, o, &out)
			must.Do(t, s.Read(bytes.NewReader(input), "test"))
			missing, st := lost(t, input, out.Bytes()), s.Stats()
			if d := math.Abs(float64(missing) - st.ExpectedLost); d > tolerance(st.ExpectedLost, o.FPR) {
				t.Errorf("%+v, seed %d: %d lines lost, want %.1f within %.1f", o, seed, missing,
					st.ExpectedLost, tolerance(st.ExpectedLost, o.FPR))
			}
			if kept := int64(bytes.Count(out.Bytes(), []byte("\n"))); st.Lines != 300_000 || st.Kept != kept ||
				st.Dropped != st.Lines-kept || st.FPR > o.FPR {
				t.Errorf("%+v, seed %d: %d lines written, but %v", o, seed, kept, st)
			}
		}
	}
}

// However a stream grows, its rate stays below what was asked for, and it is the sum that is expected to be lost.
func TestUniq_GrowthKeepsRate(t *testing.T) {
	s := newUniq(t, UniqOptions{Capacity: 100, FPR: 0.01, Grow: true}, io.Discard)
	var hs [batchSize]uint64
	var added [batchSize]bool
	want, kept := 0.0, 0
	for k := uint64(0); k < 200*batchSize; k += batchSize {
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

// A stream that grows doubles when some 93% of the slots are used: not much earlier, as it is memory, and not at the
// 96% of the filter alone, where inserts are slow.
func TestUniq_DoublesAtItsLoad(t *testing.T) {
	s := must.Get(NewUniq(UniqOptions{Capacity: 60_000, FPR: 1e-6, Grow: true}, io.Discard))(t)
	var added [1]bool
	load, doublings := 0.0, 0
	for k := uint64(0); doublings < 3; k++ {
		must.Get(s.insert([]uint64{hashing.Mix64(k)}, added[:]))(t)
		now := s.filter.(nest.Grower).Doublings()
		if now != doublings && (load < 0.91 || load > 0.955) {
			t.Errorf("doubling %d at a load of %.4f", now, load)
		}
		load, doublings = s.filter.ScanStats().LoadFactor, now
	}
}

func TestUniq_Lines(t *testing.T) {
	long := strings.Repeat("x", 2*readSize+3)
	for _, c := range []struct {
		inputs []string
		want   string
	}{
		{[]string{""}, ""},
		{[]string{"\n\n\n"}, "\n"},
		{[]string{"a\r\na\n\r\n\n"}, "a\r\na\n\r\n\n"},
		{[]string{"\x00\n\x00\x00\n\xff\xfe\n\x00"}, "\x00\n\x00\x00\n\xff\xfe\n"},
		{[]string{"\xef\xbb\xbfa\na"}, "\xef\xbb\xbfa\na\n"},
		{[]string{"a", "b", "a\n", "ab"}, "a\nb\nab\n"},
		{[]string{long, "y\n" + long + "\ny", long + "y"}, long + "\ny\n" + long + "y\n"},
	} {
		var out bytes.Buffer
		s := newUniq(t, UniqOptions{FPR: precise}, &out)
		for _, in := range c.inputs {
			must.Do(t, s.Read(strings.NewReader(in), "test"))
		}
		if out.String() != c.want {
			t.Errorf("%.40q: %.60q, want %.60q", c.inputs, out.String(), c.want)
		}
	}
}

// However the input is cut into reads, the output is the same.
func TestUniq_CutsDoNotMatter(t *testing.T) {
	input := drawn(1, 20_000, 9_000)
	o := UniqOptions{FPR: 0.01, Capacity: 200, Grow: true}
	var whole, bytewise bytes.Buffer
	a, b := newUniq(t, o, &whole), newUniq(t, o, &bytewise)
	err := errors.Join(a.Read(bytes.NewReader(input), "a"), b.Read(iotest.OneByteReader(bytes.NewReader(input)), "b"))
	as, bs := a.Stats(), b.Stats()
	off := math.Abs(as.ExpectedLost/bs.ExpectedLost - 1) // it is a sum over batches
	if bs.ExpectedLost = as.ExpectedLost; err != nil || !bytes.Equal(whole.Bytes(), bytewise.Bytes()) || as != bs ||
		off > 0.01 {
		t.Errorf("%v\n%v\n%v", err, as, b.Stats())
	}
}

func TestUniq_StopsAtCapacity(t *testing.T) {
	for _, capacity := range []int{1, 2, 100, 3000} {
		var input, want bytes.Buffer
		for i := range capacity {
			fmt.Fprintf(&input, "%d\n%d\n", i, i/2)
			fmt.Fprintln(&want, i)
		}
		var out bytes.Buffer
		s := newUniq(t, UniqOptions{FPR: precise, Capacity: capacity}, &out)
		must.Do(t, s.Read(&input, "first"))
		err := s.Read(strings.NewReader("0\n0\nnew\nnewer\n"), "second")
		if !errors.Is(err, ErrCapacity) || !strings.HasPrefix(err.Error(), "uniq: second:3: ") {
			t.Errorf("capacity %d: %v", capacity, err)
		}
		if st := s.Stats(); !bytes.Equal(out.Bytes(), want.Bytes()) || st.Kept != int64(capacity) ||
			st.Lines != int64(2*capacity+2) {
			t.Errorf("capacity %d: %d bytes written, want %d; %v", capacity, out.Len(), want.Len(), st)
		}
	}
}

// A stream whose rate permits no filter more stops like one at its capacity.
func TestUniq_GrowthEnds(t *testing.T) {
	s := newUniq(t, UniqOptions{FPR: 1e-8, Capacity: 10, Grow: true}, io.Discard)
	err := s.Read(bytes.NewReader(drawn(1, 20_000, 10_000)), "test")
	if !errors.Is(err, ErrCapacity) || !strings.Contains(err.Error(), "one doubling more") ||
		s.filter.(nest.Grower).Doublings() < 1 {
		t.Errorf("%v; %v", err, s.Stats())
	}
}

func TestNewUniq_BadOptions(t *testing.T) {
	for _, c := range []struct {
		o    UniqOptions
		want string
	}{
		{UniqOptions{}, "FPR is 0"},
		{UniqOptions{FPR: 1}, "FPR is 1"},
		{UniqOptions{FPR: math.NaN()}, "FPR is NaN"},
		{UniqOptions{FPR: 0.1, Capacity: -1}, "Capacity is -1"},
		{UniqOptions{FPR: 1e-12}, "no filter for 1048576 lines reaches a rate of 1e-12: nest: "},
		{UniqOptions{FPR: 0.1, Capacity: math.MaxInt}, "too large"},
		{UniqOptions{FPR: 0.1, Hash: integerhash.SimpleTabulation(0)}, "is for integers"},
	} {
		if _, err := NewUniq(c.o, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// BenchmarkUniq puts through a text of distinct lines, and one where each comes ten times.
// NEST_BENCH_LARGE makes ten million lines of it.
func BenchmarkUniq(b *testing.B) {
	n := 100_000
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		n = 10_000_000
	}
	for _, distinct := range []int{n / 10, n} {
		var text []byte
		for i := range n {
			text = fmt.Appendf(text, "%.*s.%x\n", 5+i%8, "terson.dalavi", uint32(i%distinct)*0x9e3779b1)
		}
		b.Run(fmt.Sprintf("n=%d/distinct=%d", n, distinct), func(b *testing.B) {
			for b.Loop() {
				u := newUniq(b, UniqOptions{FPR: 0.000001, Grow: true}, io.Discard)
				must.Do(b, u.Read(bytes.NewReader(text), "bench"))
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

func ExampleUniq() {
	u, err := NewUniq(UniqOptions{FPR: 0.000001, Grow: true}, os.Stdout)
	if err == nil {
		err = u.Read(strings.NewReader("pear\nfig\npear\nplum\nfig"), "fruit")
	}
	st := u.Stats()
	fmt.Println(st.Lines, "read,", st.Dropped, "dropped", err)
	// Output:
	// pear
	// fig
	// plum
	// 5 read, 2 dropped <nil>
}

// A line is written again when its time is over, a sliding one when it stayed away; a full filter writes what it cannot
// remember.
func TestUniq_Forgets(t *testing.T) {
	for sliding, want := range map[bool]string{false: "aba", true: "ab"} {
		clock := time.Unix(1_700_000_000, 0)
		var out bytes.Buffer
		s := newUniq(t, UniqOptions{FPR: precise, Window: time.Minute, Sliding: sliding, Now: func() time.Time { return clock }}, &out)
		for _, line := range []string{"a\n", "a\nb\n", "a\n", "a\n"} {
			must.Do(t, s.Read(strings.NewReader(line), "test"))
			clock = clock.Add(25 * time.Second)
		}
		if got := strings.ReplaceAll(out.String(), "\n", ""); got != want || s.Stats().Dropped != int64(5-len(want)) {
			t.Errorf("sliding %v: %q, want %q", sliding, got, want)
		}
	}
	s := newUniq(t, UniqOptions{FPR: precise, Window: time.Hour, Capacity: 30}, io.Discard)
	must.Do(t, s.Read(bytes.NewReader(drawn(1, 2000, 1_000_000)), "test"))
	if st := s.Stats(); st.Kept != st.Lines || st.NotRemembered != st.Kept-int64(s.filter.Len()) || s.filter.Len() < 30 {
		t.Error(st)
	}
}
