package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

type chartFlags struct {
	plot       report.PlotOptions
	out        output
	size       string
	logX, logY bool
}

func newChartCommand() *cobra.Command {
	var flags chartFlags
	cmd := &cobra.Command{
		Use:   "chart FILE",
		Short: "Draw a CSV file or the output of go test -bench",
		Long: `chart draws one column of a table against another. FILE is a CSV with a header, or what "go test -bench"
prints: there each part "key=value" of a name is a column, and so is each unit (ns/op). "-" is standard input.

--x and --y name the columns; without them y is the last column of numbers, or ns/op, and x the parameter of most
values, and standard error says which. Each combination of the other parameters is a series, and what spans two orders
of magnitude has a logarithmic scale, unless flags say otherwise. A point of several rows is their median with its 95%
interval (below six rows: their range).

--where keeps rows: conditions on one column are alternatives, those on different columns must all hold. At most 21
series look different; --where and --series make it fewer.

Exit status: 0, 2 bad input (the error lists the columns, or names file and line).`,
		Example: `  # A table of a report, with axes by the table
  nest chart report/fig3.csv
  # Some of its rows, with axes of your own
  nest chart report/fig2.csv --where b=4 --x f --y load_factor --out load.svg
  # Benchmarks: medians with their intervals
  go test -bench Contains -count 10 . | nest chart - --x n --out contains.pdf`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("chart: %d files are named: want 1, a CSV or the output of go test -bench", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runChart(cmd, args[0], flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.plot.X, "x", "", "`COLUMN` of the x axis (default by the table)")
	f.StringVar(&flags.plot.Y, "y", "", "`COLUMN` of the y axis (default by the table)")
	f.StringSliceVar(&flags.plot.Series, "series", nil, "`COLUMNS` that make a series; --series= is one series of all rows")
	f.StringArrayVar(&flags.plot.Filters, "where", nil, "`COLUMN=VALUE` that a row must have; may be repeated")
	f.StringVar(&flags.plot.Title, "title", "", "title of the picture (default made of the columns' names)")
	f.StringVar(&flags.size, "size", "12x8", "width and height in centimetres")
	f.BoolVar(&flags.logX, "logx", false, "logarithmic x axis (default by the values)")
	f.BoolVar(&flags.logY, "logy", false, "logarithmic y axis (default by the values)")
	flags.out.flags(cmd, "a file whose ending is one of "+strings.Join(chart.Formats(),
		", ")+` (default FILE's name with "-chart.png")`)
	return cmd
}

func runChart(cmd *cobra.Command, name string, flags chartFlags) error {
	options, err := flags.options(cmd)
	if err != nil {
		return err
	}
	out := flags.out
	if out.name == "" {
		stem := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		if name == dash {
			stem = "stdin"
		}
		out.name = stem + "-chart.png"
	}
	format, err := pictureFormat(out.name)
	if err != nil {
		return err
	}
	if err := out.refuse(); err != nil {
		return err
	}
	data, err := readPlotted(cmd, name)
	if err != nil {
		return err
	}
	figure, notes, err := data.Figure(options)
	if err != nil {
		return err
	}
	picture, err := figure.Render(format)
	if err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if err := out.write(picture); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprint(cmd.ErrOrStderr(), report.Wrap("nest: ", name+": "+n, report.Width(cmd.ErrOrStderr())))
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), out.name)
	return err
}

// readPlotted reads the table of a file, or, under a name such as report.partial/fig2.csv, what a run under way has counted.
func readPlotted(cmd *cobra.Command, name string) (t report.Table, err error) {
	journal, file := filepath.Split(name)
	if info, err := os.Stat(filepath.Clean(journal)); err == nil && info.Mode().IsRegular() {
		raw, err := lab.ReadRaw(filepath.Clean(journal))
		if err != nil {
			return t, err
		}
		if t = raw.Tables[strings.TrimSuffix(file, ".csv")]; len(t.Rows) == 0 {
			err = fmt.Errorf("%s has no trials of %q yet", journal, file)
		}
		return t, err
	}
	err = readFile(cmd, name, func(r io.Reader, name string) (err error) {
		t, err = report.ReadAny(name, r)
		return err
	})
	return t, err
}

func (f chartFlags) options(cmd *cobra.Command) (o report.PlotOptions, err error) {
	o = f.plot
	changed := cmd.Flags().Changed
	if changed("series") && o.Series == nil {
		o.Series = []string{}
	}
	if changed("logx") {
		o.LogX = &f.logX
	}
	if changed("logy") {
		o.LogY = &f.logY
	}
	if changed("size") {
		if o.Width, o.Height, err = parseSize(f.size); err != nil {
			return o, fmt.Errorf("--size: %w", err)
		}
	}
	return o, nil
}

func parseSize(s string) (width, height float64, err error) {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	width, err1 := strconv.ParseFloat(w, 64)
	height, err2 := strconv.ParseFloat(h, 64)
	if !ok || err1 != nil || err2 != nil || !(width > 0 && height > 0) {
		return 0, 0, fmt.Errorf("%q: want width and height in centimetres, such as 16x9", s)
	}
	return width, height, nil
}
