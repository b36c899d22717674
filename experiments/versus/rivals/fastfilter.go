package rivals

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Foreign is a row that the benchmark of fastfilter_cpp printed, on whatever machine.
type Foreign struct {
	Name string
	// Add, Remove and Find are nanoseconds per key; Remove is 0 for filters that cannot.
	Add, Remove float64
	Find        [5]float64
	// Rate is the false-positive rate, SizeBits the bits per key, Overhead what they are above the bound, as a share
	// of it.
	Rate, SizeBits, Overhead float64
	Keys                     int
}

// Mean is the mean of the lookups over the five mixtures.
func (f *Foreign) Mean() (mean float64) {
	for _, ns := range f.Find {
		mean += ns / float64(len(f.Find))
	}
	return mean
}

// foreignColumns are the numbers behind the name of a row: add, remove, five of find, one of add and three of find, the
// rate in per cent, bits per item, the bound in bits, the space above it in per cent, and million keys.
const foreignColumns = 13

// ReadFastFilter reads what bulk-insert-and-query of fastfilter_cpp prints: its title, lines of counters, warnings,
// and a row for each filter. Any other line is an error, which has its number, as is a row whose numbers do not fit
// together and text without a row.
func ReadFastFilter(name string, from io.Reader) (rows []Foreign, err error) {
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		line = strings.TrimSpace(line[strings.LastIndexByte(line, '\r')+1:]) // what stood there before was its progress
		if line == "" || chatter.MatchString(line) {
			continue
		}
		row, err := foreignRow(line)
		if err != nil {
			return nil, fmt.Errorf("rivals: %s:%d: %w", name, n, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("rivals: %s: %w", name, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("rivals: %s: no row of a filter: want what bulk-insert-and-query prints", name)
	}
	return rows, nil
}

// chatter are the lines that are no row: by how they begin, or counters.
var chatter = regexp.MustCompile(
	`^(find |add +remove |WARNING|ERROR|Using |\$ |\./|actual_sample_size)|cycles:.*instructions:`)

// foreignRow reads a row.
func foreignRow(line string) (f Foreign, err error) {
	fields := strings.Fields(line)
	at := len(fields) - foreignColumns
	if at < 1 {
		return f, fmt.Errorf("%.60q: want a name and %d numbers", line, foreignColumns)
	}
	var v [foreignColumns]float64
	for i, field := range fields[at:] {
		if v[i], err = strconv.ParseFloat(field, 64); err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return f, fmt.Errorf("%.60q: %q is no number", line, field)
		}
	}
	f = Foreign{Name: strings.Join(fields[:at], " "), Add: v[0], Remove: v[1], Find: [5]float64(v[2:7]),
		Rate: v[8] / 100, SizeBits: v[9], Keys: int(math.Round(v[12] * 1e6))}
	switch bound := -math.Log2(f.Rate); {
	case f.Add <= 0 || f.Remove < 0 || slices.Min(f.Find[:]) <= 0:
		return f, fmt.Errorf("%s: times %v: want more than 0", f.Name, v[:7])
	case f.Rate < 0 || f.Rate >= 1 || f.SizeBits <= 0 || f.Keys < 1:
		return f, fmt.Errorf("%s: rate %v, %v bits, %d keys", f.Name, f.Rate, f.SizeBits, f.Keys)
	case f.Rate == 0:
		f.Overhead = math.NaN() // a set, or too few probes
	case math.Abs(bound-v[10]) > 0.01+0.02*bound:
		return f, fmt.Errorf("%s: a rate of %v%% needs %.2f bits, not %v: the columns are shifted or damaged",
			f.Name, v[8], bound, v[10])
	default:
		f.Overhead = f.SizeBits/bound - 1
	}
	return f, nil
}
