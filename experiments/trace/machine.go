package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/kick"
)

// Policies returns the built-in kick policies, the default first.
func Policies() []cuckoo.KickPolicy {
	return []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.RandomWalk, cuckoo.RoundRobin}
}

// A Position is a slot of a table.
type Position struct {
	Bucket uint64
	Slot   int
}

// String returns the position as texts name it.
func (p Position) String() string { return fmt.Sprintf("bucket %d slot %d", p.Bucket, p.Slot) }

// A Table is the content of a filter: Table[bucket][slot] is a fingerprint, or 0 where the slot is free.
type Table [][]uint64

func (t Table) at(p Position) uint64 { return t[p.Bucket][p.Slot] }

func (t Table) clone() (c Table) {
	for _, slots := range t {
		c = append(c, slices.Clone(slots))
	}
	return c
}

// Used returns the number of fingerprints.
func (t Table) Used() int {
	return len(slices.DeleteFunc(slices.Concat(t...), func(fp uint64) bool { return fp == 0 }))
}

// A recorder is a kick policy that has another one make its kicks and notes them.
type recorder struct {
	cuckoo.KickPolicy
	path []Position
}

// Kick makes the kicks of the other policy.
func (r *recorder) Kick(w *cuckoo.Walk) {
	r.KickPolicy.Kick(w)
	for bucket, slot := range w.Path() {
		r.path = append(r.path, Position{bucket, slot})
	}
}

// A Machine is a small filter whose changes are steps.
type Machine struct {
	filter   *cuckoo.Filter[fingerprint.Any]
	recorder *recorder
	config   cuckoo.Config // resolved, with the policy that the recorder has
	digester hashing.Digester
	scheme   kick.Scheme
	// Table is what the filter holds. It is not to be changed.
	Table Table
}

// NewMachine returns an empty filter, for who decides from step to step what comes next. The errors wrap
// cuckoo.ErrConfig, on one line.
func NewMachine(c cuckoo.Config) (*Machine, error) {
	if err := cmp.Or(within("%d buckets", c.Buckets, 1, MaxBuckets), within("BucketSize is %d", c.BucketSize, 1, 8),
		within("width is %d", c.FingerprintBits, 1, fingerprint.MaxWidth)); err != nil {
		return nil, err
	}
	if c.Hash != nil && integerhash.Is(c.Hash) {
		return nil, fmt.Errorf("trace: %w: hash family %s takes integers only", errs.Config, c.Hash.Name())
	}
	f, err := cuckoo.New[fingerprint.Any](c)
	if err != nil {
		return nil, fmt.Errorf("trace: %w: %s", errs.Config, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	c = f.Config() // has the MaxKicks of the policy
	m := &Machine{config: c, recorder: &recorder{KickPolicy: c.Kick}, digester: hashing.NewDigester(c.Hash)}
	c.Kick = m.recorder
	m.filter, _ = cuckoo.New[fingerprint.Any](c) // which was made once already
	rules := map[cuckoo.Placement]kick.Rule{cuckoo.XOR: kick.XOR, cuckoo.PlainXOR: kick.PlainXOR}
	m.scheme = kick.NewScheme(rules[c.Placement], uint64(c.Buckets))
	m.Table = m.read()
	return m, nil
}

// read returns the table of the filter, as its %#v draws it: a bucket a line, and a dot for a free slot.
func (m *Machine) read() Table {
	t := make(Table, m.config.Buckets)
	lines := strings.Split(fmt.Sprintf("%#v", m.filter), "\n")
	for i, line := range lines[len(lines)-len(t):] {
		_, cells, _ := strings.Cut(line, "|")
		for cell := range strings.FieldsSeq(cells) {
			fp, _ := strconv.ParseUint(cell, 16, 64) // 0 of a dot
			t[i] = append(t[i], fp)
		}
	}
	return t
}

// Contains tells whether the filter says yes to the key.
func (m *Machine) Contains(key string) bool {
	return m.filter.ContainsHash(m.digester.Sum64String(key))
}

// Locate returns the step of a key that nothing is done with: what becomes of it, and the table.
func (m *Machine) Locate(key string) Step {
	s := Step{Key: key, Policy: m.recorder.KickPolicy, Digest: m.digester.Sum64String(key), Before: m.Table,
		After: m.Table}
	s.Fingerprint = fingerprint.Of(s.Digest, uint(m.config.FingerprintBits))
	s.Primary, s.Alternate = m.scheme.Pair(s.Digest, s.Fingerprint)
	return s
}

// Insert inserts the key and returns what happened.
func (m *Machine) Insert(key string) Step {
	s := m.Locate(key)
	m.recorder.path = nil
	s.Refused = m.filter.InsertHash(s.Digest)
	m.Table = m.read()
	s.After = m.Table
	switch s.Path = m.recorder.path; {
	case s.Refused != nil:
		s.Path, s.TakenBack = nil, len(s.Path)
	case len(s.Path) == 0:
		s.Path = []Position{s.arrival()}
	}
	return s
}

// arrival returns the slot that an insert without a kick has filled.
func (s *Step) arrival() (p Position) {
	for _, p.Bucket = range []uint64{s.Primary, s.Alternate} {
		for p.Slot = range s.After[p.Bucket] {
			if s.Before.at(p) != s.After.at(p) {
				return p
			}
		}
	}
	return p
}

// Try returns the step that an insert of the key would be under another policy with the MaxKicks of the filter. The
// table stays as it is.
func (m *Machine) Try(policy cuckoo.KickPolicy, key string) Step {
	other, base := *m, m.recorder.KickPolicy
	other.filter = m.filter.Clone()
	m.recorder.KickPolicy = policy // the clone has the same recorder
	defer func() { m.recorder.KickPolicy = base }()
	return other.Insert(key)
}

// Delete takes one fingerprint of the key's class out of the table and tells whether there was one. As with every
// cuckoo filter, only keys that were inserted may be deleted.
func (m *Machine) Delete(key string) (Step, bool) {
	s := m.Locate(key)
	found := m.filter.DeleteHash(s.Digest)
	m.Table = m.read()
	s.After = m.Table
	return s, found
}
