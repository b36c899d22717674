package trace

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

// checkGolden holds got against a file of testdata.
func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(file, got, 0o644))
	}
	want := must.Get(os.ReadFile(file))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./experiments/trace -update writes it anew):\n%s", file, got)
	}
}

// text returns what WriteText writes.
func text(t *testing.T, r *Result) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, r.WriteText(&b))
	return b.String()
}

// wellFormed holds a picture to be XML.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	if err := xml.Unmarshal(svg, new(struct{})); err != nil {
		t.Fatalf("%v\n%s", err, svg)
	}
}

func TestGolden_EveryPolicy(t *testing.T) {
	for _, policy := range Policies() {
		r := must.Get(Run(Options{Config: of(shape(8, 2, 12), 0, policy, 1, 0)}))(t)
		got := text(t, r)
		if long := regexp.MustCompile(`.{81}`).FindString(got); long != "" { // the line of the configuration had 109 columns
			t.Errorf("more than 80 columns: %s", long)
		}
		checkGolden(t, policy.Recipe()+".txt", []byte(got))
		checkGolden(t, policy.Recipe()+".svg", r.SVG(r.Pictured()))
	}
}

func TestRun_RandomKeysEndInAPath(t *testing.T) {
	for seed := range uint64(10) {
		for _, fill := range []int{0, 5, 9} {
			r := must.Get(Run(Options{Config: of(shape(8, 2, 12), 0, nil, seed, 0), Fill: fill}))(t)
			last := &r.Steps[len(r.Steps)-1]
			if last.Kicks() < 2 || len(r.Steps) > 3 || r.Filled < fill || r.Pictured() != len(r.Steps)-1 {
				t.Errorf("seed %d, fill %d: %d filled, %d steps, the last with %d kicks", seed, fill, r.Filled, len(r.Steps),
					last.Kicks())
			}
		}
	}
	// The table is full before the first random key that is traced.
	r := must.Get(Run(Options{Config: shape(1, 1, 4), Fill: 3}))(t)
	if len(r.Steps) != 1 || r.Steps[0].Refused == nil || r.FillRefused != 2 {
		t.Errorf("full table: %+v", r)
	}
}

