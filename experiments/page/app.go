package page

import (
	"fmt"
	"strings"

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
	// What of the history is to be seen: an event, and a moment of it. Before the first event there is nothing.
	at, moment int
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
	"event":  (*App).event,  // N: so many events on, or back
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
		err = problem("The page does not know the command %s.", quoted(command))
	case a.lesson == nil && command != "open" && command != "see":
		err = problem("The page is not open yet.")
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
	if command == "run" && err == nil {
		return a.showCrowd(map[string]string{"problem": ""})
	}
	shown := map[string]string{}
	if a.lesson != nil {
		a.showLesson(shown)
		a.showCrowd(shown)
	}
	shown["problem"], shown["unfit"], shown["invalid"] = a.tell(a.failed), a.tell(a.unfit), ""
	if wrong, ok := a.unfit.(*Problem); ok {
		shown["invalid"] = strings.Join(wrong.fields, " ")
	}
	return shown
}

// example is what a page shows that was opened without a link: the last key takes a path of two kicks, and six by a
// random walk.
const example = "do=i:lynx,i:mole,i:newt,i:owl,i:pig,i:quail,i:rat,i:seal,i:toad,i:urial,i:vole"

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
	a.crowd, _ = newCrowd(a.lesson.Params, 16) // sizes of a small table are good for a large one too
	a.last()
	return err
}

// last shows the end of the history.
func (a *App) last() {
	a.asked, a.moment = nil, 0
	a.at = max(len(a.lesson.events)-1, 0)
	if e := a.current(); e != nil {
		a.moment = e.moments() - 1
	}
}

// current is the event that is to be seen, nil without any.
func (a *App) current() *event {
	if len(a.lesson.events) == 0 {
		return nil
	}
	return &a.lesson.events[a.at]
}

func (a *App) see(args []string) error {
	a.chinese, a.look = args[0] == "zh", trace.Light
	if args[1] == "dark" {
		a.look = trace.Dark
	}
	return nil
}

// set does all that was done in a table of other parameters.
func (a *App) set(args []string) error {
	s := state{Params: a.lesson.Params, ops: a.lesson.ops}
	if err := s.setAll(args); err != nil {
		return err
	}
	changed, err := newLesson(&s)
	if err != nil {
		return err
	}
	grown, err := newCrowd(s.Params, a.crowd.exponent)
	if err != nil {
		return err
	}
	a.lesson, a.crowd = changed, grown
	a.last()
	return nil
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
	first := len(a.lesson.events)
	if err := a.lesson.do(ops...); err != nil {
		return err
	}
	a.asked, a.at, a.moment = nil, min(first, len(a.lesson.events)-1), 0
	return nil
}

// insert takes keys that are pasted, a line each.
func (a *App) insert(args []string) error {
	text := args[0]
	if len(text) > maxText {
		return problem("This text has %s bytes; this page takes at most %s at once. (The filter has no such limit: "+
			"nest filter build takes files of any size.)", grouped(len(text)), grouped(maxText))
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
		return problem("Type a key first: any word or number.")
	}
	return a.do(ops...)
}

// fill shows the refusal, which is what comes last.
func (a *App) fill([]string) error {
	err := a.do(op{verb: fill})
	if err == nil {
		a.at = len(a.lesson.events) - 1
	}
	return err
}

func (a *App) find([]string) error {
	if len(a.lesson.keys) == 0 {
		return problem("The table is empty, so it says no to every key. Insert some keys first.")
	}
	key, tried, found := a.lesson.guess()
	if !found {
		return problem("%s keys that were not inserted were looked up, and none of them got a yes. A smaller width makes "+
			"false positives more likely.", grouped(tried))
	}
	return a.do(op{ask, key})
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
	n, err := number(args[0], -1_000_000, 1_000_000, "number of steps")
	a.asked = nil
	for ; n > 0 && !a.isLast(); n-- {
		if a.moment++; a.moment == a.current().moments() {
			a.at, a.moment = a.at+1, 0
		}
	}
	for ; n < 0 && a.at+a.moment > 0; n++ {
		if a.moment--; a.moment < 0 {
			a.at--
			a.moment = a.current().moments() - 1
		}
	}
	return err
}

// event shows the last moment of an event n further on or back, and before the first event the first moment of all.
func (a *App) event(args []string) error {
	n, err := number(args[0], -1_000_000, 1_000_000, "number of steps")
	a.asked = nil
	if err == nil && a.current() != nil {
		first := a.at+n < 0
		a.at = min(max(a.at+n, 0), len(a.lesson.events)-1)
		if a.moment = a.current().moments() - 1; first {
			a.moment = 0
		}
	}
	return err
}

func (a *App) replay([]string) error {
	a.asked, a.moment = nil, 0
	return nil
}

// isLast tells whether there is nothing more to be seen.
func (a *App) isLast() bool {
	return a.at >= len(a.lesson.events)-1 && (a.current() == nil || a.moment == a.current().moments()-1)
}

