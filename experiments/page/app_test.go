package page

import (
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/trace"
)

// opened returns an App that shows a link.
func opened(t *testing.T, link string) *App {
	t.Helper()
	a := new(App)
	a.Do("see", "en", "light")
	if shown := a.Do("open", link); shown["problem"] != "" {
		t.Fatalf("%s: %s", link, shown["problem"])
	}
	return a
}

// do does a command that has nothing wrong.
func do(t *testing.T, a *App, command string, args ...string) map[string]string {
	t.Helper()
	shown := a.Do(command, args...)
	if shown["problem"] != "" {
		t.Fatalf("%s %q: %s", command, args, shown["problem"])
	}
	return shown
}

// contains reports the texts that are not in a place.
func contains(t *testing.T, place string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(place, text) {
			t.Errorf("%q is not in %q", text, place)
		}
	}
}

// TestApp_Says does one command after the other and looks at what a place says then.
func TestApp_Says(t *testing.T) {
	for link, lines := range map[string][][4]string{ // command, argument, place, pattern
		"": { // what a cuckoo filter is about: a path, two policies beside each other, and why a key has two homes
			{"replay", "", "words", "“vicuna” has come.*both are full: somebody has to move"},
			{"replay", "", "why", " comes from the digest. Bucket .*either home plus the fingerprint gives the other"},
			{"replay", "", "rightname", "^the same with random-walk: picture 1 of 8$"},
			{"replay", "", "right", "^<svg"}, {"step", "0", "start", "^$"}, {"step", "0", "end", "^$"},
			{"step", "0", "idle", "^$"}, {"step", "6", "leftname", "picture 5 of 5"}, // a run that is over says so
			{"step", "0", "rightname", "picture 7 of 8"},
		},
		"m=4&b=1&f=8": {
			{"type", "egg", "words", "“egg” has the fingerprint"}, {"insert", "egg\n\r\nham\n", "where", "step 1 of 2"},
			{"ask", "egg", "words", "^Yes."}, {"ask", "toast", "words", "^No. Neither of the buckets"},
			{"delete", "egg", "words", "^To delete “egg”"}, {"step", "1", "words", "“egg” is deleted.*1 of 4 slots in use"},
			{"delete", "toast", "words", "There is nothing to delete"}, {"ask", "egg", "words", "^No."},
			{"insert", "ham", "words", ""}, {"step", "1000", "words", "is now there once more"},
			{"step", "0", "keys", "^“ham” “ham”$"}, {"clear", "", "keys", "^none yet$"}, {"step", "0", "start", "yes"},
			{"step", "0", "end", "yes"}, {"step", "0", "idle", "yes"}, {"step", "0", "words", "Type a key"},
			{"step", "0", "why", "^$"},
		},
		"m=1&b=1&do=i:ant": {
			{"step", "0", "why", "both homes of every key coincide"}, {"step", "0", "use", "1 of 1 slot in use"},
			{"step", "0", "buckets", `^0 \(primary and alternate\)`},
			{"step", "0", "fingerprint", `^[0-9a-f]{2} \(hexadecimal, 8 bits\)$`},
		},
		"f=32&do=i:one":        {{"step", "0", "rate", "gets a yes$"}},
		"m=1&b=8&f=2&do=f:":    {{"step", "1000", "rate", "of keys that were not inserted, about 93.1% get a yes$"}},
		"m=8&b=2&f=8&do=f:":    {{"step", "1000", "rate", `about [\d.]+% get a yes \(1 in \d+\)$`}},
		"m=32&b=1&f=32&do=i:a": {{"step", "1000", "rate", `about 1 in \d+,\d\d0,000,000 gets a yes$`}},
	} {
		a := opened(t, link)
		for _, l := range lines {
			shown := do(t, a, l[0], l[1])
			if got := shown[l[2]]; !regexp.MustCompile(l[3]).MatchString(got) {
				t.Errorf("%q, %s %q: %s is %q, want %s", link, l[0], l[1], l[2], got, l[3])
			}
			if lit := strings.Contains(shown["left"], trace.Light.Lit); lit == (shown["idle"] != "" && l[0] != "type") {
				t.Errorf("%q, %s %q: a bucket is lit: %v", link, l[0], l[1], lit)
			}
			wellFormed(t, shown["left"])
		}
	}
}

