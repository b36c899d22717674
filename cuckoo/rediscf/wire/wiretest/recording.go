package wiretest

import (
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// Recording is what a real server answered, as the testdata of package rediscf has it.
type Recording struct {
	_ struct{}

	// Exchanges are all commands in order, about the key that ReadRecording was given. The replies of
	// CF.SCANDUMP are among them, without the last, which is not in the files.
	Exchanges []Exchange
	// Info is the reply of the last CF.INFO.
	Info rediscf.Info
	// Chunks is the dump.
	Chunks []Chunk
}

// Chunk is one chunk of a dump and the position that came with it.
type Chunk struct {
	// Position is what CF.SCANDUMP replied with the chunk.
	Position int64
	// Data is the chunk.
	Data []byte
}

// ReadRecording reads a file of the testdata of package rediscf, whose README has the form.
func ReadRecording(file, key string) (*Recording, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Recording)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := r.step(key, strings.Fields(line), line); err != nil {
			return nil, fmt.Errorf("wiretest: %s:%d: %w", file, number, err)
		}
	}
	return r, nil
}

// add appends an exchange about key.
func (r *Recording) add(reply any, name, key string, args ...string) {
	r.Exchanges = append(r.Exchanges, Exchange{Command: append([]string{name, key}, args...), Reply: reply})
}

// step takes one line.
func (r *Recording) step(key string, field []string, line string) error {
	switch field[0] {
	case "#":
	case "reserve":
		r.add(ok, "CF.RESERVE", key, field[1], "BUCKETSIZE", field[2], "MAXITERATIONS", field[3], "EXPANSION", field[4])
	case "range":
		return r.repeat(key, field[1:])
	case "op":
		return r.operation(key, field[1], field[2], field[3])
	case "info":
		var i rediscf.Info
		_, err := fmt.Sscan(strings.TrimPrefix(line, "info"), &i.Size, &i.Buckets, &i.Filters, &i.Items, &i.Deletes,
			&i.BucketSize, &i.Expansion, &i.MaxIterations)
		if err != nil {
			return err
		}
		r.Info = i
		r.add(InfoReply(i), "CF.INFO", key)
	case "debug":
		r.add(strings.TrimSpace(strings.TrimPrefix(line, "debug ")), "CF.DEBUG", key)
	case "chunk":
		return r.chunk(key, field[1], field[2])
	case "probe":
		if err := r.operation(key, "exists", field[1], field[2]); err != nil {
			return err
		}
		return r.operation(key, "count", field[1], field[3])
	default:
		return fmt.Errorf("no step %q", field[0])
	}
	return nil
}

// repeat takes one command for each number of a range: COMMAND FORMAT FROM TO STEP REPLY.
func (r *Recording) repeat(key string, field []string) error {
	var from, to, step int
	if _, err := fmt.Sscan(strings.Join(field[2:5], " "), &from, &to, &step); err != nil {
		return err
	}
	for i := from; i < to; i += step {
		if err := r.operation(key, field[0], hex.EncodeToString(fmt.Appendf(nil, field[1], i)), field[5]); err != nil {
			return err
		}
	}
	return nil
}

// operation takes a command of one item, which is in hexadecimal.
func (r *Recording) operation(key, name, item, said string) error {
	if name == "compact" {
		r.add(Status(said), "CF.COMPACT", key)
		return nil
	}
	b, err := hex.DecodeString(strings.TrimPrefix(item, "-"))
	if err != nil {
		return err
	}
	var answer reply
	if answer, err = strconv.ParseInt(said, 10, 64); err != nil {
		answer = Error(said)
	}
	r.add(answer, "CF."+strings.ToUpper(name), key, string(b))
	return nil
}

// chunk takes a reply of CF.SCANDUMP.
func (r *Recording) chunk(key, position, data string) error {
	at, err := strconv.ParseInt(position, 10, 64)
	if err != nil {
		return err
	}
	b, err := hex.DecodeString(data)
	if err != nil {
		return err
	}
	r.add([]any{at, b}, "CF.SCANDUMP", key, strconv.FormatInt(r.last(), 10))
	r.Chunks = append(r.Chunks, Chunk{at, b})
	return nil
}

// last is the position of the last chunk, 0 if there is none.
func (r *Recording) last() int64 {
	if len(r.Chunks) == 0 {
		return 0
	}
	return r.Chunks[len(r.Chunks)-1].Position
}

// Pull returns what a pull of the recorded filter says to the server and hears from it.
func (r *Recording) Pull(key string) []Exchange {
	asked := r.asked(key)
	position := "0"
	for _, c := range r.Chunks {
		asked = append(asked, Exchange{
			Command: []string{"CF.SCANDUMP", key, position}, Reply: []any{c.Position, c.Data},
		})
		position = strconv.FormatInt(c.Position, 10)
	}
	asked = append(asked, Exchange{Command: []string{"CF.SCANDUMP", key, position}, Reply: []any{int64(0), nil}})
	return append(asked, r.asked(key)...)
}

// asked is what a client asks about a filter that is there.
func (r *Recording) asked(key string) []Exchange {
	return []Exchange{
		{Command: []string{"EXISTS", key}, Reply: int64(1)},
		{Command: []string{"CF.INFO", key}, Reply: InfoReply(r.Info)},
	}
}

// Push returns what a push of the recorded filter to a key that is free says to the server and hears from
// it, when chunks are not cut and go out together, and expire in so many milliseconds.
func (r *Recording) Push(key string, milliseconds int64) []Exchange {
	expire := Exchange{Command: []string{"PEXPIRE", "*", strconv.FormatInt(milliseconds, 10)}, Reply: int64(1)}
	list := []Exchange{{Command: []string{"EXISTS", key}, Reply: int64(0)}}
	for k, c := range r.Chunks {
		list = append(list, Exchange{
			Command: []string{"CF.LOADCHUNK", "*", strconv.FormatInt(c.Position, 10), string(c.Data)}, Reply: ok,
		})
		if k == 0 {
			list = append(list, expire, expire) // of the header, and of the chunks
		}
	}
	module := []any{[]any{"name", "bf", "ver", int64(81000)}} // one that sends what is loaded to replicas
	list = append(list, Exchange{Command: []string{"MODULE", "LIST"}, Reply: module})
	list = append(list, r.asked("*")...)
	return append(list,
		Exchange{Command: []string{"PERSIST", "*"}, Reply: int64(1)},
		Exchange{Command: []string{"RENAMENX", "*", key}, Reply: int64(1)})
}
