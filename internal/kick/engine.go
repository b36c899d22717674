package kick

import (
	"math/rand/v2"

	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/packed"
)

// Policy says how an engine makes room. Package cuckoo says what each does.
type Policy uint8

// The policies. User calls Engine.User.
const (
	BreadthFirst Policy = iota
	RandomWalk
	RoundRobin
	LookAhead
	User
)

// MaxLimit is the largest limit on buckets examined of an engine that searches, as BreadthFirst does and
// User may. Walks have none.
const MaxLimit = 1<<16 - 2

// Outcome says how an insert ended.
type Outcome uint8

// The outcomes.
const (
	// Stored: the fingerprint is in the table.
	Stored Outcome = iota
	// NoPath: the policy found no room within its limit. The table is unchanged.
	NoPath
	// Copies: every slot of the pair already holds this fingerprint, so no kick can help. The table is unchanged.
	Copies
)

// Stats counts what inserts did.
type Stats struct {
	Kicks       uint64 // fingerprints moved by inserts that were stored
	LongestPath uint64 // most kicks of one such insert
	Refusals    uint64 // inserts that were not stored
}

// Engine is a table of fingerprints with a rule that pairs its buckets and a policy that makes
// room. Make one with [Engine.Init].
type Engine struct {
	Table  packed.Table
	Scheme Scheme
	Stats  Stats
	// User is the policy User: it works on the engine through the methods of Walk.
	User func(*Walk)

	policy Policy
	quads  bool // the policy is BreadthFirst, and kickQuad serves the table and the scheme
	limit  int
	seed   uint64
	random rand.PCG
	paired *pairSearch // where the policy searches and slots are paired
	*Scratch
}

// Scratch is the memory in which a policy makes room.
type Scratch struct {
	walk   Walk
	search search
	busy   bool // a kick is under way
}

// misuse is what a second kick panics with while one is under way, as it would lose fingerprints. A flag that costs
// nothing to speak of catches most of them, as that of a map does, and not all: the race detector does.
const misuse = "cuckoo: insert during an insert: two goroutines change a filter without a lock, or its kick policy does"

// Init makes e an engine over a table, with scratch memory of its own. The limit, 1..MaxLimit where the policy
// searches, bounds the full buckets that one insert examines: nodes of the search, or kicks of a walk. All the memory
// that inserts need is allocated here. An engine must not be copied afterwards; see [Engine.CloneTo].
func (e *Engine) Init(table packed.Table, scheme Scheme, policy Policy, limit int, seed uint64) {
	*e = Engine{Table: table, Scheme: scheme, policy: policy, limit: limit, seed: seed, Scratch: new(Scratch)}
	e.prepare()
	e.reseed()
}

// prepare sees to it that the scratch memory is large enough.
func (e *Engine) prepare() {
	e.quads = e.policy == BreadthFirst && e.isQuad()
	if e.policy == BreadthFirst || e.policy == User {
		// A search queues no bucket, or slot, twice, so it may have a larger limit than the table has.
		if e.Scheme.Paired() {
			limit := int(min(uint64(e.limit), e.Table.Buckets()*uint64(e.Table.Lanes())))
			if limit > e.search.limit || e.search.seenSlots == nil {
				e.search = search{queue: make([]node, limit+ahead), limit: limit, seenSlots: new([seenBuckets]uint8)}
			}
			e.paired = e.newPairSearch()
		} else if limit := int(min(uint64(e.limit), e.Table.Buckets())); limit > e.search.limit {
			e.search = newSearch(limit)
		}
		if e.quads && len(e.search.quads) < e.search.limit {
			e.search.quads = make([]quadNode, max(e.search.limit, 2))
		}
	}
	if e.policy != BreadthFirst && cap(e.walk.journal) <= e.limit {
		e.walk.journal = make([]position, 0, e.limit+1)
	}
}

// reseed puts the generator at the beginning of its sequence.
func (e *Engine) reseed() {
	const stream = 0x6e657374 // any constant: it separates this generator from others of one seed
	e.random.Seed(e.seed, stream)
}

// CloneTo makes c an engine of its own with equal content, statistics and generator. The field User is copied as it is.
func (e *Engine) CloneTo(c *Engine) {
	*c = *e
	c.Table, c.Scratch = e.Table.Clone(), new(Scratch)
	c.prepare()
}

// Reset empties the table, the statistics, and puts the generator back to its seed.
func (e *Engine) Reset() {
	if e.Scratch != nil && e.Scratch.busy {
		panic(misuse)
	}
	e.Table.Reset()
	e.Stats = Stats{}
	e.reseed()
}