// A path is played forwards and backwards: the pictures on the way back are those on the way on.
func TestApp_StepsForwardsAndBackwards(t *testing.T) {
	a := opened(t, "")
	do(t, a, "step", "-1000")
	var on, words []string
	shown := do(t, a, "step", "0")
	for ; shown["end"] == ""; shown = do(t, a, "step", "1") {
		on, words = append(on, shown["left"]+shown["right"]+shown["words"]), append(words, shown["words"])
	}
	if shown["words"] == "" || len(on) < 16 {
		t.Fatalf("%d moments", len(on))
	}
	for i := range on {
		shown = do(t, a, "step", "-1")
		if got := shown["left"] + shown["right"] + shown["words"]; got != on[len(on)-1-i] {
			t.Fatalf("moment %d differs on the way back", len(on)-1-i)
		}
	}
	if shown["start"] != "yes" || do(t, a, "step", "-5")["start"] != "yes" {
		t.Error("the first moment is not the start")
	}
	said := strings.Join(words, " ")
	contains(t, said, "the search has found a shortest path", "Kick 2 of 2", "Kick 1 of 2")
	contains(t, strings.Join(on, ""), "homeless")
	if strings.Contains(said, "Kick 1 of 6") || strings.Contains(said, "is homeless and goes") {
		t.Errorf("what is true of the walk at the right is said of the search: %s", said)
	}
}

func TestApp_FillLosesNothing(t *testing.T) {
	for _, link := range []string{"m=8&b=2&f=8", "m=32&b=8&f=12", "m=1&b=1&f=1",
		"m=16&b=4&f=4&place=xor&kick=random-walk&seed=7", "m=31&b=1&f=32&kick=round-robin"} {
		a := opened(t, link)
		do(t, a, "fill")
		shown := do(t, a, "step", "1")
		l := a.lesson
		e := &l.events[len(l.events)-1]
		if e.step.Refused == nil || e.kept != len(l.keys) || len(l.keys) != l.machine.Table.Used() ||
			!reflect.DeepEqual(e.step.Before, e.step.After) {
			t.Errorf("%s: %d keys, %d kept: %+v", link, len(l.keys), e.kept, e.step)
		}
		contains(t, shown["words"], "No room for this key", "Nothing is lost", "still says yes to "+grouped(len(l.keys)))
		if lost := slices.IndexFunc(l.keys, func(key string) bool { return !l.machine.Contains(key) }); lost >= 0 {
			t.Errorf("%s: %q is lost", link, l.keys[lost])
		}
	}
}

// A false positive is explained by a key that was inserted, and deleting it is refused: it would lose that key.
func TestApp_FalsePositive(t *testing.T) {
	a := opened(t, "f=6")
	do(t, a, "fill")
	shown := do(t, a, "find")
	e, _ := a.current()
	twin := a.lesson.machine.Locate(e.twin)
	if !e.said || e.member || !slices.Contains(a.lesson.keys, e.twin) || twin.Fingerprint != e.step.Fingerprint {
		t.Fatalf("%+v", e)
	}
	contains(t, shown["words"], "was not inserted. This is a false positive. It shares the class of "+quoted(e.twin))
	before := a.lesson.machine.Table
	contains(t, do(t, a, "delete", e.step.Key)["words"], "It was not deleted", quoted(e.twin)+" would be lost")
	if !reflect.DeepEqual(a.lesson.machine.Table, before) {
		t.Error("the table has changed")
	}
}

