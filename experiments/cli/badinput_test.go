package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// badInput is a command line in each row, and behind => what its error says. Words in capitals are files of the test.
const badInput = `
filter build KEYS => --out: name the file
filter build -o DIR KEYS => is a directory
filter build -o MISSING/f.nest KEYS => no such file
filter build -o KEYS KEYS => is both read and written
filter build -o OUT KEYS MISSING => build: MISSING: no such file
filter build -o OUT /dev/null => there are no lines
filter build -o OUT --fpr 0 => "--fpr" flag:
filter build -o OUT --kind cuckoo --fpr 1e-40 => build: nest:
filter build -o OUT --capacity x => "x" for "--capacity" flag: want a whole number
filter build -o OUT --capacity 2 KEYS => KEYS:3: 2 lines are in the filter and one more is refused
filter build -o OUT --spec what=3 => "--spec" flag:
filter build -o OUT --hash siphash => name the file of its key with --key-file
filter build -o OUT --hash maphash => nobody could ask
filter build -o OUT --hash tabulation => unknown hash family "tabulation"
filter build -o OUT --hash xxh64 --key-file SECRET => hash xxh64 takes no such key
filter build -o OUT --key-file SHORT => want a SipHash key
filter build -o OUT --key-file MISSING => no such file
filter build -o OUT --key-file - => --key-file -: standard input is read already
filter build -o SECRET KEYS --key-file SECRET => SECRET is both read and written
filter query => use: nest filter query FILTER [FILE...]
filter query MISSING => query: MISSING: no such file
filter query FILTER KEYS MISSING => query: MISSING: no such file
filter query - => cannot be standard input
filter query KEYS => data corrupt: at byte 0: no nest filter
filter query CUT => data too short
filter query MORE => data corrupt
filter query FLIPPED => query: FLIPPED: bloom: data corrupt: at byte
filter query --copy --no-checksum FILTER => [copy no-checksum] were all set
filter query -H --no-filename FILTER => with-filename
filter query --json -q FILTER => [json quiet] were all set
filter merge FILTER => use: nest filter merge FILTER FILTER... --out FILE
filter merge FILTER MISSING -o OUT => no such file
filter merge FILTER - -o OUT => cannot be standard input
filter merge FILTER FILTER => --out: name the file
filter merge FILTER FILTER -o DIR => is a directory
filter convert FILTER -o OUT --to parquet => this is a filter of kind bloom under xxh3:0, and parquet holds
filter convert DUMP -o OUT --from seiflotfy => seiflotfy holds cuckoo filters
filter convert KEYS -o OUT --from parquet => convert: as parquet:
filter convert KEYS -o OUT --from parquet --offset 5 => convert: as parquet:
filter convert - -o OUT --from parquet --offset 4 => not standard input
filter convert FILTER -o OUT --offset 4 => --offset: it is for --from parquet
filter convert FILTER -o OUT --from redis => "--from" flag: "redis": want one of
filter convert FILTER -o FILTER --to parquet => is both read and written
filter convert MISSING -o OUT => no such file
filter convert FILTER FILTER -o OUT => wrong number of names; use: nest filter convert FILTER --out FILE
filter convert FILTER -o KEYS => exists; --force replaces it
filter convert FILTER -o SECRET --key-file SECRET => is both read and written
uniq KEYS MISSING => uniq: MISSING: no such file
uniq --fpr 1% => "--fpr" flag: "1%": want
uniq --fpr 1e-30 => no filter for 1048576 lines reaches a rate of 1e-30:
uniq --hash digests => "--hash" flag: hashing: digests is no hash family
uniq --window 1m --window-keys 5 => [window window-keys] were all set
uniq --window 1m --grow => [grow window] were all set
uniq --window-keys 5 --capacity 5 => [capacity window-keys] were all set
uniq --window 0s => --window: 0s: want at least 1ms
uniq --sliding => --sliding: it is for --window and --window-keys
size --window 1h --fpr .1 => say how many keys a window has
size --window 1h --fpr .1 --n 5 --delete => [delete window] were all set
size --n 1000 => --fpr: say what rate
size --fpr NaN --n 1000 => "--fpr" flag: "NaN": want
size --fpr .1 --n 1.5 => invalid argument "1.5" for "--n" flag: want a whole number
size --fpr .1 --n 1e30 => "1e30" for "--n" flag: want a whole number from 1 to 2^40
size --fpr .1 --n 1e6,1e7 => "--n" flag: want
size --fpr 1e-15 --n 1000000 => the lowest reachable rate is 5.42e-14
size --n 10 --miss-cost soon => "soon" for "--miss-cost" flag
size --n 10 --miss-cost 1us --fpr 0.1 --bits 8 => [bits fpr] were all set
size --n 10 --miss-cost 1us --bits NaN => --bits: NaN: want
size --n 10 --bits 8 => give --miss-cost too
size --n 10 --fpr 0.1 --batch => --batch: it is a part of the price
size --n 10 --keys EMPTY --miss-cost 1us => [keys n] were all set
size --keys EMPTY --miss-cost 1us => no keys
size --keys MISSING --miss-cost 1us => MISSING: no such file
size --miss-cost 1us => say how many keys
size --out DIR/a.gif => want a name that ends in .png
size --out MISSING/a.png => MISSING: no such file
size --out DIR/a.png --fpr 0.1 => --fpr: --out draws costs of a miss; give --miss-cost too
size --out DIR/a.png --json => [json out] were all set
size --keys 1e6 --fpr 0.1 => a number of keys is --n 1e6
trace --placement spiral => "--placement" flag: cuckoo: invalid configuration: unknown placement "spiral"
trace --kick hard => "--kick" flag: unknown "hard", want breadth-first, random-walk, round-robin
trace --buckets 6 --placement xor => want a power of two
trace --f 0 => width is 0, want 1 to 32
trace --keys LARGE -o OUT => head -n 16 FILE | nest trace --keys -
trace -o DIR => is a directory
trace -o MISSING/x.svg => no such file
page => [out serve] is required
page --out x --serve => [out serve] were all set
page --out DIR => is not empty
page --out KEYS => --out:
page --serve=nowhere:none => --serve:
page --serve=192.0.2.1:1 => --serve:
bench --keys= --out OUT => --keys: name the file
bench --keys MISSING --out OUT => MISSING: no such file
bench --keys EMPTY --out OUT => EMPTY: no keys, but 2 blank lines
bench --keys KEYS --queries MISSING --out OUT => bench: --queries MISSING
bench --keys KEYS --queries KEYS --out OUT => KEYS: every query is a key
bench --keys - --queries - --out OUT => one standard input
bench --keys KEYS --out OUT --fpr 0.1,1 => "--fpr" flag: "1": want
bench --keys KEYS --out OUT --rounds 0 => --rounds
bench --keys KEYS --out OUT --formats bmp => "--formats" flag:
bench --keys KEYS --out KEYS => --out:
bench --keys KEYS --out OUT more => "more"
bench --out OUT --study sieve => --study: "sieve" is unknown: want one of kinds, paired, growth, shared
bench --out OUT --study shared --filter bloom => [filter study] were all set
bench --out OUT --study paired --n 5 => n = 5 keys: paired wants
bench --out OUT --keys KEYS --filter bloom => [filter keys] were all set
bench --out OUT --keys KEYS --study paired => [keys study] were all set
bench --out OUT --fpr 0.1 => --fpr: goes with --keys
sweep --f 32 --b 8 --slots 2^35 => needs 128.0 GiB
bench --n 64 => --n: goes with --study
bench --out OUT --filter bloom,sieve => "--filter" flag: "sieve" is unknown: want some of cuckoo-additive, cuckoo-xor
bench --out OUT --base sieve => base: "sieve" is none of the filters: cuckoo-additive
bench --out OUT --slots alot => "alot": want a number
sweep --dry-run --f 8..x => "8..x"
sweep --dry-run --hash md5 => want some of mix64
sweep --dry-run --workers 0 => --workers
chart MISSING => MISSING
chart TABLE --x m => no column "m": it has filter, n, ns
chart TABLE --where filter=map => there are bloom, cuckoo
chart NAMES => --y: name the column to draw of
chart TABLE --size 16 => --size
chart TABLE --out x.gif => .png, .svg, .pdf
chart TABLE --x n --y ns --out MISSING/x.png => --out:
chart RAGGED => RAGGED:3: 1 values for 2 columns
chart BENCH => BENCH:2:
chart /dev/null => /dev/null:1: empty
reproduce => --out
reproduce --out KEYS => --out: report: folder "KEYS"
reproduce --out KEYS/under => KEYS
reproduce --out DIR => not empty
reproduce --out DIR --force => manifest.json
reproduce --out OUT --only fig9 => --only: experiments: unknown experiment "fig9"
reproduce --out OUT --only= => --only
reproduce --out OUT --profile huge => "--profile" flag: experiments: unknown profile "huge"
reproduce --out OUT --runs 5 => --profile paper
report diff DIR DIR => is no report
report verify MISSING => MISSING
redis info SHORT => use: nest redis info ADDR KEY
help nope => unknown command "nope" for "nest"
completion nope => unknown command "nope" for "nest completion"
redis nope => unknown command "nope" for "nest redis"
nope => unknown command "nope" for "nest"
log get MISSING ant => no store
log import MISSING OUT => MISSING: no such file
`

