package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

type chartFlags struct {
	plot       report.PlotOptions
	out        output
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
series look different; --where and --series make it fewer.`,
		Example: `  # A table of a report, with axes by the table
  nest chart report/fig3.csv
  # Benchmarks: medians with their intervals
  go test -bench Contains -count 10 . | nest chart - --x n --out contains.pdf`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runChart(cmd, args[0], flags) },
	}
	f, o := cmd.Flags(), &flags.plot
	f.StringVar(&o.X, "x", "", "`COLUMN` of the x axis (default by the table)")
	f.StringVar(&o.Y, "y", "", "`COLUMN` of the y axis (default by the table)")
	f.StringSliceVar(&o.Series, "series", nil, "`COLUMNS` that make a series; --series= is one series of all rows")
	f.StringArrayVar(&o.Filters, "where", nil, "`COLUMN=VALUE` that a row must have; may be repeated")
	f.StringVar(&o.Title, "title", "", "title of the picture (default made of the columns' names)")
	f.Var(&value{"string", "12x8", func(text string) error {
		_, err := fmt.Sscanf(text, "%gx%g", &o.Width, &o.Height)
		if err != nil || !(o.Width > 0 && o.Height > 0) {
			return fmt.Errorf("%q: want width and height in centimetres, such as 16x9", text)
		}
		return nil
	}}, "size", "width and height in centimetres")
	f.BoolVar(&flags.logX, "logx", false, "logarithmic x axis (default by the values)")
	f.BoolVar(&flags.logY, "logy", false, "logarithmic y axis (default by the values)")
	flags.out.flags(cmd, "a file whose ending is one of "+strings.Join(chart.Formats(),
		", ")+` (default FILE's name with "-chart.png")`)
	return cmd
}

func runChart(cmd *cobra.Command, name string, flags chartFlags) error {
	o, out, set := flags.plot, flags.out, cmd.Flags().Changed
	if set("series") && o.Series == nil {
		o.Series = []string{}
	}
	if set("logx") {
		o.LogX = &flags.logX
	}
	if set("logy") {
		o.LogY = &flags.logY
	}
	if out.name == "" {
		stem := nameOf(name, "stdin")
		out.name = strings.TrimSuffix(filepath.Base(stem), filepath.Ext(stem)) + "-chart.png"
	}
	_, err := pictureFormat(out.name)
	if err = cmp.Or(err, out.refuse()); err != nil {
		return err
	}
	data, err := readPlotted(cmd, name)
	if err != nil {
		return err
	}
	figure, notes, err := data.Figure(o)
	if err != nil {
		return err
	}
	if err := out.draw(cmd, figure); err != nil {
		return err
	}
	for _, n := range notes {
		say(cmd, "nest: %s: %s", name, n)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), out.name)
	return err
}

// draw writes a picture in the format that its name's ending says.
func (o output) draw(cmd *cobra.Command, figure *chart.Figure) error {
	format, err := pictureFormat(o.name)
	if err != nil {
		return err
	}
	picture, err := figure.Render(format)
	if err != nil {
		return err
	}
	return o.save(cmd, bytes.NewReader(picture))
}

// readPlotted reads the table of a file or, under a name such as report.partial/fig2.csv, what a run has counted.
func readPlotted(cmd *cobra.Command, name string) (t report.Table, err error) {
	dir, file := filepath.Split(name)
	if dir = filepath.Clean(dir); isRegular(cmd, dir) {
		raw, err := lab.ReadRaw(dir)
		if err == nil {
			if t = raw.Tables[strings.TrimSuffix(file, ".csv")]; len(t.Rows) == 0 {
				err = fmt.Errorf("%s has no trials of %q yet", dir, file)
			}
		}
		return t, err
	}
	err = readFile(cmd, name, func(r io.Reader, name string) (err error) {
		t, err = report.ReadAny(name, r)
		return err
	})
	return t, err
}
