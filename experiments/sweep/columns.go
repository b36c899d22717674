package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// timedColumns are those that the machine decides besides the seed.
var timedColumns = []string{"insert_ns", "hit_ns", "miss_ns"}

// Columns returns the names of the columns of a row, those of times included if the grid is timed.
func Columns(timed bool) []string {
	columns := strings.Fields("filter f b placement kick hash n load trial seed slots offered stored refused_at load_reached " +
		"kicks longest_path lost false_positives probes measured_rate rate_low rate_high predicted_rate bits_per_item")
	if timed {
		columns = append(columns, timedColumns...)
	}
	return columns
}

// Row returns the outcome as cells of [Columns]. What does not apply is empty: the slots of a filter of one's own,
// and where a table refused a key if it did not. Rates have the 95% interval of package stat; times are
// nanoseconds per key.
func (o Outcome) Row() []string {
	c := o.Cell
	isCuckoo := c.setting == nil
	only := func(applies bool, v any) string {
		if !applies {
			return ""
		}
		return report.Format(v)
	}
	rate := stat.Rate{Events: o.FalsePositives, N: o.Probes}
	low, high := rate.Interval()
	predicted := ""
	if o.Predicted != nil {
		predicted = report.Format(*o.Predicted)
	}
	row := []string{
		c.Filter, report.Format(c.Width), only(isCuckoo, c.Config.BucketSize), only(isCuckoo, c.Config.Placement.String()), c.Policy,
		c.Hash.Name, report.Format(c.Slots), report.Format(c.Load), report.Format(c.Trial), fmt.Sprintf("0x%016x", c.Seed),
		only(isCuckoo, o.Slots), report.Format(o.Offered), report.Format(o.Stored), only(o.Stored < o.Offered, o.Stored),
		only(isCuckoo, share(o.Stored, o.Slots)), only(isCuckoo, o.Stats.Kicks), only(isCuckoo, o.Stats.LongestPath),
		report.Format(o.Lost), report.Format(o.FalsePositives), report.Format(o.Probes), report.Format(rate.Value()),
		report.Format(low), report.Format(high), predicted, only(o.Stored > 0, share(8*o.SizeBytes, o.Stored)),
	}
	if c.Timed {
		row = append(row, perKey(o.Insert, o.Stored), perKey(o.Hit, o.Stored), perKey(o.Miss, o.Probes))
	}
	return row
}

func share(a, b int) float64 { return float64(a) / float64(b) }

// perKey is a time in nanoseconds for each of n keys, or empty without any.
func perKey(d time.Duration, n int) string {
	if n == 0 {
		return ""
	}
	return report.Format(float64(d.Nanoseconds()) / float64(n))
}