// TestMain_RefusesBadInput: what contradicts itself or makes no sense is one line, and nothing is written.
func TestMain_RefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // so that no error is broken by a long name
	whole := must.Get(os.ReadFile(built(t, ".", "FILTER", "a\n", "--kind", "bloom")))(t)
	flipped := slices.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, text := range map[string]string{
		"KEYS": "a\nb\nc\n", "EMPTY": "\n\r\n", "SHORT": "secret", "SECRET": strings.Repeat("k", 16),
		"CUT": string(whole[:len(whole)-9]), "MORE": string(whole) + "x", "LARGE": numberedLines(1001),
		"FLIPPED": string(flipped), "TABLE": plotted,
		"RAGGED": "a,b\n1,2\n3\n", "NAMES": "a\nx\ny\n", "DUMP": "\x00\x00\x00\x00",
		"BENCH": "BenchmarkA 1 2 ns/op\nBenchmarkA 1 x ns/op\n",
	} {
		writeKeys(t, ".", name, text)
	}
	must.Do(t, os.Mkdir("DIR", 0o755))
	writeKeys(t, "DIR", "something", "")
	before := content(t, ".")
	for row := range strings.Lines(strings.TrimPrefix(badInput, "\n")) {
		line, want, _ := strings.Cut(strings.TrimSpace(row), " =>")
		expect(t, "a\nb\n", strings.Fields(line), exitUsage, "", strings.TrimSpace(want))
		if now := content(t, "."); now != before || content(t, "DIR") != "something" {
			t.Fatalf("%s: the folder has %s", line, now)
		}
	}
	expect(t, "a\n", []string{"filter", "query", "--no-checksum", "FLIPPED"}, exitOK, "a\n", "")
	if _, err := os.Stat(filepath.Join(dir, "OUT")); err == nil {
		t.Error("OUT is there")
	}
}
