package versus

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/filtertest/ours"
	"github.com/nestfilter/nest/fingerprint"
)

// oursModule is the path of the module of this project's filters.
const oursModule = "github.com/nestfilter/nest"

// A Subject is one filter of one module, ready for the conformance kit.
type Subject struct {
	// Module is the path of the module that the filter comes from.
	Module string
	// Adapter is the filter. Its name need only be unique within the module.
	Adapter filtertest.Adapter
	// Remark is what a reader should know of the filter before the findings, "" for nothing.
	Remark string
}

// Ours reports whether the filter is one of this project.
func (s Subject) Ours() bool { return s.Module == oursModule }

// Label names the module, shortened to its last telling part, and the filter.
func (s Subject) Label() string {
	if s.Ours() {
		return "nest " + s.Adapter.Name
	}
	parts := strings.Split(s.Module, "/")
	return parts[1] + " " + s.Adapter.Name
}

// Subjects returns all filters: those of other modules first, then four of this one, at the same rate
// where a rate can be asked for.
func Subjects() []Subject {
	named := func(name, remark string, a filtertest.Adapter) Subject {
		a.Name = name
		return Subject{Module: oursModule, Adapter: a, Remark: remark}
	}
	return slices.Concat(peers(), []Subject{
		named("cuckoo", "12-bit fingerprints, 4 slots a bucket", ours.Cuckoo[fingerprint.Bits12](cuckoo.Config{Seed: 1})),
		named("counting", "4-bit counters", ours.Counting(askedRate, 4)),
		named("bloom", "", ours.Bloom(askedRate)),
		named("blocked", "", ours.Blocked(askedRate)),
	})
}

// Versions returns the version of every module in this program by path, from what the compiler wrote
// into it. A module replaced by a directory has "this tree", and an unknown path has "".
func Versions() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, m := range info.Deps {
		versions[m.Path] = m.Version
		if m.Replace != nil {
			versions[m.Path] = m.Replace.Version
			if m.Replace.Version == "" || m.Replace.Version == "(devel)" {
				versions[m.Path] = "this tree"
			}
		}
	}
	return versions
}