func TestRun_RefusalsSayThatNothingChanged(t *testing.T) {
	config := of(shape(1, 2, 8), 0, cuckoo.RandomWalk, 0, 0)
	r := must.Get(Run(Options{Config: config, Keys: []string{"a", "a", "a", "b"}}))(t)
	got := text(t, r)
	for _, want := range []string{"every slot of the key's buckets holds its fingerprint already; integers as digests " +
		"need hashing.Mix64\n                nothing changed",
		"500 kicks made and taken back\n                nothing changed", "they coincide"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if svg := string(r.SVG(r.Pictured())); !strings.Contains(svg, "refused, nothing changed") || strings.Contains(svg,
		"marker-end") {
		t.Errorf("the picture of a refusal:\n%s", svg)
	}
}

func TestRun_BadOptions(t *testing.T) {
	hashed := shape(8, 2, 8)
	hashed.Hash = integerhash.SimpleTabulation(1)
	for name, o := range map[string]Options{
		"0 buckets, want 1 to 32": {Config: shape(0, 2, 8)}, "33 buckets, want 1 to 32": {Config: shape(33, 2, 8)},
		"BucketSize is 0": {Config: shape(8, 0, 8)}, "BucketSize is 3": {Config: of(shape(7, 3, 8), cuckoo.XOR, nil, 0, 0)},
		"power of two": {Config: of(shape(7, 2, 8), cuckoo.XOR, nil, 0, 0)}, "takes integers only": {Config: hashed},
		"width is 33": {Config: shape(8, 2, 33)}, "width is 0": {Config: shape(8, 2, 0)},
		"MaxKicks is -1":       {Config: of(shape(8, 2, 8), 0, nil, 0, -1)},
		"-1 keys to fill in":   {Config: shape(8, 2, 8), Fill: -1},
		"1001 keys to fill in": {Config: shape(8, 2, 8), Fill: MaxKeys + 1},
		"1001 keys to trace":   {Config: shape(8, 2, 8), Keys: make([]string, MaxKeys+1)},
	} {
		if r, err := Run(o); !errors.Is(err, cuckoo.ErrConfig) || !strings.Contains(err.Error(), name) ||
			strings.Contains(err.Error(), "\n") || r != nil {
			t.Errorf("want one line with %q: %v", name, err)
		}
	}
}

func TestShown_PrintableAsItIs(t *testing.T) {
	for key, want := range map[string]string{
		"egg": `"egg"`, "布谷鸟": `"布谷鸟"`, "naïve": `"naïve"`, "a\u202eb": `"a\u202eb"`, "a\u2066b\n": `"a\u2066b\n"`,
		"\x00\xff":              `"\x00\xff"`,
		strings.Repeat("鍵", 10): `"` + strings.Repeat("鍵", 10) + `"`,
		strings.Repeat("鍵", 11): `"` + strings.Repeat("鍵", 8) + `..."`,
		strings.Repeat("k", 21): `"` + strings.Repeat("k", 17) + `..."`,
		strings.Repeat("k", 20): `"` + strings.Repeat("k", 20) + `"`,
	} {
		if got := Shown(key); got != want {
			t.Errorf("%q is shown as %s, want %s", key, got, want)
		}
	}
	got := string(must.Get(Run(Options{Config: shape(8, 2, 8), Keys: []string{"布谷鸟"}}))(t).SVG(0))
	if !strings.Contains(got, "Insert &#34;布谷鸟&#34;") {
		t.Errorf("the picture's title is not the key:\n%.400s", got)
	}
}

// hostile are keys that break what does not quote.
var hostile = []string{
	"", `"`, `'"><script>alert(1)</script>`, "]]>&amp;&#0;", "\x00\xff\xfe\r\n\x1b[31m", "naïve 鍵 \u202e",
	strings.Repeat("long ", 500), strings.Repeat("鍵", 300), strings.Repeat("\xff", 40), strings.Repeat("W", 20), `\`,
}

func TestOutput_HostileKeys(t *testing.T) {
	r := must.Get(Run(Options{Config: shape(8, 4, 16), Keys: hostile}))(t)
	got := text(t, r)
	for _, key := range hostile {
		if want := fmt.Sprintf("insert %q\n", key); !strings.Contains(got, want) {
			t.Errorf("%s is not in the text", want)
		}
	}
	if strings.ContainsAny(got, "\x00\x1b\r") || strings.Contains(got, "\xff") {
		t.Error("the text holds raw bytes of a key")
	}
	for i, key := range hostile {
		svg := r.SVG(i)
		for _, c := range string(svg) {
			if c != '\n' && (!strconv.IsPrint(c) || c == utf8.RuneError) {
				t.Fatalf("key %q: the picture holds %U", key, c)
			}
		}
		if strings.Contains(string(svg), "<script") || utf8.RuneCountInString(Shown(key)) > maxKey+2 {
			t.Errorf("key %q: shown as %s", key, Shown(key))
		}
		wellFormed(t, svg)
	}
}

// shape is a filter of m buckets of b slots with f bits.
func shape(m, b, f int) cuckoo.Config {
	return cuckoo.Config{Buckets: m, BucketSize: b, FingerprintBits: f}
}

// of returns a configuration with another placement, policy, seed and limit.
func of(c cuckoo.Config, p cuckoo.Placement, policy cuckoo.KickPolicy, seed uint64, maxKicks int) cuckoo.Config {
	c.Placement, c.Kick, c.Seed, c.MaxKicks = p, policy, seed, maxKicks
	return c
}

// TestInsert_EveryStepIsTrue overfills tables of every shape under every policy and holds each step against a model, its
// moments and its pictures. What was kicked in all must be what the filter itself counted.
func TestInsert_EveryStepIsTrue(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	long := false
	for _, policy := range Policies() {
		for seed := range seeds {
			for _, c := range []cuckoo.Config{
				of(shape(1, 1, 1), 0, policy, seed, 0), of(shape(1, 4, 8), 0, policy, seed, 0),
				of(shape(3, 8, 2), 0, policy, seed, 0), of(shape(8, 2, 8), cuckoo.XOR, policy, seed, 0),
				of(shape(32, 1, 32), 0, policy, seed, 0), of(shape(16, 4, 5), cuckoo.PlainXOR, policy, seed, 0),
				of(shape(31, 8, 13), 0, policy, seed, 0), of(shape(6, 2, 3), 0, policy, seed, 7),
				of(shape(8, 2, 8), 0, policy, seed, 0), of(shape(4, 4, 3), 0, policy, seed, 0),
			} {
				t.Run(fmt.Sprintf("%s/m=%d/b=%d/f=%d/seed=%d", policy.Recipe(), c.Buckets, c.BucketSize, c.FingerprintBits, seed),
					func(t *testing.T) { long = overfill(t, c) || long })
			}
		}
	}
	if !long {
		t.Errorf("no path of more than %d kicks", drawnKicks)
	}
}

// overfill inserts one and a half times the keys that fit, and tells whether there was a path too long to be drawn.
func overfill(t *testing.T, c cuckoo.Config) (long bool) {
	m := must.Get(NewMachine(c))(t)
	replica, kicks, refused := m.Table.clone(), 0, 0
	for _, key := range randomKeys(c.Seed, 0, c.Buckets*c.BucketSize*3/2+1) {
		for _, other := range Policies() { // an insert that is only tried changes nothing
			s := m.Try(other, key)
			if s.Refused == nil && s.After.Used() != m.Table.Used()+1 || !reflect.DeepEqual(m.read(), m.Table) {
				t.Fatal(s)
			}
		}
		tried, s := m.Try(c.Kick, key), m.Insert(key)
		if !reflect.DeepEqual(tried, s) {
			t.Fatalf("%q: tried %+v, inserted %+v", key, tried, s)
		}
		if s.Refused != nil {
			refused++
			if !reflect.DeepEqual(s.Before, s.After) || len(s.Path) > 0 || !errors.Is(s.Refused, cuckoo.ErrFull) {
				t.Fatalf("%q was refused and changed something: %+v", key, s)
			}
		} else if err := replay(replica, m, &s); err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		if !reflect.DeepEqual(replica, s.After) || s.After.Used() != m.filter.Len() {
			t.Fatalf("%q: the path %v leads to\n%v, the table is\n%v", key, s.Path, replica, s.After)
		}
		checkMoments(t, &s)
		checkPlan(t, newPlan(s.Before, s.Path, c.FingerprintBits))
		if c.Buckets <= 8 {
			checkFrames(t, &s)
		}
		kicks += s.Kicks()
		long = long || s.Kicks() > drawnKicks
	}
	if got := m.filter.Stats(); got.Kicks != uint64(kicks) || got.Refusals != uint64(refused) || refused == 0 {
		t.Errorf("%d kicks and %d refusals were shown, the filter counted %+v", kicks, refused, got)
	}
	return long
}

// replay makes the moves of a step on a table of its own, one fingerprint after the other, and takes nothing from the
// package but the rule that pairs buckets. It holds each of them to be one that the fingerprint may make.
func replay(table Table, m *Machine, s *Step) error {
	moving := s.Fingerprint
	for k, p := range s.Path {
		switch {
		case k == 0 && p.Bucket != s.Primary && p.Bucket != s.Alternate:
			return fmt.Errorf("the new fingerprint is in %v, its buckets are %d and %d", p, s.Primary, s.Alternate)
		case k > 0 && p.Bucket != m.scheme.Alternate(s.Path[k-1].Bucket, moving):
			return fmt.Errorf("kick %d: %x went to %v", k, moving, p)
		case k > 0 && s.Moved()[k-1] != moving:
			return fmt.Errorf("kick %d: Moved says %x, the table %x", k, s.Moved()[k-1], moving)
		}
		moving, table[p.Bucket][p.Slot] = table[p.Bucket][p.Slot], moving
	}
	if moving != 0 {
		return fmt.Errorf("%x is left over", moving)
	}
	return nil
}

// contents counts the fingerprints of a table.
func contents(t Table) map[uint64]int {
	all := map[uint64]int{}
	for _, fp := range slices.Concat(t...) {
		if fp != 0 {
			all[fp]++
		}
	}
	return all
}

// checkMoments holds each fingerprint to be at every moment in the table, in hand, or the one that arrives, and the last
// moment to be the table after the step.
func checkMoments(t *testing.T, s *Step) {
	t.Helper()
	want, n := contents(s.Before), s.Moments()
	want[s.Fingerprint]++
	for i := range n {
		at := s.Moment(i)
		got := contents(at.Table)
		switch {
		case at.Homeless != 0:
			got[at.Homeless]++
		case at.Phase != Stored:
			got[s.Fingerprint]++
		}
		if k := at.Kick; !maps.Equal(got, want) || (at.Phase == Kicked) != (k >= 1 && k <= s.Kicks()) {
			t.Fatalf("%q, moment %d of %d, phase %d, kick %d: %v, want %v", s.Key, i, n, at.Phase, k, got, want)
		}
	}
	last := s.Moment(n - 1)
	if !reflect.DeepEqual(last.Table, s.After) || (last.Phase == Stored) != (s.Refused == nil) {
		t.Fatalf("%q: the last moment has\n%v, the table is\n%v", s.Key, last.Table, s.After)
	}
	for p, u := range last.uses {
		if u == isNew && s.After.at(p) != s.Fingerprint {
			t.Fatalf("%q: not found in %v", s.Key, p)
		}
	}
}

// checkFrames holds every moment to be drawn as XML in one size for all moments of its step, in the colours of its look,
// with names of its own.
func checkFrames(t *testing.T, s *Step) {
	t.Helper()
	f := Frame{Look: Dark, ID: "left-", Width: 8, Roles: [3]string{"primary", "alternate", "both"}, Chip: "<new>",
		Homeless: "homeless"}
	size, lit := "", len(slices.Compact([]uint64{s.Primary, s.Alternate}))
	for i := range s.Moments() {
		at := s.Moment(i)
		svg := string(f.Draw(s, &at, `a "line"`))
		head, _, _ := strings.Cut(svg, " font-family")
		if i == 0 {
			size = head
		}
		arrow := at.first < at.last && at.first <= drawnKicks
		if head != size || strings.Contains(svg, Light.Lit) || strings.Count(svg, Dark.Lit) != lit ||
			strings.Contains(svg, "homeless") != (at.Homeless != 0) || arrow && !strings.Contains(svg, "url(#left-") {
			t.Fatalf("%q, moment %d: %s, the first %s\n%s", s.Key, i, head, size, svg)
		}
		wellFormed(t, []byte(svg))
	}
}

// checkPlan holds a layout to keep its lines apart: tracks, lanes and places at a slot all differ, and
// lie where there is no text.
func checkPlan(t *testing.T, p *plan) {
	t.Helper()
	tracks, lanes, places := map[int]bool{}, map[int]bool{}, map[end]bool{}
	var ends []end
	for k, a := range p.arrows {
		if ends = append(ends, a.to); k > 0 {
			ends = append(ends, a.from)
		}
		if lanes[a.lane] || k > 0 && (a.lane <= p.right || a.lane+9 > p.width) {
			t.Errorf("kick %d has lane %d, the table ends at %d", k, a.lane, p.right)
		}
		lanes[a.lane] = true
	}
	for _, e := range ends {
		row, floor := e.at.Bucket, headHeight
		if row > 0 {
			floor = p.rowY[row-1] + rowHeight
		}
		slot, place := p.slotX(e.at.Slot), end{at: e.at, x: e.x}
		switch {
		case tracks[e.y] || places[place]:
			t.Errorf("two lines share a piece at %v", e.at)
		case e.y <= floor || e.y > p.rowY[row]-12:
			t.Errorf("track %d is not in the gap %d to %d over row %d", e.y, floor, p.rowY[row], row)
		case e.x <= slot || e.x >= slot+p.slotWidth:
			t.Errorf("a line at %d misses the slot at %d", e.x, slot)
		}
		tracks[e.y], places[place] = true, true
	}
	if p.right > p.width || p.rowY[len(p.rowY)-1]+rowHeight >= p.height {
		t.Errorf("the table does not fit into %d x %d", p.width, p.height)
	}
}

func TestDelete_TakesOneFingerprint(t *testing.T) {
	m := must.Get(NewMachine(shape(4, 2, 8)))(t)
	if s := m.Insert("key"); s.Refused != nil || !m.Contains("key") || m.filter.Len() != 1 {
		t.Fatal(s)
	}
	s, found := m.Delete("key")
	if !found || s.Before.Used() != 1 || s.After.Used() != 0 || m.Table.Used() != 0 || m.Contains("key") {
		t.Errorf("%v, %+v", found, s)
	}
	if asked := s.Asked(); len(asked.uses) != 1 || s.Deleted().Table.Used() != 0 {
		t.Errorf("asked %+v", asked)
	}
	if s, found = m.Delete("key"); found || !reflect.DeepEqual(s.Before, s.After) {
		t.Error("it is deleted a second time")
	}
}
