package lab

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// ErrMemory is wrapped by errors about trials that need more memory than there is.
var ErrMemory = errors.New("not enough memory")

// mostMemory bounds what trials hold together, unless one of them needs more by itself: the paper's sizes are meant for
// a machine of 16 GiB.
const mostMemory = 16 << 30

// AvailableMemory returns the bytes that trials may hold together where Options.Memory is 0: fifteen sixteenths of the
// least of GOMEMLIMIT, the limits of the control groups that the program is in, and the machine's memory, of which on
// Linux only what is available counts. Where nothing is known it is the largest number. What others use of a control
// group and what ulimit forbids is not known.
func AvailableMemory() int64 {
	limit := debug.SetMemoryLimit(-1)
	for _, provider := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem, memAvailable} {
		if n, err := provider(); err == nil && n < uint64(limit) {
			limit = int64(n)
		}
	}
	if limit == math.MaxInt64 {
		return limit
	}
	return limit - limit/16
}

// memAvailable is what Linux says a program can take without swapping.
func memAvailable() (n uint64, err error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	_, value, _ := strings.Cut(string(text), "\nMemAvailable:")
	_, err = fmt.Sscan(value, &n)
	return n << 10, err
}

// memoryLimit returns how much the tasks may hold together, of what there is. The error, which wraps [ErrMemory], names
// the task that needs the most.
func memoryLimit(tasks []*task, available int64) (int64, error) {
	if len(tasks) == 0 {
		return available, nil
	}
	if available <= 0 {
		available = AvailableMemory()
	}
	largest := slices.MaxFunc(tasks, func(a, b *task) int { return cmp.Compare(a.bytes, b.bytes) })
	if largest.bytes > available {
		return 0, fmt.Errorf("experiments: %w: a trial of %s, %s with %s needs %.1f GiB, %.1f GiB are available", ErrMemory,
			largest.of().Name, largest.cell.Series, largest.rows[0].parameters(), gibibytes(largest.bytes), gibibytes(available))
	}
	return min(available, max(mostMemory, largest.bytes)), nil
}

func gibibytes(n int64) float64 { return float64(n) / (1 << 30) }

// muchMemory is what a trial must have held for its memory to be given back at once, in bytes.
const muchMemory = 64 << 20

// GiveBack returns the memory of a trial that has ended, of about so many bytes, to the system: the garbage of one and
// the filter of the next may exceed together what each needs. Of little memory it does nothing; otherwise it costs a
// collection of garbage.
func GiveBack(bytes int64) {
	if bytes >= muchMemory {
		debug.FreeOSMemory()
	}
}

// An Estimate says what a run will take.
type Estimate struct {
	Trials int           // of all experiments
	Kept   int           // of them, those that the store has from earlier sittings
	Time   time.Duration // for the others, at Experiment.PerKey until there are trials
	Bytes  int64         // the most that trials hold at a time
}

// Estimate returns what a run with these options will take. Trials in the store count as done. The errors are those
// that Run returns before its first trial.
func (g Registry) Estimate(o Options) (Estimate, error) {
	o = o.withDefaults()
	_, tasks, err := g.plan(o)
	if err != nil {
		return Estimate{}, err
	}
	if o.Memory, err = memoryLimit(tasks, o.Memory); err != nil {
		return Estimate{}, err
	}
	r, err := g.resume(tasks, o)
	if err != nil {
		return Estimate{}, err
	}
	left := newPace(resumed{left: r.left}, o).remaining()
	return Estimate{Trials: len(tasks), Kept: len(r.kept), Time: left, Bytes: peak(r.left, o)}, nil
}

// peak is the most that tasks can hold at a time.
func peak(tasks []*task, o Options) int64 {
	shared, timed := schedule(tasks)
	var sizes []int64
	for _, u := range shared {
		sizes = append(sizes, u.bytes())
	}
	slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
	together := int64(0)
	for _, n := range sizes[:min(len(sizes), o.Workers)] {
		together += n
	}
	together = min(together, o.Memory)
	for _, u := range timed {
		together = max(together, u.bytes())
	}
	return together
}

// A pace learns how long trials take in comparison with their Cost, for each experiment.
type pace struct {
	o           Options
	done, total int
	all         work
	of          []work  // by experiment
	start       float64 // seconds on the wall of all trials, those of earlier sittings included
}

// work is done and left, in seconds.
type work struct {
	cost, spent float64 // of what is done: expected, measured
	left        float64 // expected on the wall
}

// pacePrior is how many seconds of measurements weigh as much as the expectation.
const pacePrior = 1

func newPace(r resumed, o Options) *pace {
	p := &pace{o: o, done: len(r.kept), total: len(r.kept) + len(r.left)}
	for _, t := range slices.Concat(r.kept, r.left) {
		p.of = append(p.of, make([]work, max(t.experiment+1-len(p.of), 0))...)
	}
	units(r.left) // those of earlier sittings served what they served then
	for _, t := range r.left {
		p.of[t.experiment].left += p.onTheWall(t)
	}
	units(r.kept)
	for _, t := range r.kept {
		p.learn(t)
		p.start += p.onTheWall(t)
	}
	p.start += p.left()
	return p
}

// onTheWall is the part of a task's cost that a run gets longer by.
func (p *pace) onTheWall(t *task) float64 {
	if t.timed() {
		return t.cost
	}
	lanes := int64(p.o.Workers)
	if t.bytes > 0 {
		lanes = max(min(lanes, p.o.Memory/t.bytes), 1)
	}
	return t.cost / float64(lanes)
}

// learn takes the measured time of a task that is done.
func (p *pace) learn(t *task) {
	for _, w := range []*work{&p.all, &p.of[t.experiment]} {
		w.cost += t.cost
		w.spent += t.took.Seconds()
	}
}

// left is what is expected of the trials that are left, as the plan has it.
func (p *pace) left() (sum float64) {
	for _, w := range p.of {
		sum += w.left
	}
	return sum
}

// remaining is what is expected of them by now.
func (p *pace) remaining() time.Duration {
	overall := (p.all.spent + pacePrior) / (p.all.cost + pacePrior)
	seconds := 0.0
	for _, w := range p.of {
		seconds += w.left * (w.spent + pacePrior*overall) / (w.cost + pacePrior)
	}
	return time.Duration(seconds * float64(time.Second))
}

// after takes note of tasks that have ended.
func (p *pace) after(u unit) Progress {
	for _, t := range u {
		p.done++
		p.learn(t)
		w := &p.of[t.experiment]
		w.left = max(w.left-p.onTheWall(t), 0)
	}
	return p.progress(u[0].of().Name)
}

// progress says how much is done behind a trial of an experiment.
func (p *pace) progress(experiment string) Progress {
	share := 1.0
	if p.done < p.total && p.start > 0 {
		share = max(1-p.left()/p.start, 0)
	}
	return Progress{Experiment: experiment, Done: p.done, Total: p.total, Share: share, Remaining: p.remaining()}
}
