package trace

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/fingerprint"
)

// Filter is the filter as it is now, to be asked. Changes go through the machine, which notes them.
func (m *Machine) Filter() widths.Filter { return m.plain }

// Table is what the filter holds. It is not to be changed.
func (m *Machine) Table() Table { return m.table }

// Locate returns the step of a key that nothing is done with: what becomes of it, and the table.
func (m *Machine) Locate(key string) Step {
	s := Step{Key: key, Digest: m.digester.Sum64String(key), Before: m.table, After: m.table}
	s.Fingerprint = fingerprint.Of(s.Digest, m.width)
	s.Primary, s.Alternate = m.scheme.Pair(s.Digest, s.Fingerprint)
	return s
}

// Contains tells whether the filter says yes to the key.
func (m *Machine) Contains(key string) bool { return m.plain.ContainsHash(m.digester.Sum64String(key)) }

// Delete takes one fingerprint of the key's class out of the table and tells whether there was one. The step has the table
// before and after it. As with every cuckoo filter, only keys that were inserted may be deleted. The errors are those of
// Insert.
func (m *Machine) Delete(key string) (Step, bool, error) {
	s := m.Locate(key)
	found := m.plain.DeleteHash(s.Digest)
	if noted := m.noted.DeleteHash(s.Digest); noted != found {
		return s, false, fmt.Errorf("trace: key %q: of two equal filters one deletes it", key)
	}
	after, err := read(m.plain)
	if err != nil {
		return s, false, err
	}
	m.table, s.After = after, after
	return s, found, nil
}

// Try returns the step that an insert of the key would be under another built-in policy. The table stays as it is. MaxKicks
// is that of the filter, so that both policies may try as often.
func (m *Machine) Try(policy cuckoo.KickPolicy, key string) (Step, error) {
	other := *m
	other.noted = m.noted.(*cuckoo.Filter[fingerprint.Any]).Clone()
	before := m.recorder.base
	m.recorder.base = policy // the clone has the same recorder
	defer func() { m.recorder.base = before }()
	m.recorder.path = nil
	s := other.Locate(key)
	s.Refused = other.noted.InsertHash(s.Digest)
	after, err := read(other.noted)
	if err != nil {
		return s, err
	}
	return s, other.note(&s, after)
}