// The same link is the same page: a lesson can be handed on.
func TestApp_LinkHoldsTheState(t *testing.T) {
	for _, start := range []string{"", "m=16&b=4&f=9&place=plainxor&kick=random-walk&seed=18446744073709551615",
		"m=5&b=1"} {
		a := opened(t, start)
		for _, key := range []string{"a,b&c=d", "100%", "鍵 \x00\xff", "+-?*#:", strings.Repeat("x", maxKeyBytes)} {
			do(t, a, "insert", key)
			do(t, a, "ask", key+"?"[:min(1, maxKeyBytes-len(key))])
		}
		do(t, a, "fill")
		do(t, a, "delete", "100%")
		shown := do(t, a, "step", "1000")
		again := opened(t, "#"+shown["link"]).Do("step", "0")
		for place := range shown {
			if shown[place] != again[place] {
				t.Errorf("%q: %s differs:\n%s\n%s", start, place, shown[place], again[place])
			}
		}
	}
}

func TestApp_SetKeepsTheKeys(t *testing.T) {
	a := opened(t, "")
	keys := slices.Clone(a.lesson.keys)
	shown := do(t, a, "set", "16", "4", "12", "xor", "random-walk", "9")
	if !slices.Equal(a.lesson.keys, keys) || a.crowd.BucketSize != 4 || shown["m"] != "16" || shown["place"] != "xor" ||
		a.lesson.Kick != cuckoo.RandomWalk {
		t.Errorf("%q, %+v", a.lesson.keys, a.lesson.Params)
	}
}

// TestApp_BadInput is told in both languages, and changes nothing. Of parameters the fields are named.
func TestApp_BadInput(t *testing.T) {
	contains(t, new(App).Do("insert", "x")["problem"], "not open yet")
	large := strings.Repeat("x", 10_000_000)
	a := opened(t, "")
	link := a.Do("replay")["link"]
	for _, c := range []struct {
		want, command string
		args          []string
	}{
		{"has 10,000,000 bytes", "type", []string{large}}, {"has 10,000,000 bytes", "insert", []string{large}},
		{"has 10,000,000 bytes", "ask", []string{large}}, {"has 10,000,000 bytes", "delete", []string{large}},
		{"has 1,001 bytes", "insert", []string{large[:1001]}}, {"Type a key first", "insert", []string{"\n\n"}},
		{"Type a key first", "ask", nil}, {"does not know the command “rm”", "rm", nil},
		{"1,012 steps; a page takes at most 1,000", "insert", []string{strings.Repeat("x\n", 1001)}},
		{"number of steps", "step", []string{"far"}}, {"number of steps", "step", nil}, {"from 10 to 20", "grow", []string{"40"}},
		{"number of keys", "run", []string{"0"}}, {"number of keys", "run", []string{"1e9"}},
		{"buckets is a number from 1 to 32, not “0”", "set", []string{"0", "4", "12", "xor", "random-walk", "9"}},
		{"1, 2, 4, 8, 16 or 32 buckets, not 12", "set", []string{"12", "4", "12", "xor", "random-walk", "9"}},
		{"bucket size is one of 1, 2, 4, 8, not “3”", "set", []string{"16", "3", "12", "xor", "random-walk", "9"}},
		{"in bits is a number from 1 to 32, not “33”", "set", []string{"16", "4", "33", "xor", "random-walk", "9"}},
		{"is one of additive, xor, plainxor, not", "set", []string{"16", "4", "12", "spiral", "random-walk", "9"}},
		{"kick policy is one of breadth-first", "set", []string{"16", "4", "12", "xor", "hard", "9"}},
		{"seed is a number", "set", []string{"16", "4", "12", "xor", "random-walk", "-1"}}, {"not “”", "set", nil},
	} {
		place := map[bool]string{false: "problem", true: "unfit"}[c.command == "set"]
		shown := a.Do(c.command, c.args...)
		if !strings.Contains(shown[place], c.want) || shown["link"] != link || (shown["invalid"] != "") != (place == "unfit") {
			t.Errorf("%s %.50q: %q, want %q", c.command, c.args, shown[place], c.want)
		}
		a.Do("see", "zh", "dark")
		if zh := a.Do(c.command, c.args...)[place]; zh == "" || zh == shown[place] {
			t.Errorf("%s in Chinese: %q", c.command, zh)
		}
		a.Do("see", "en", "light")
		a.Do("set", a.lesson.values()...) // which is right
	}
	contains(t, opened(t, "f=32&do=i:one").Do("find")["problem"], "200,000 keys", "none of them got a yes")
}

