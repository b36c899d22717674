// Package measure fills filters, asks them and times them. It is the one engine of all that this module measures:
// nothing else under experiments reads the clock to time a filter.
//
// # Counting
//
// A [Stream] yields distinct keys: what follows those that were inserted is absent for certain. [Insert], [Probe] and
// [CountRate] put them through a filter and count what it takes and answers.
//
// # Timing
//
//   - [Loops]: a filter as loops over its verbs. A key is an uint64; what a loop makes of it is its own. The loops of
//     this module's filters are those of package catalogue, which call the verbs directly. [Front] makes those of a
//     nest.Filter; [Texts] lets numbers stand for strings. For another type write them with [Each], [Count] and
//     [InBatches] where the type is known.
//   - [Turn]: one filter in one round, with the keys of places 0, 1, 2, ... Its methods are the verbs of a script. Each
//     makes keys in chunks outside the time and returns a [Lap].
//   - [Probes]: what Ask looks up, drawn chunk by chunk. [Timed] times what is no loop.
//   - [Turns]: the order of turns in a round, with a garbage collection before each.
//   - [Rounds]: nanoseconds per key of each round, their median and its interval, and ratios within the rounds.
//   - [Contest]: the script that sizing and comparing share.
package measure
