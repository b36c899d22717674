package store

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/report"
)

// The columns behind those of the report. The revision of the experiment follows crcColumn, if there is one.
const (
	TookColumn = "took_ns"
	crcColumn  = "crc"
)

// endColumns are those two.
func endColumns(revision int) []string {
	if revision == 0 {
		return []string{TookColumn, crcColumn}
	}
	return []string{TookColumn, crcColumn + "." + strconv.Itoa(revision)}
}

// isOurs tells whether the columns are those of a run under way.
func isOurs(columns []string) bool {
	n := len(columns)
	return n > 2 && columns[n-2] == TookColumn && (columns[n-1] == crcColumn || strings.HasPrefix(columns[n-1], crcColumn+"."))
}

// lines are the rows of one trial as lines of a CSV, with its time and its checksum.
func lines(rows [][]string, took time.Duration) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i, row := range rows {
		end := []string{"", ""}
		if i == len(rows)-1 {
			end[0] = strconv.FormatInt(int64(took), 10)
		}
		if err := w.Write(slices.Concat(row, end)); err != nil {
			return nil, err
		}
	}
	w.Flush()
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return fmt.Appendf(text, "%08x\n", crc32.ChecksumIEEE(text)), nil
}

// scan returns how many bytes of the lines behind a header belong to whole trials, and how many trials these are. The error is of a line,
// counted from 1, whose checksum is wrong.
func scan(body []byte) (size, trials, line int, err error) {
	start := 0
	for at := 0; ; {
		end := bytes.IndexByte(body[at:], '\n')
		if end < 0 {
			return start, trials, line, nil
		}
		line++
		comma := at + bytes.LastIndexByte(body[at:at+end], ',') + 1
		sum := body[comma : at+end]
		at += end + 1
		if len(sum) == 0 {
			continue
		}
		if want := fmt.Appendf(nil, "%08x", crc32.ChecksumIEEE(body[start:comma])); !bytes.Equal(sum, want) {
			return 0, 0, line, fmt.Errorf("its checksum is %s, not %s", want, sum)
		}
		start = at
		trials++
	}
}

// A part is what the file of one experiment holds.
type part struct {
	table  report.Table // without rows of a trial that is not whole
	size   int          // of the header and the whole trials, in bytes
	trials int
}

// readPart reads the file of an experiment of a run under way. ours is false for a file of somebody else.
func readPart(path string) (p part, ours bool, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return p, false, fmt.Errorf("store: %w", err)
	}
	header := bytes.IndexByte(data, '\n') + 1
	if header == 0 { // it was being made when the program died, or is somebody else's
		return p, false, nil
	}
	if columns, err := csv.NewReader(bytes.NewReader(data[:header])).Read(); err != nil || !isOurs(columns) {
		return p, false, nil
	}
	size, trials, line, err := scan(data[header:])
	if err == nil {
		line = 0
		p.table, err = report.ReadTable(path, bytes.NewReader(data[:header+size]))
	}
	if err != nil {
		at := path
		if line > 0 {
			at = fmt.Sprintf("%s:%d", path, line+1)
		}
		return p, true, fmt.Errorf("store: %s: %w: %w", at, ErrCorrupt, err)
	}
	p.size, p.trials = header+size, trials
	return p, true, nil
}

// readParts reads the files of all experiments of a run under way, by their names.
func readParts(dir string) (map[string]part, error) {
	paths, err := csvFiles(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]part{}
	for _, path := range paths {
		p, ours, err := readPart(path)
		if err != nil {
			return nil, err
		}
		if ours {
			out[strings.TrimSuffix(filepath.Base(path), ".csv")] = p
		}
	}
	return out, nil
}

// csvFiles are the paths of the CSVs in a folder.
func csvFiles(dir string) (paths []string, err error) {
	content, err := os.ReadDir(dir)
	for _, e := range content {
		if strings.HasSuffix(e.Name(), ".csv") && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return paths, nil
}
