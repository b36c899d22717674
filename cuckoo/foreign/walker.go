package foreign

import (
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// A walker is the kick policy of both modules with the choices that the caller makes.
type walker struct {
	choices func(n int) int
	kicks   [][2]uint64 // of the walk under way, bucket and lane, to make it once more for Lossy
}

// adoptChoices makes the walk of f's own walker the kick policy of its engine.
func (f *Filter) adoptChoices() {
	if f.config.Choices == nil {
		return
	}
	f.walker = walker{choices: f.config.Choices, kicks: make([][2]uint64, 0, maxKicks)}
	f.engine.User = f.walker.walk
}

// choose returns a choice from 0 to n-1.
func (w *walker) choose(n int) int {
	if c := w.choices(n); c >= 0 && c < n {
		return c
	}
	return 0
}

// walk kicks chosen victims until one has a free slot in its alternate bucket or the limit is reached.
func (w *walker) walk(k *kick.Walk) {
	w.kicks = w.kicks[:0]
	bucket, second := k.Homes()
	if w.choose(2) != 0 {
		bucket = second
	}
	for k.Left() > 0 {
		lane := w.choose(slots)
		w.kicks = append(w.kicks, [2]uint64{bucket, uint64(lane)})
		k.Swap(bucket, lane)
		_, bucket = k.Homes()
		if free, ok := k.Free(bucket); ok {
			k.Swap(bucket, free)
			return
		}
	}
}

// repeat makes the kicks of a walk that was taken back and drops the last fingerprint.
func (w *walker) repeat(t *packed.Table, fp uint64) {
	for _, p := range w.kicks {
		fp, _ = t.Swap(p[0], uint(p[1]), fp)
	}
}

// skip draws the choices of a walk among copies of one fingerprint, which the modules make and the engine does not.
func (w *walker) skip() {
	if w.choices == nil {
		return
	}
	w.choose(2)
	for range maxKicks {
		w.choose(slots)
	}
}
