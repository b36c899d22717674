package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// A record is what one line holds: one of the three.
type record struct {
	Head  *Head
	Plan  *Plan
	Trial *Trial
}

// The frame of a line: `{"crc":"01234567","trial":` content `}`.
const (
	crcOpen  = `{"crc":"`
	crcClose = `","`
	crcEnd   = len(crcOpen) + 8
)

// line is the record as a line of the file.
func (r record) line() ([]byte, error) {
	kind, content := "head", any(r.Head)
	switch {
	case r.Plan != nil:
		kind, content = "plan", r.Plan
	case r.Trial != nil:
		kind, content = "trial", r.Trial
	}
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s%08x%s%s\":%s}\n", crcOpen, crc32.ChecksumIEEE(data), crcClose, kind, data), nil
}

// parseLine reads a line without its line feed.
func parseLine(line []byte) (r record, err error) {
	if len(line) < crcEnd || !bytes.HasPrefix(line, []byte(crcOpen)) || !bytes.HasPrefix(line[crcEnd:], []byte(crcClose)) {
		return r, fmt.Errorf("want %s with eight hexadecimal digits", crcOpen)
	}
	kind, content, ok := bytes.Cut(line[crcEnd+len(crcClose):], []byte(`":`))
	content, closed := bytes.CutSuffix(content, []byte("}"))
	if !ok || !closed {
		return r, fmt.Errorf("want an object in an object")
	}
	if want := fmt.Appendf(nil, "%08x", crc32.ChecksumIEEE(content)); !bytes.Equal(want, line[len(crcOpen):crcEnd]) {
		return r, fmt.Errorf("its checksum is %s, not %s", want, line[len(crcOpen):crcEnd])
	}
	switch string(kind) {
	case "head":
		err = json.Unmarshal(content, &r.Head)
	case "plan":
		err = json.Unmarshal(content, &r.Plan)
	case "trial":
		err = json.Unmarshal(content, &r.Trial)
	default:
		err = fmt.Errorf("of the unknown kind %q", kind)
	}
	return r, err
}

// read takes what the file holds and returns how many bytes of it are whole lines.
func (j *Journal) read(data []byte) (size int, err error) {
	for n := 1; ; n++ {
		end := bytes.IndexByte(data[size:], '\n')
		if end < 0 {
			return size, nil
		}
		r, err := parseLine(data[size : size+end])
		if err == nil && (r.Head != nil) != (n == 1) {
			err = fmt.Errorf("want the head in the first line, and nowhere else")
		}
		if err != nil {
			return 0, fmt.Errorf("journal: %s:%d: %w: %w", j.Path(), n, ErrCorrupt, err)
		}
		if err := j.take(r); err != nil {
			return 0, err
		}
		if r.Trial != nil {
			j.at = append(j.at, n)
		}
		size += end + 1
	}
}

// take adds a record to what was read.
func (j *Journal) take(r record) error {
	switch {
	case r.Plan != nil:
		j.plans = append(j.plans, *r.Plan)
	case r.Trial != nil:
		j.trials = append(j.trials, *r.Trial)
	case r.Head.Version != j.head.Version && !j.head.AnyVersion:
		return j.other("it is of version %s, this is %s", r.Head.Version, j.head.Version)
	case r.Head.Profile != j.head.Profile:
		return j.other("it is of profile %s, this run of %s", r.Head.Profile, j.head.Profile)
	case r.Head.Seed != j.head.Seed:
		return j.other("it is of seed %d, this run of %d", r.Head.Seed, j.head.Seed)
	default:
		j.machine, j.version = r.Head.Machine, r.Head.Version
	}
	return nil
}
