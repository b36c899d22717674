package trace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/kick"
)

// The limits of what is still a picture and a text to read.
const (
	// MaxBuckets is the largest number of buckets: as many as the filter's %#v draws.
	MaxBuckets = 32
	// MaxKeys is the largest number of keys that are traced, and that are filled in before.
	MaxKeys = 1000
)

// Options say what to trace. Buckets, BucketSize and Width must be set.
type Options struct {
	Buckets    int // 1 to MaxBuckets; a power of two for the placements that need one
	BucketSize int // 1, 2, 4 or 8
	Width      uint
	Placement  cuckoo.Placement
	Kick       cuckoo.KickPolicy // one of Policies; nil is the first of them
	MaxKicks   int               // 0 is the policy's default
	Seed       uint64            // of the kick generator and of random keys
	Hash       hashing.Hasher    // nil is hashing.XXH64(0)
	// Fill is the number of random keys that are inserted first, without being reported one by one.
	Fill int
	// Keys are the keys to trace, repeated ones as often as they stand there. Without any, random
	// keys are inserted until one takes a cuckoo path of 2 to 12 kicks; it and the two before it are
	// traced and the others count as filled in. Where the table has no such path, the nearest to it
	// is shown.
	Keys []string
}

// A Step is one insert.
type Step struct {
	Key                string
	Digest             uint64
	Fingerprint        uint64
	Primary, Alternate uint64 // its buckets; they may coincide
	// Path is where the new fingerprint went, where the one that was there went, and so on; the last
	// position was free. It is empty if the key was refused. There is one kick less than positions.
	Path []Position
	// Refused is why the key was not stored, or nil. It wraps cuckoo.ErrFull.
	Refused error
	// TakenBack is the number of kicks that a walk made for a key that was refused.
	TakenBack     int
	Before, After Table
}

// Kicks returns the number of fingerprints that the insert moved.
func (s *Step) Kicks() int { return max(len(s.Path)-1, 0) }

// A Result is what happened.
type Result struct {
	Config      cuckoo.Config // resolved
	Width       uint
	Filter      string // after the random keys, as its String has it
	Filled      int    // random keys inserted first
	FillRefused int    // and how many of them were refused
	Start       Table  // after them
	Steps       []Step
}

// Run inserts the keys and reports each step. A key that does not fit is a step that says so and no
// error.
//
// The error wraps cuckoo.ErrConfig for options that make no filter, on one line. Any other error says
// that the steps would not be what the filter did, and is a defect of this package.
func Run(o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	fill, keys := randomKeys(o.Seed, 0, o.Fill), o.Keys
	if len(keys) == 0 {
		all, err := o.chooseKeys()
		if err != nil {
			return nil, err
		}
		shown := max(len(all)-3, o.Fill)
		fill, keys = all[:shown], all[shown:]
	}
	m, err := NewMachine(o)
	if err != nil {
		return nil, err
	}
	r := &Result{Config: m.plain.Config(), Width: o.Width, Filled: len(fill)}
	for _, key := range fill {
		s, err := m.Insert(key)
		if err != nil {
			return nil, err
		}
		if s.Refused != nil {
			r.FillRefused++
		}
	}
	r.Filter, r.Start = fmt.Sprint(m.plain), m.table
	for _, key := range keys {
		s, err := m.Insert(key)
		if err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, s)
	}
	return r, nil
}

// check reports what is wrong with the options that no filter would report in these words.
func (o Options) check() error {
	problem := ""
	switch {
	case o.Buckets < 1 || o.Buckets > MaxBuckets:
		problem = fmt.Sprintf("%d buckets, want 1 to %d", o.Buckets, MaxBuckets)
	case o.BucketSize == 0:
		problem = "BucketSize is 0, want 1, 2, 4 or 8"
	case o.Fill < 0 || o.Fill > MaxKeys:
		problem = fmt.Sprintf("%d keys to fill in, want 0 to %d", o.Fill, MaxKeys)
	case len(o.Keys) > MaxKeys:
		problem = fmt.Sprintf("%d keys to trace, want at most %d", len(o.Keys), MaxKeys)
	case o.Kick != nil && !slices.Contains(policies, o.Kick):
		problem = fmt.Sprintf("kick policy %s, want a built-in one", o.Kick.Recipe())
	case o.Hash != nil && integerhash.Is(o.Hash):
		problem = fmt.Sprintf("hash family %s takes integers only, want one of %s", o.Hash.Name(), strings.Join(hashing.Names(), ", "))
	default:
		return nil
	}
	return fmt.Errorf("trace: %w: %s", errs.Config, problem)
}

// randomKeys returns n random keys of a seed. There is more than one stream of them.
func randomKeys(seed, stream uint64, n int) (keys []string) {
	const first = 0x7472616365 // any constant: it separates this generator from others of one seed
	r := rand.New(rand.NewPCG(seed, first+stream))
	for range n {
		keys = append(keys, fmt.Sprintf("key-%05x", r.Uint32()>>12))
	}
	return keys
}