// A bad link is told, and a new page shown.
func TestOpen_BadLinks(t *testing.T) {
	for link, want := range map[string]string{
		"garbage": "no parameter “garbage”", "#x=1": "no parameter “x”", "m=99": "from 1 to 32, not “99”",
		"m=%zz": "cannot be read: “invalid URL escape", "do=i:%zz": "cannot be read: “invalid URL escape",
		"do=x:ant": "holds the step “x:ant”", "do=insert": "holds the step “insert”", "m=3&place=xor": "needs 1, 2, 4, 8",
		"b=3": "bucket size is one of 1, 2, 4, 8", "do=i:" + strings.Repeat("k", 1001): "has 1,001 bytes",
		"do=" + strings.Repeat("f:,", maxOps) + "f:": "1,001 steps",
		"do=" + strings.Repeat("x", 1<<17):           "The link has 131,075 bytes",
	} {
		a := new(App)
		shown := a.Do("open", link)
		if !strings.Contains(shown["problem"], want) || shown["left"] == "" || a.Do("insert", "x")["problem"] != "" {
			t.Errorf("%.40s: %q, want %q", link, shown["problem"], want)
		}
	}
}

// FuzzApp opens any link: the page shows something, nothing panics, and the link of what it shows opens the same.
func FuzzApp(f *testing.F) {
	for _, link := range []string{example, "m=4&b=8&f=3&kick=round-robin&do=f:,d:key,l:key,i:%41", "#garbage", "m=&do=,",
		"seed=1&seed=2"} {
		f.Add(link)
	}
	f.Fuzz(func(t *testing.T, link string) {
		a := new(App)
		shown := a.Do("open", link)
		if shown["left"] == "" || shown["words"] == "" {
			t.Fatal("a blank page")
		}
		if again := new(App).Do("open", shown["link"]); again["problem"] != "" || again["left"] != shown["left"] {
			t.Errorf("%q became %q: %s", link, shown["link"], again["problem"])
		}
	})
}

