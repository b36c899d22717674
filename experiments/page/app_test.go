package page

import (
	"encoding/xml"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
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

// must does a command that has nothing wrong.
func must(t *testing.T, a *App, command string, args ...string) map[string]string {
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

// The new page shows what a cuckoo filter is about: a path, two policies beside each other, and why a key has two
// homes.
func TestApp_NewPageShowsAPath(t *testing.T) {
	shown := opened(t, "").Do("replay")
	contains(t, shown["words"], "“vole” has come.", "both are full: somebody has to move")
	contains(t, shown["why"], " comes from the digest. Bucket ", "either home plus the fingerprint gives the other")
	if shown["right"] == "" || shown["rightname"] != "the same with random-walk: picture 1 of 8" || shown["start"] != "" ||
		shown["end"] != "" {
		t.Errorf("%q, start %q, end %q", shown["rightname"], shown["start"], shown["end"])
	}
}

// A path is played forwards and backwards: the pictures on the way back are those on the way on.
func TestApp_StepsForwardsAndBackwards(t *testing.T) {
	a := opened(t, "")
	must(t, a, "step", "-1000")
	var on, words []string
	shown := must(t, a, "step", "0")
	for ; shown["end"] == ""; shown = must(t, a, "step", "1") {
		on, words = append(on, shown["left"]+shown["right"]+shown["words"]), append(words, shown["words"])
	}
	if shown["words"] == "" || len(on) < 16 {
		t.Fatalf("%d moments", len(on))
	}
	for i := range on {
		shown = must(t, a, "step", "-1")
		if got := shown["left"] + shown["right"] + shown["words"]; got != on[len(on)-1-i] {
			t.Fatalf("moment %d differs on the way back", len(on)-1-i)
		}
	}
	if shown["start"] != "yes" || must(t, a, "step", "-5")["start"] != "yes" {
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
		must(t, a, "fill")
		shown := must(t, a, "step", "1")
		l := a.lesson
		e := &l.events[len(l.events)-1]
		if e.step.Refused == nil || e.kept != len(l.keys) || len(l.keys) != l.machine.Table.Used() ||
			!reflect.DeepEqual(e.step.Before, e.step.After) {
			t.Errorf("%s: %d keys, %d kept: %+v", link, len(l.keys), e.kept, e.step)
		}
		contains(t, shown["words"], "No room for this key", "Nothing is lost", "still says yes to "+grouped(len(l.keys)))
		for _, key := range l.keys {
			if !l.machine.Contains(key) {
				t.Errorf("%s: %q is lost", link, key)
			}
		}
	}
}

func TestApp_InsertAskDelete(t *testing.T) {
	a := opened(t, "m=4&b=1&f=8")
	contains(t, must(t, a, "type", "egg")["words"], "“egg” has the fingerprint")
	contains(t, must(t, a, "insert", "egg\n\r\nham\n")["where"], "step 1 of 2")
	contains(t, must(t, a, "ask", "egg")["words"], "Yes.")
	contains(t, must(t, a, "ask", "toast")["words"], "No. Neither of the buckets")
	contains(t, must(t, a, "delete", "egg")["words"], "To delete “egg”")
	contains(t, must(t, a, "step", "1")["words"], "“egg” is deleted", "1 of 4 slots in use")
	contains(t, must(t, a, "delete", "toast")["words"], "There is nothing to delete")
	contains(t, must(t, a, "ask", "egg")["words"], "No.")
	must(t, a, "insert", "ham")
	contains(t, must(t, a, "step", "1000")["words"], "is now there once more")
	if got := a.lesson.keys; !slices.Equal(got, []string{"ham", "ham"}) {
		t.Errorf("keys %q", got)
	}
	if shown := must(t, a, "clear"); len(a.lesson.events) != 0 || shown["keys"] != "none yet" ||
		shown["start"]+shown["end"] != "yesyes" {
		t.Errorf("after clear: %q", shown["keys"])
	}
}

// A false positive is explained by a key that was inserted, and deleting it is refused: it would lose that key.
func TestApp_FalsePositive(t *testing.T) {
	a := opened(t, "f=6")
	must(t, a, "fill")
	shown := must(t, a, "find")
	e, _ := a.current()
	twin := a.lesson.machine.Locate(e.twin)
	if !e.said || e.member || !slices.Contains(a.lesson.keys, e.twin) || twin.Fingerprint != e.step.Fingerprint {
		t.Fatalf("%+v", e)
	}
	contains(t, shown["words"], "was not inserted. This is a false positive. It shares the class of "+quoted(e.twin))
	before := a.lesson.machine.Table
	contains(t, must(t, a, "delete", e.step.Key)["words"], "It was not deleted", quoted(e.twin)+" would be lost")
	if !reflect.DeepEqual(a.lesson.machine.Table, before) {
		t.Error("the table has changed")
	}
	a = opened(t, "f=32&do=i:one")
	contains(t, a.Do("find")["problem"], "200,000 keys", "none of them got a yes")
}

// The same link is the same page: a lesson can be handed on.
func TestApp_LinkHoldsTheState(t *testing.T) {
	for _, start := range []string{"", "m=16&b=4&f=9&place=plainxor&kick=random-walk&seed=18446744073709551615",
		"m=5&b=1"} {
		a := opened(t, start)
		for _, key := range []string{"a,b&c=d", "100%", "鍵 \x00\xff", "+-?*#:", strings.Repeat("x", maxKeyBytes)} {
			must(t, a, "insert", key)
			must(t, a, "ask", key+"?"[:min(1, maxKeyBytes-len(key))])
		}
		must(t, a, "fill")
		must(t, a, "delete", "100%")
		shown := must(t, a, "step", "1000")
		b := opened(t, "#"+shown["link"])
		if again := b.Do("step", "0"); !maps.Equal(again, shown) {
			for place := range shown {
				if shown[place] != again[place] {
					t.Errorf("%q: %s differs:\n%s\n%s", start, place, shown[place], again[place])
				}
			}
		}
	}
}

func TestApp_SetKeepsTheKeys(t *testing.T) {
	a := opened(t, "")
	keys := slices.Clone(a.lesson.keys)
	shown := must(t, a, "set", "16", "4", "12", "xor", "random-walk", "9")
	if !slices.Equal(a.lesson.keys, keys) || a.crowd.BucketSize != 4 || shown["m"] != "16" || shown["place"] != "xor" ||
		a.lesson.Kick != cuckoo.RandomWalk {
		t.Errorf("%q, %+v", a.lesson.keys, a.lesson.Params)
	}
	link := shown["link"]
	for want, args := range map[string][]string{
		"number of buckets is a number from 1 to 32, not “0”": {"0", "4", "12", "xor", "random-walk", "9"},
		"needs 1, 2, 4, 8, 16 or 32 buckets, not 12":          {"12", "4", "12", "xor", "random-walk", "9"},
		"bucket size is one of 1, 2, 4, 8, not “3”":           {"16", "3", "12", "xor", "random-walk", "9"},
		"width in bits is a number from 1 to 32, not “33”":    {"16", "4", "33", "xor", "random-walk", "9"},
		"placement is one of additive, xor, plainxor, not":    {"16", "4", "12", "spiral", "random-walk", "9"},
		"kick policy is one of breadth-first":                 {"16", "4", "12", "xor", "hard", "9"},
		"seed is a number":                                    {"16", "4", "12", "xor", "random-walk", "-1"},
		"not “”":                                              {},
	} {
		if shown := a.Do("set", args...); !strings.Contains(shown["unfit"], want) || shown["link"] != link ||
			shown["invalid"] == "" {
			t.Errorf("set %q: %q, want %q", args, shown["unfit"], want)
		}
	}
}

func TestApp_BadInput(t *testing.T) {
	if got := new(App).Do("insert", "x")["problem"]; !strings.Contains(got, "not open yet") {
		t.Errorf("before open: %q", got)
	}
	large := strings.Repeat("x", 10_000_000)
	a := opened(t, "")
	link := a.Do("replay")["link"]
	for _, c := range []struct{ want, command, arg string }{
		{"has 10,000,000 bytes", "type", large}, {"has 10,000,000 bytes", "insert", large}, {"has 10,000,000 bytes", "ask",
			large},
		{"has 10,000,000 bytes", "delete", large}, {"has 1,001 bytes", "insert", large[:1001]}, {"Type a key first", "insert",
			"\n\n"},
		{"Type a key first", "ask", ""}, {"1,012 steps; a page takes at most 1,000", "insert", strings.Repeat("x\n", 1001)},
		{"does not know the command “rm”", "rm", ""}, {"number of steps", "step", "far"}, {"number of steps", "step", ""},
		{"from 10 to 20", "grow", "40"}, {"number of keys", "run", "0"}, {"number of keys", "run", "1e9"},
	} {
		shown := a.Do(c.command, c.arg)
		if !strings.Contains(shown["problem"], c.want) || shown["link"] != link {
			t.Errorf("%s: %q, want %q", c.command, shown["problem"], c.want)
		}
		a.Do("see", "zh", "dark")
		if zh := a.Do(c.command, c.arg)["problem"]; zh == "" || zh == shown["problem"] {
			t.Errorf("%s in Chinese: %q", c.command, zh)
		}
		a.Do("see", "en", "light")
	}
}

func TestOpen_BadLinks(t *testing.T) {
	for link, want := range map[string]string{
		"garbage":                             "no parameter “garbage”",
		"#x=1":                                "no parameter “x”",
		"m=99":                                "from 1 to 32, not “99”",
		"m=%zz":                               "cannot be read: “invalid URL escape",
		"do=i:%zz":                            "cannot be read: “invalid URL escape",
		"do=x:ant":                            "holds the step “x:ant”",
		"do=insert":                           "holds the step “insert”",
		"b=3":                                 "bucket size is one of 1, 2, 4, 8",
		"m=3&place=xor":                       "needs 1, 2, 4, 8",
		"do=i:" + strings.Repeat("k", 1001):   "has 1,001 bytes",
		"do=" + strings.Repeat("f:,", maxOps): "1,001 steps",
		"do=" + strings.Repeat("x", 1<<17):    "The link has 131,075 bytes",
	} {
		if want == "1,001 steps" {
			link += "f:"
		}
		a := new(App)
		a.Do("see", "en", "dark")
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
		for {
			a, b := en.Do("run", "1000"), zh.Do("run", "1000")
			maps.Copy(a, en.Do("step", "1"))
			maps.Copy(b, zh.Do("step", "1"))
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
			if a["end"] != "" {
				break
			}
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
	}
}