// Insert stores fp in bucket i or j, which must be its pair, kicking others out of the way where neither has a free
// slot. Where slots are paired, it goes into that pair of bucket i or into the one across in bucket j; elsewhere pair
// is 0. Unless Insert returns Stored, the table is unchanged.
func (e *Engine) Insert(i, j, pair, fp uint64) Outcome {
	t := &e.Table
	if t.Layout == packed.Word { // as ReplaceIn does, without a call
		bucket, free := i, t.Last.Zero(t.Word(i))
		if free == 0 {
			bucket, free = j, t.Last.Zero(t.Word(j))
		}
		if free != 0 {
			t.Set(bucket, t.Last.First(free), fp)
			return Stored
		}
	} else if t.ReplaceIn(i, pair, 0, fp) || t.ReplaceIn(j, t.Across(pair), 0, fp) {
		return Stored
	}
	return e.Kick(i, j, pair, fp)
}

// Merge inserts every fingerprint of from, which must have the same scheme and as many lanes a bucket. It ends at the
// first that is not Stored, and leaves those before it in the table.
func (e *Engine) Merge(from *Engine) Outcome {
	o := Stored
	from.Each(func(i, j, pair, fp uint64) bool {
		o = e.Insert(i, j, pair, fp)
		return o == Stored
	})
	return o
}

// Each calls f with every fingerprint in turn, and what [Engine.Insert] takes of it, until f returns false.
func (e *Engine) Each(f func(i, j, pair, fp uint64) bool) {
	t, s := &e.Table, &e.Scheme
	for bucket := range t.Buckets() {
		for lane := range t.Lanes() {
			fp := t.Read(bucket, lane)
			if fp != 0 && !f(bucket, s.Alternate(bucket, fp), s.PairAt(lane, fp), fp) {
				return
			}
		}
	}
}

// Kick is Insert for a fingerprint that is known to have no free slot. It panics if it is called while it runs, by the
// policy or by another goroutine, where it notices.
func (e *Engine) Kick(i, j, pair, fp uint64) Outcome {
	if e.Scratch == nil { // the zero Engine
		e.Stats.Refusals++
		return Copies
	}
	if e.Scratch.busy {
		panic(misuse)
	}
	e.Scratch.busy = true
	kicks, o := uint64(0), Stored
	if e.policy == BreadthFirst && e.Scheme.Paired() {
		kicks, o = e.kickPairs(i, j, pair, fp)
	} else {
		if e.quads {
			kicks = e.kickQuad(i, j, fp)
		}
		if kicks == 0 {
			kicks, o = e.makeRoom(i, j, pair, fp)
		}
	}
	e.Scratch.busy = false
	if o != Stored {
		e.Stats.Refusals++
		return o
	}
	return e.kicked(kicks)
}

// KickOnce stores fp, whose buckets i and j are full, with one kick if that is enough, and tells whether it was. It
// looks at no buckets but those that the kick can lead to. Slots must not be paired.
func (e *Engine) KickOnce(i, j, fp uint64) bool {
	e.search.queue = append(e.search.queue[:0], newNode(i, 0, root), newNode(j, 0, root))
	for x := (exit{}); x.head < 2; x.head++ {
		if e.exit(e.search.queue[x.head].bucket(), &x) {
			return e.kicked(e.shift(x, fp)) == Stored
		}
	}
	return false
}

// kicked counts the kicks of an insert that was stored.
func (e *Engine) kicked(kicks uint64) Outcome {
	e.Stats.Kicks += kicks
	e.Stats.LongestPath = max(e.Stats.LongestPath, kicks)
	return Stored
}

// makeRoom lets the policy find room for fp, unless copies of it fill all of its slots: no kick can help then.
func (e *Engine) makeRoom(i, j, pair, fp uint64) (kicks uint64, o Outcome) {
	if e.fills(i, j, pair, fp) {
		return 0, Copies
	}
	if e.policy != BreadthFirst {
		return e.walk.run(e, i, j, pair, fp)
	}
	x, ok := e.path(i, j, pair, false)
	if !ok {
		return 0, NoPath
	}
	return e.shift(x, fp), Stored
}

// fills tells whether copies of fp fill all of its slots.
func (e *Engine) fills(i, j, pair, fp uint64) bool {
	t, each := &e.Table, int(e.Table.Lanes())
	if e.Scheme.Paired() {
		each = 2
	}
	return t.CountIn(i, pair, fp) == each && t.CountIn(j, t.Across(pair), fp) == each
}

// check holds a fingerprint to be moved to a slot that it may be in where invariants are enabled.
func (e *Engine) check(to, from position, fp uint64) {
	if !invariants.Enabled {
		return
	}
	ok := to.bucket == from.bucket || to.bucket == e.Scheme.Alternate(from.bucket, fp)
	if e.Scheme.Paired() {
		near, other, far := e.Scheme.others(from, fp)
		ok = to == near || to == other || to == far
	}
	if !ok {
		panic("kick: a fingerprint was moved to a slot that it may not be in")
	}
}

// Replace puts another table and its scheme in place of those that e has. What e has counted stays, and so does the
// state of its generator.
func (e *Engine) Replace(table packed.Table, scheme Scheme) {
	e.Table, e.Scheme = table, scheme
	e.prepare()
}