// Everything that is said in a long lesson is said in both languages, with no gap in a format, and every picture is
// XML.
func TestApp_SpeaksBothLanguages(t *testing.T) {
	for n := range 9 {
		link := "m=8&b=2&f=5&place=" + placements[n%3].String() + "&kick=" + trace.Policies()[n/3].Recipe() +
			"&do=i:ant,i:ant,i:ant,i:ant,i:ant,l:bee,d:ant,d:none,f:,l:cat,l:key-00000"
		en, zh := opened(t, link), opened(t, link)
		zh.Do("see", "zh", "dark")
		for _, app := range []*App{en, zh} {
			app.Do("find")
			app.Do("step", "-1000")
		}
		for end := ""; end == ""; {
			en.Do("run", "1000")
			zh.Do("run", "1000")
			a, b := en.Do("step", "1"), zh.Do("step", "1")
			end = a["end"]
			for place, text := range a {
				if strings.Contains(text+b[place], "%!") {
					t.Fatalf("%s: %q, %q", place, text, b[place])
				}
				if slices.Contains([]string{"words", "why", "crowd", "where", "use", "rate", "leftname"}, place) &&
					(text == b[place] || text == "" || b[place] == "") {
					t.Errorf("%s: %q in both languages", place, text)
				}
				for _, svg := range []string{text, b[place]} {
					if strings.HasPrefix(svg, "<svg") {
						wellFormed(t, svg)
					}
				}
			}
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Fatalf("%v\n%s", err, svg)
	}
}

// The opening walk takes a fingerprint away from home and back: what is said of it is true all the same.
func TestWords_MovedFingerprintsAreAtHome(t *testing.T) {
	a := opened(t, "kick=random-walk&"+example)
	e, _ := a.current()
	words := do(t, a, "step", "1000")["words"]
	contains(t, words, "Every fingerprint that moved lies in one of its two homes")
	back := false
	moved := e.step.Moved()
	for i, fp := range moved {
		for k, other := range moved[:i] {
			back = back || fp == other && e.step.Path[i+1].Bucket == e.step.Path[k].Bucket
		}
	}
	if !back || strings.Contains(words, "its other home") {
		t.Errorf("moved %x by %v: %s", moved, e.step.Path, words)
	}
}

// The row of the table, its rate and its keys are those of the moment that is shown.
func TestApp_TableFollowsTheMoment(t *testing.T) {
	a := opened(t, "")
	do(t, a, "delete", "owl")
	end := do(t, a, "step", "1000")
	contains(t, end["use"], "10 of 16 slots")
	shown := do(t, a, "step", "-1000")
	for n := 0; ; shown = do(t, a, "step", "1") {
		e, i := a.current()
		m, keys := e.moment(i), strings.Count(shown["keys"], "“")
		contains(t, shown["use"], fmt.Sprintf("%d of 16 slots", m.Table.Used()))
		if i == e.ends() && keys != m.Table.Used() || keys < n-1 {
			t.Errorf("%s: %d keys, %d fingerprints", shown["where"], keys, m.Table.Used())
		}
		n = keys
		if shown["end"] != "" {
			break
		}
	}
	do(t, a, "step", "-1000")
	if shown := do(t, a, "step", "0"); shown["use"] == end["use"] || shown["rate"] == end["rate"] ||
		shown["keys"] != "none yet" {
		t.Errorf("at the start: %q, %q, %q", shown["use"], shown["rate"], shown["keys"])
	}
	if shown := do(t, a, "type", "egg"); shown["use"] != end["use"] || shown["keys"] != end["keys"] {
		t.Errorf("a key that is typed is looked up in the table as it is: %q", shown["use"])
	}
}

func TestWords_CoincidingHomes(t *testing.T) {
	a := opened(t, "m=8")
	coincide := false
	sums := regexp.MustCompile(`add up to (\d), counted modulo 8: (\d) \+ (\d) = (\d+)( = (\d) modulo 8)?`)
	for i := range 100 {
		shown := do(t, a, "type", fmt.Sprint("key ", i))
		if s := a.asked.step; s.Primary == s.Alternate {
			coincide = true
			contains(t, shown["why"], "Both homes of this key coincide")
			continue
		} else if m := sums.FindStringSubmatch(shown["why"]); m == nil || m[1] != fmt.Sprint((s.Primary+s.Alternate)%8) ||
			m[4] != fmt.Sprint(s.Primary+s.Alternate) || (m[6] != "") == (m[4] == m[1]) {
			t.Errorf("%q: %q", s.Key, m)
		}
	}
	if !coincide {
		t.Error("no key has homes that coincide")
	}
}

// Every sentence that is said has both languages, and all of them are said.
func TestWords_AllAreTranslated(t *testing.T) {
	var code []byte
	for _, name := range []string{"app.go", "crowd.go", "lesson.go", "link.go", "plot.go", "speak.go"} {
		b, _ := os.ReadFile(name) // which says nothing if it is missing
		code = append(code, b...)
	}
	for _, said := range regexp.MustCompile(`(?:say|problem)\("(.*?)"`).FindAllSubmatch(code, -1) {
		if sentences[string(said[1])] == [2]string{} {
			t.Errorf("%q is not in words.txt", said[1])
		}
	}
	for name, both := range sentences {
		if !strings.Contains(string(code), strconv.Quote(name)) || both[0] == "" || both[1] == "" {
			t.Errorf("nothing says %q, which is %q", name, both)
		}
	}
}

// All that is wrong with the parameters is said at once, also in another language, and the fields are named.
func TestSet_NamesTheFields(t *testing.T) {
	a := opened(t, "")
	shown := a.Do("set", "7", "2", "33", "xor", "breadth-first", "x")
	contains(t, shown["unfit"], "width in bits is", "The seed is", "needs 1, 2, 4, 8, 16 or 32 buckets, not 7")
	zh := a.Do("see", "zh", "light")
	good := do(t, a, "set", "7", "2", "32", "additive", "breadth-first", "1")
	if shown["invalid"] != "f seed m place" || shown["problem"] != "" || zh["invalid"] != shown["invalid"] ||
		!strings.Contains(zh["unfit"], "种子") || good["unfit"]+good["invalid"] != "" {
		t.Errorf("%q, in Chinese %q, after good parameters %q", shown["invalid"], zh["unfit"], good["unfit"])
	}
}

// What was measured of a whole fill is what the formulas say, within four standard deviations and what differs from
// table to table.
func TestCrowd_MeasuredIsPredicted(t *testing.T) {
	for _, link := range []string{"b=4&f=8", "b=8&f=6&place=xor", "b=2&f=8&kick=random-walk", "b=1&f=5&seed=3"} {
		a := opened(t, link)
		do(t, a, "grow", "14")
		for a.Do("run", "1000")["done"] == "" {
		}
		c := a.crowd
		if c.kept != c.filter.Len() || c.filter.Len() < c.filter.Slots()/3 || len(c.samples) < windows/3 {
			t.Errorf("%s: %d of %d kept, %d samples", link, c.kept, c.filter.Len(), len(c.samples))
		}
		var kicks float64
		var sums, want [2]float64
		last := 0
		for _, s := range c.samples {
			for k, rate := range c.predict(s.keys) {
				want[k] += probes * rate
				sums[k] += float64(s.rates[k].Events)
			}
			kicks += s.kicks * float64(s.keys-last)
			last = s.keys
		}
		for i, filter := range []string{"cuckoo", "Bloom"} {
			if bound := claims.Deviations*math.Sqrt(want[i]) + 0.03*want[i]; math.Abs(sums[i]-want[i]) > bound {
				t.Errorf("%s: the %s filter said yes %v times, predicted %v, bound %v", link, filter, sums[i], want[i], bound)
			}
		}
		if last != c.filter.Len() || math.Abs(kicks-float64(c.kicks)) > 0.5 || c.kicks > c.filter.Stats().Kicks {
			t.Errorf("%s: samples of %d keys and %v kicks, the filter has %d and %d", link, last, kicks, c.filter.Len(), c.kicks)
		}
	}
}

// Both filters have as many bits at every width, and ticks of the plots differ and have units.
func TestCrowd_EveryWidth(t *testing.T) {
	p, ticks := defaults(), regexp.MustCompile(`text-anchor="end">([^<]*)<`)
	for p.FingerprintBits = 1; p.FingerprintBits <= 32; p.FingerprintBits++ {
		c := newCrowd(p, leastSlots)
		if bits := c.bloom.Config().Slots; bits != p.FingerprintBits<<leastSlots || c.exponent != leastSlots {
			t.Errorf("width %d: %d bits, exponent %d", p.FingerprintBits, bits, c.exponent)
		}
		c.fill(100)
		rates, seen := string(c.ratePlot(0, trace.Light)), map[string]bool{}
		wellFormed(t, rates)
		wellFormed(t, string(c.kicksPlot(0, trace.Light)))
		for _, tick := range ticks.FindAllStringSubmatch(rates, -1) {
			if seen[tick[1]] || !strings.HasSuffix(tick[1], "%") {
				t.Errorf("width %d: the tick %s is there twice or has no unit", p.FingerprintBits, tick[1])
			}
			seen[tick[1]] = true
		}
	}
}

// The large table does not depend on how many keys a frame inserts, and starts anew when it is emptied.
func TestCrowd_FramesDoNotMatter(t *testing.T) {
	a, b := opened(t, ""), opened(t, "")
	for range 30 {
		do(t, a, "run", "1000")
	}
	for range 3 {
		do(t, b, "run", "10000")
	}
	one, other := do(t, a, "replay"), do(t, b, "replay")
	if one["kicks"] != other["kicks"] || one["rates"] != other["rates"] || !strings.Contains(one["crowd"],
		"30,000 keys in 65,536 slots") {
		t.Errorf("%s\n%s", one["crowd"], other["crowd"])
	}
	if shown := do(t, a, "grow", "10"); !strings.Contains(shown["crowd"], "0 keys in 1,024 slots: load 0%.") {
		t.Errorf("%s", shown["crowd"])
	}
}
