package lab

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
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

// A run under way has a folder of its own: manifest.json and a CSV for each experiment, to which rows are appended as trials end, so that another
// sitting can go on where one was ended, by an interrupt or by a power failure. Behind the columns of the report stand took_ns, the time of the
// trial, and crc, CRC-32 (IEEE) of the rows of the trial, both in the last of these rows only and empty in the others:
//
//	series,b,f,slots,trial,seed,stored,...,took_ns,crc
//
// Where the revision of an experiment is not 0, that is behind crc, as in crc.1. Rows without their crc at the end of a file were being written
// when the program died, and are dropped; any other damage is an error with file and line. A report has the rows in the order of the plan, without
// these two columns, and the SHA-256 of each file in manifest.json.

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

// A journalPart is what the file of one experiment holds.
type journalPart struct {
	table  report.Table // without rows of a trial that is not whole
	size   int          // of the header and the whole trials, in bytes
	trials int
}

// readPart reads the file of an experiment of a run under way. ours is false for a file of somebody else.
func readPart(path string) (p journalPart, ours bool, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return p, false, fmt.Errorf("experiments: %w", err)
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
		return p, true, fmt.Errorf("experiments: %s: %w: %w", at, ErrCorrupt, err)
	}
	p.size, p.trials = header+size, trials
	return p, true, nil
}

// readParts reads the files of all experiments of a run under way, by their names.
func readParts(dir string) (map[string]journalPart, error) {
	paths, err := csvFiles(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]journalPart{}
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
		return nil, fmt.Errorf("experiments: %w", err)
	}
	return paths, nil
}

// ErrRaw is wrapped by errors about results that cannot be shown again: of another version, seed or profile than they say, altered, or
// of another command.
var ErrRaw = errors.New("results cannot be read back")

// Results are what a run counted, as its folder holds it: everything that the pages, pictures and verdicts of a report follow from.
type Results struct {
	Manifest *report.Manifest
	Tables   map[string]report.Table // by the experiment's name
	Timings  []report.Bench
	// Unfinished says that the run is under way, or was broken off. Its tables have two columns more, and their rows are in the order in
	// which trials ended.
	Unfinished bool
}

// readResults reads the results in a folder, of a report of that kind or of a run under way. Every file of a report that it takes must be the
// one that the manifest lists, by its checksum; the pages and pictures are not looked at. The error says which file, and which line of
// it, is wrong.
func readResults(dir, kind string) (*Results, error) {
	m, unfinished, err := manifestOf(dir)
	if err == nil && m.Kind != kind && m.Kind != "" {
		err = fmt.Errorf("experiments: folder %q: %w: it is a report of %q, want one of %q", dir, ErrRaw, m.Kind, kind)
	}
	if err != nil {
		return nil, err
	}
	r := &Results{Manifest: m, Tables: map[string]report.Table{}, Unfinished: unfinished}
	if unfinished {
		parts, err := readParts(dir)
		for name, p := range parts {
			r.Tables[name] = p.table
		}
		return r, err
	}
	problems, err := m.Verify(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		name, isTable := strings.CutSuffix(f.Name, ".csv")
		isTable = isTable && name != "verdicts"
		if !isTable && f.Name != "bench.txt" {
			continue
		}
		for _, p := range problems {
			if p.File == f.Name {
				return nil, fmt.Errorf("experiments: folder %q: %w: %v", dir, ErrRaw, p)
			}
		}
		if err := r.read(filepath.Join(dir, f.Name), name, isTable); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// manifestOf reads the manifest of a folder. One that lists no files is that of a run under way.
func manifestOf(dir string) (m *report.Manifest, unfinished bool, err error) {
	m, err = report.ReadManifest(dir)
	if !errors.Is(err, report.ErrNoReport) {
		return m, false, err
	}
	data, failed := os.ReadFile(filepath.Join(dir, manifestName))
	if failed != nil {
		return nil, false, err
	}
	m = new(report.Manifest)
	if json.Unmarshal(data, m) != nil || len(m.Files) > 0 || len(m.Seeds) != 1 {
		return nil, false, err
	}
	return m, true, nil
}

// read adds one file of a report.
func (r *Results) read(path, name string, isTable bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	if isTable {
		r.Tables[name], err = report.ReadTable(path, bytes.NewReader(data))
		return err
	}
	lines, err := report.ReadBench(path, bytes.NewReader(data))
	for _, l := range lines {
		r.Timings = append(r.Timings, l.Bench)
	}
	return err
}