func (a *App) grow(args []string) error {
	exponent, err := number(args[0], leastSlots, mostSlots, "exponent of the number of slots")
	if err != nil {
		return err
	}
	c, err := newCrowd(a.lesson.Params, exponent)
	if err == nil {
		a.crowd = c
	}
	return err
}

func (a *App) run(args []string) error {
	n, err := number(args[0], 1, 1<<mostSlots, "number of keys")
	if err == nil {
		a.crowd.fill(n)
	}
	return err
}

// showCrowd adds the places of the large table.
func (a *App) showCrowd(shown map[string]string) map[string]string {
	c := a.crowd
	shown["kicks"], shown["rates"] = string(c.kicksPlot(a.voice, a.look)), string(c.ratePlot(a.voice, a.look))
	shown["crowd"], shown["done"] = c.words(a.voice), yes(c.full)
	return shown
}

// yes is what a place holds that is a flag.
func yes(flag bool) string { return map[bool]string{true: "yes"}[flag] }

// showLesson adds the places of the small table.
func (a *App) showLesson(shown map[string]string) {
	l := a.lesson
	for i, value := range l.values() {
		shown[names[i]] = value
	}
	table := a.table()
	shown["link"], shown["keys"] = l.link(), listed(a.voice, a.keys())
	shown["use"], shown["rate"] = l.use(a.voice, table), l.rateWords(a.voice, table.Used())
	e := a.current()
	shown["start"], shown["end"], shown["idle"] = yes(a.at+a.moment == 0), yes(a.isLast()), yes(e == nil)
	shown["where"] = a.say("nothing has happened yet")
	if e != nil {
		shown["where"] = a.say("step %[1]d of %[2]d, picture %[3]d of %[4]d", a.at+1, len(l.events), a.moment+1, e.moments())
	}
	shown["right"], shown["rightname"], shown["rightwords"] = "", "", ""
	shown["leftname"] = a.say("kick policy %s", l.Kick.Recipe())
	if e, i := a.subject(); e != nil {
		s, width := &e.step, int(l.Width)
		shown["digest"], shown["why"] = fmt.Sprintf("%016x", s.Digest), l.why(a.voice, s)
		shown["fingerprint"] = a.say("%[1]s (hexadecimal, %[3]s)", l.hex(s.Fingerprint), width, count(width, "bit"))
		shown["buckets"] = a.say("%d (primary) and %d (alternate)", s.Primary, s.Alternate)
		if s.Primary == s.Alternate {
			shown["buckets"] = a.say("%d (primary and alternate)", s.Primary)
		}
		a.draw(shown, e, i)
		return
	}
	empty := a.say("The table is empty. Type a key to see its two homes.")
	shown["digest"], shown["fingerprint"], shown["buckets"], shown["why"], shown["words"] = "–", "–", "–", "–", empty
	shown["left"] = string(a.frame("left-").Draw(nil, &trace.Moment{Table: table}, a.say("empty table")))
}

// subject is the event that is talked about, and its moment: the key being typed, or what of the history is to be seen.
// In an empty page there is none.
func (a *App) subject() (e *event, moment int) {
	if a.asked != nil {
		return a.asked, 0
	}
	return a.current(), a.moment
}

// table is what the filter holds at the moment that is to be seen.
func (a *App) table() trace.Table {
	if e, i := a.subject(); e != nil {
		return e.moment(i).Table
	}
	return a.lesson.machine.Table
}

// keys are those in the table at the moment that is to be seen.
func (a *App) keys() []string {
	switch e, i := a.subject(); {
	case e != nil && i >= e.ends():
		return e.keys
	case e != nil && a.at > 0:
		return a.lesson.events[a.at-1].keys
	}
	return nil
}

// draw adds the pictures and what they show in words. Where a policy had a choice, what another one would have done is
// drawn too.
func (a *App) draw(shown map[string]string, e *event, i int) {
	m := e.moment(i)
	shown["left"] = string(a.frame("left-").Draw(&e.step, &m, title(a.voice, e, &e.step, &m)))
	shown["words"] = a.lesson.words(a.voice, e, i)
	r := e.rival
	if r == nil {
		return
	}
	n := r.Moments()
	at := min(i, n-1)
	m = r.Moment(at)
	shown["right"] = string(a.frame("right-").Draw(r, &m, title(a.voice, e, r, &m)))
	shown["rightwords"] = a.lesson.insertWords(a.voice, e, r, &m)
	shown["rightname"] = a.say("the same with %[1]s: picture %[2]d of %[3]d", r.Policy.Recipe(), at+1, n)
	shown["leftname"] += a.say(": picture %d of %d", min(i, e.ends())+1, e.ends()+1)
}

// frame says how pictures look.
func (a *App) frame(id string) *trace.Frame {
	return &trace.Frame{Look: a.look, ID: id, Width: a.lesson.Width, Chip: a.say("fingerprint of the key"),
		Homeless: a.say("homeless"),
		Roles:    [3]string{a.say("primary"), a.say("alternate"), a.say("both")}}
}
