package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nestfilter/nest/experiments/sweep"
)

// A wholeRows streams rows of a table: each is one write, as soon as it is known. It knows where the last row
// that was written whole ends, so that a full disk does not leave half of one.
type wholeRows struct {
	w      io.Writer
	row    bytes.Buffer
	rows   int   // without the header
	ends   int64 // where the last whole row ends
	failed error // of a write

	removed bool // the file, which had no row
}

// sweep measures the cells and writes their rows below a header.
func (t *wholeRows) sweep(ctx context.Context, cells []sweep.Cell, o sweep.Options) error {
	if err := t.write(sweep.Columns(cells[0].Timed)); err != nil {
		return err
	}
	return sweep.Run(ctx, cells, o, func(outcome sweep.Outcome) error {
		if err := t.write(outcome.Row()); err != nil {
			return err
		}
		t.rows++
		return nil
	})
}

func (t *wholeRows) write(cells []string) error {
	t.row.Reset()
	line := csv.NewWriter(&t.row)
	if t.failed = line.Write(cells); t.failed != nil {
		return t.failed
	}
	line.Flush()
	if _, t.failed = t.w.Write(t.row.Bytes()); t.failed == nil {
		t.ends += int64(t.row.Len())
	}
	return t.failed
}

// close closes the file that the rows went to. If a write has failed it takes back what is behind the last whole row
// first, and the whole file without a row. The error is err, and what went wrong here.
func (t *wholeRows) close(file *os.File, err error) error {
	info, failed := file.Stat()
	mend := t.failed != nil && failed == nil && info.Mode().IsRegular()
	if mend {
		err = errors.Join(err, file.Truncate(t.ends))
	}
	err = errors.Join(err, file.Close())
	if mend && t.rows == 0 {
		failed = os.Remove(file.Name())
		t.removed, err = failed == nil, errors.Join(err, failed)
	}
	return err
}

// left says what an error leaves in the file.
func (t *wholeRows) left(name string, cells int) string {
	if t.removed {
		return name + ": was removed, because it had no row"
	}
	return fmt.Sprintf("%s: has %d of %d rows, each of them whole", name, t.rows, cells)
}
