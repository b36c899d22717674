// Package page is the page of nest page, on which one can watch a cuckoo filter: all that it does but the drawing of
// controls.
//
// The filter on the page is the one of this module, compiled to WebAssembly together with this package. An [App] takes
// commands, which are words, and answers with what is to be shown, by the name of the place: sentences in English or
// Chinese (words.txt), and pictures in SVG, which package trace draws as it does for nest trace. Nothing here needs a
// browser, so that tests can do all that a reader of the page does. The folder wasm has the program around an App.
// Package site has what a browser loads, a document and a script that hands clicks to the App and puts its answers in
// their places, and packs and serves all of it.
package page

import (
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/trace"
)

// An App is a page in use: a small table with its history, and a large one. The zero App answers every command but open
// with a problem.
type App struct {
	voice
	look   trace.Look
	lesson *lesson
	crowd  *crowd
	// asked is a key that nothing was done with: it is looked at while somebody types it.
	asked *event
	// Why the last command, and the last change of parameters, could not be done: both are told again in another language.
	failed, unfit error
	at            int // which of the history's moments is to be seen, if there are any
}

// commands are what an App can be told, with the number of arguments of each. Those of more may be left out.
var commands = map[string]func(a *App, args []string) error{
	"open":   (*App).open,   // LINK: a page as a link says, or a new one
	"see":    (*App).see,    // LANGUAGE THEME: zh or en, dark or light
	"set":    (*App).set,    // VALUE of each of the parameters: the same keys in another table
	"type":   (*App).typed,  // KEY: look at a key
	"insert": (*App).insert, // TEXT: insert keys, a line each
	"ask":    (*App).ask,    // KEY
	"delete": (*App).remove, // KEY
	"fill":   (*App).fill,   // random keys up to the first refusal
	"find":   (*App).find,   // a false positive
	"clear":  (*App).clear,  // an empty table
	"step":   (*App).step,   // N: so many moments on, or back
	"replay": (*App).replay, // the event that is to be seen, from its first moment
	"grow":   (*App).grow,   // EXPONENT: a large table of 2^EXPONENT slots
	"run":    (*App).run,    // N: insert so many keys into the large table
}

// Do carries out a command and returns what is to be shown now, by the name of its place. Under "problem" is a sentence
// if it could not be done, and then nothing has changed. If parameters were wrong, the sentence is under "unfit", and
// their names are under "invalid".
func (a *App) Do(command string, args ...string) map[string]string {
	do, known := commands[command]
	var err error
	switch {
	case !known:
		err = problem("no-command", quoted(command))
	case a.lesson == nil && command != "open" && command != "see":
		err = problem("not-open")
	default:
		err = do(a, append(args, "", "", "", "", "", "")) // what is missing is empty
	}
	switch {
	case command == "set" && a.lesson != nil:
		a.failed, a.unfit = nil, err
	case command == "open":
		a.failed, a.unfit = err, nil
	case command != "see":
		a.failed = err
	}
	shown := map[string]string{"problem": a.tell(a.failed)}
	if a.lesson == nil {
		return shown
	}
	c := a.crowd
	shown["kicks"], shown["rates"] = string(c.kicksPlot(a.voice, a.look)), string(c.ratePlot(a.voice, a.look))
	shown["crowd"], shown["done"] = c.words(a.voice), yes(c.full)
	if command == "run" && err == nil {
		return shown
	}
	a.showLesson(shown)
	var invalid []string
	for _, p := range problemsOf(a.unfit) {
		invalid = append(invalid, p.fields...)
	}
	shown["unfit"], shown["invalid"] = a.tell(a.unfit), strings.Join(invalid, " ")
	return shown
}

// example is what a page without a link shows: the last key takes a path of two kicks, and six by a random walk.
const example = "do=i:lark,i:mule,i:numbat,i:owl,i:pike,i:quoll,i:raven,i:skunk,i:tern,i:urial,i:vicuna"

// open shows what a link says. If the link is bad, it shows a new page and says so.
func (a *App) open(args []string) error {
	link := strings.TrimPrefix(args[0], "#")
	if link == "" {
		link = example
	}
	s, err := parseLink(link)
	if err == nil {
		a.lesson, err = newLesson(s)
	}
	if err != nil {
		a.lesson, _ = newLesson(&state{Params: defaults()})
	}
	a.crowd = newCrowd(a.lesson.Params, 16)
	a.last()
	return err
}

// last shows the end of the history.
func (a *App) last() { a.show(len(a.lesson.moments)) }

// show shows a moment of the history, or that at the nearer end.
func (a *App) show(at int) {
	a.asked, a.at = nil, max(min(at, len(a.lesson.moments)-1), 0)
}

// current is the event that is to be seen, and the number of its moment; nil without any.
func (a *App) current() (e *event, i int) {
	if len(a.lesson.moments) == 0 {
		return nil, 0
	}
	m := a.lesson.moments[a.at]
	return &a.lesson.events[m.event], m.i
}

func (a *App) see(args []string) error {
	a.voice = map[string]voice{"zh": 1}[args[0]]
	a.look = map[bool]trace.Look{false: trace.Light, true: trace.Dark}[args[1] == "dark"]
	return nil
}

// set does all that was done in a table of other parameters.
func (a *App) set(args []string) error {
	s := a.lesson.state
	if err := s.setAll(args); err != nil {
		return err
	}
	changed, err := newLesson(&s)
	if err == nil {
		a.lesson, a.crowd = changed, newCrowd(s.Params, a.crowd.exponent)
		a.last()
	}
	return err
}

func (a *App) typed(args []string) error {
	if err := checkKey(args[0]); err != nil {
		return err
	}
	a.asked = nil
	if args[0] != "" {
		a.asked = &event{verb: typed, step: a.lesson.machine.Locate(args[0]), keys: a.lesson.keys}
	}
	return nil
}