// worth is how well so many kicks show what a cuckoo path is: best if there is more than one, and no
// more than a picture shows.
func worth(kicks int) int {
	switch {
	case kicks > drawnKicks:
		return 2
	case kicks > 1:
		return 3
	}
	return kicks
}

// chooseKeys returns random keys up to the first, behind those to fill in, whose number of kicks is worth most. Tables may
// fill up without a kick, so it tries some streams.
func (o Options) chooseKeys() (best []string, err error) {
	const streams = 16
	most, slots := -1, o.Buckets*o.BucketSize
	for stream := range uint64(streams) {
		m, err := NewMachine(o)
		if err != nil {
			return nil, err
		}
		keys := randomKeys(o.Seed, stream, o.Fill+2*slots)
		for n, key := range keys {
			s, err := m.Insert(key)
			if err != nil {
				return nil, err
			}
			if n < o.Fill {
				continue
			}
			if w := worth(s.Kicks()); w > most || w == 0 && most == 0 {
				best, most = keys[:n+1], w
			}
			if most == worth(2) {
				return best, nil
			}
			if s.After.Used() == slots {
				break
			}
		}
	}
	return best, nil
}

// A Machine is the filter that is traced and the one that takes notes.
type Machine struct {
	plain, noted widths.Filter
	recorder     *recorder
	digester     hashing.Digester
	scheme       kick.Scheme
	width        uint
	table        Table
}

// NewMachine returns an empty filter to trace, for who decides from step to step what comes next: Fill and Keys of the
// options are left aside. The errors are those of Run.
func NewMachine(o Options) (*Machine, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c := cuckoo.Config{Buckets: o.Buckets, BucketSize: o.BucketSize, Hash: o.Hash, Placement: o.Placement,
		Kick: o.Kick, MaxKicks: o.MaxKicks, Seed: o.Seed}
	m := &Machine{width: o.Width}
	var err error
	if m.plain, err = widths.New(o.Width, c); err == nil {
		c = m.plain.Config()
		m.recorder = &recorder{base: c.Kick}
		c.Kick = m.recorder
		m.noted, err = widths.New(o.Width, c)
	}
	if err != nil {
		return nil, fmt.Errorf("trace: %w", oneLine(err))
	}
	rule := map[cuckoo.Placement]kick.Rule{cuckoo.XOR: kick.XOR, cuckoo.PlainXOR: kick.PlainXOR, cuckoo.Region: kick.Region}[o.Placement]
	m.scheme = kick.NewScheme(rule, uint64(o.Buckets))
	m.digester = hashing.NewDigester(c.Hash)
	m.table, err = read(m.plain)
	return m, err
}

// oneLine puts joined problems on one line.
func oneLine(err error) error {
	if text := err.Error(); strings.Contains(text, "\n") {
		return fmt.Errorf("%w: %s", errs.Config, strings.ReplaceAll(text, "\n", "; "))
	}
	return err
}

// Insert inserts the key and returns what happened. An error says that the step would not be what the filter did, and is a
// defect of this package.
func (m *Machine) Insert(key string) (Step, error) {
	s := m.Locate(key)
	m.recorder.path = nil
	s.Refused = m.plain.InsertHash(s.Digest)
	noted := m.noted.InsertHash(s.Digest)
	after, err := read(m.plain)
	if err != nil {
		return s, err
	}
	notedTable, err := read(m.noted)
	switch {
	case err != nil:
		return s, err
	case !notedTable.Equal(after) || (noted == nil) != (s.Refused == nil):
		return s, fmt.Errorf("trace: key %q: the policy %s did something else while it was watched", key, m.recorder.Recipe())
	case s.Refused != nil && !errors.Is(s.Refused, cuckoo.ErrFull):
		return s, fmt.Errorf("trace: key %q: %w", key, s.Refused)
	}
	m.table = after
	return s, m.note(&s, after)
}

// note completes a step with the table after it and the path that the recorder has noted, and verifies it.
func (m *Machine) note(s *Step, after Table) error {
	s.After = after
	if s.Refused != nil {
		s.TakenBack = len(m.recorder.path)
	} else if s.Path = m.recorder.path; len(s.Path) == 0 { // no kick was needed
		p, _ := arrival(s.Before, after, s.Fingerprint, s.Primary, s.Alternate)
		s.Path = []Position{p}
	}
	return m.verify(s)
}

// verify replays the step on the table before it.
func (m *Machine) verify(s *Step) error {
	want := s.Before
	if s.Refused == nil {
		var err error
		if want, err = replay(s.Before, &m.scheme, s.Primary, s.Fingerprint, s.Path); err != nil {
			return err
		}
	}
	if !want.Equal(s.After) {
		return fmt.Errorf("trace: key %q: its steps do not lead to the table", s.Key)
	}
	return nil
}