// do carries out ops and shows the first moment of what came of them.
func (a *App) do(ops ...op) error {
	first := len(a.lesson.moments)
	err := a.lesson.do(ops...)
	if err == nil {
		a.show(first)
	}
	return err
}

// insert takes keys that are pasted, a line each.
func (a *App) insert(args []string) error {
	text := args[0]
	if len(text) > maxText {
		return problem("long-text", grouped(len(text)), grouped(maxText))
	}
	return a.each(insert, strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"))
}

func (a *App) ask(args []string) error    { return a.each(ask, args[:1]) }
func (a *App) remove(args []string) error { return a.each(remove, args[:1]) }

// each carries out a verb on each of some keys that are not empty.
func (a *App) each(verb byte, keys []string) error {
	var ops []op
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
		if key != "" {
			ops = append(ops, op{verb, key})
		}
	}
	if len(ops) == 0 {
		return problem("no-key")
	}
	return a.do(ops...)
}

// fill shows the refusal, which is what comes last.
func (a *App) fill([]string) error {
	if err := a.do(op{verb: fill}); err != nil {
		return err
	}
	a.last()
	return a.replay(nil)
}

func (a *App) find([]string) error {
	if key := a.lesson.guess(); key != "" {
		return a.do(op{ask, key})
	}
	return problem("none-found", grouped(maxGuesses))
}

func (a *App) clear([]string) error {
	empty, err := newLesson(&state{Params: a.lesson.Params})
	if err == nil {
		a.lesson = empty
		a.last()
	}
	return err
}

// step goes n moments on or back, from event to event, and stops at either end.
func (a *App) step(args []string) error {
	n, err := number(args[0], -1_000_000, 1_000_000, "steps")
	if err == nil {
		a.show(a.at + n)
	}
	return err
}

// replay shows the first moment of the event that is to be seen.
func (a *App) replay([]string) error {
	_, i := a.current()
	a.show(a.at - i)
	return nil
}

func (a *App) grow(args []string) error {
	exponent, err := number(args[0], leastSlots, mostSlots, "exponent")
	if err == nil {
		a.crowd = newCrowd(a.lesson.Params, exponent)
	}
	return err
}

func (a *App) run(args []string) error {
	n, err := number(args[0], 1, 1<<mostSlots, "keys")
	if err == nil {
		a.crowd.fill(n)
	}
	return err
}

// yes is what a place holds that is a flag.
func yes(flag bool) string { return map[bool]string{true: "yes"}[flag] }

// showLesson adds the places of the small table.
func (a *App) showLesson(shown map[string]string) {
	l := a.lesson
	for i, value := range l.values() {
		shown[names[i]] = value
	}
	e, i := a.current()
	shown["start"], shown["end"], shown["idle"] = yes(a.at == 0), yes(a.at >= len(l.moments)-1), yes(e == nil)
	shown["where"] = a.say("nothing-yet")
	if e != nil {
		shown["where"] = a.say("where", l.moments[a.at].event+1, len(l.events), i+1, e.moments())
	}
	for _, place := range []string{"digest", "fingerprint", "buckets", "why", "right", "rightname", "rightwords"} {
		shown[place] = ""
	}
	shown["link"], shown["leftname"] = l.link(), a.say("policy", l.Kick.Recipe())
	if a.asked != nil {
		e, i = a.asked, 0
	}
	table, keys := l.machine.Table, l.keys
	if e == nil {
		shown["words"] = a.say("empty")
		shown["left"] = string(a.frame("left-").Draw(nil, &trace.Moment{Table: table}, a.say("empty-table")))
	} else {
		a.showEvent(shown, e, i)
		if table, keys = e.moment(i).Table, e.keys; i < e.ends() {
			keys = e.before
		}
	}
	shown["keys"], shown["use"] = listed(a.voice, keys), l.use(a.voice, table)
	shown["rate"] = l.rateWords(a.voice, table.Used())
}

// showEvent adds the places of what is done with a key: pictures, and what they show in words. Where a policy had a
// choice, what another one would have done is drawn too.
func (a *App) showEvent(shown map[string]string, e *event, i int) {
	l, s, m, width := a.lesson, &e.step, e.moment(i), a.lesson.FingerprintBits
	shown["digest"], shown["why"] = fmt.Sprintf("%016x", s.Digest), l.why(a.voice, s)
	shown["fingerprint"] = a.say("fingerprint", l.hex(s.Fingerprint), width, claims.Count(width, "bit"))
	shown["buckets"] = a.say("buckets", s.Primary, s.Alternate)
	if s.Primary == s.Alternate {
		shown["buckets"] = a.say("one-bucket", s.Primary)
	}
	shown["left"] = string(a.frame("left-").Draw(s, &m, title(a.voice, e, s, &m)))
	shown["words"] = l.words(a.voice, e, i)
	r := e.rival
	if r == nil {
		return
	}
	n := r.Moments()
	at := min(i, n-1)
	m = r.Moment(at)
	shown["right"] = string(a.frame("right-").Draw(r, &m, title(a.voice, e, r, &m)))
	shown["rightwords"] = l.insertWords(a.voice, e, r, &m)
	shown["rightname"] = a.say("rival", r.Policy.Recipe(), at+1, n)
	shown["leftname"] += a.say("picture", min(i, e.ends())+1, e.ends()+1)
}

// frame says how pictures look.
func (a *App) frame(id string) *trace.Frame {
	return &trace.Frame{Look: a.look, ID: id, Width: a.lesson.FingerprintBits, Chip: a.say("chip"),
		Homeless: a.say("homeless"), Roles: [3]string{a.say("primary"), a.say("alternate"), a.say("both")}}
}
