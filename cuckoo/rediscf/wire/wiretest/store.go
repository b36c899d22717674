package wiretest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// store has the keys. Time stands still: what is to expire is only marked.
type store struct {
	keys map[string]*item
}

// item is one key: a filter, or one that is being loaded.
type item struct {
	filter *rediscf.Filter
	loader *rediscf.Loader // nil when whole
	expire time.Duration   // 0: never
}

// whole returns the filter when everything has been loaded. A server cannot tell and would answer from
// what has come.
func (i *item) whole() (*rediscf.Filter, error) {
	if i.loader != nil {
		f, err := i.loader.Filter()
		if err != nil {
			return nil, err
		}
		i.filter, i.loader = f, nil
	}
	return i.filter, nil
}

// info is CF.INFO, of what the header says while not all is loaded.
func (i *item) info() rediscf.Info {
	if i.loader != nil {
		return i.loader.Info()
	}
	return i.filter.Info()
}

func newStore() *store { return &store{keys: map[string]*item{}} }

// commands are those that a store knows, with the number of their arguments, the name among them; negative:
// at least so many.
var commands = map[string]struct {
	arity int
	do    func(st *store, key string, args []string) reply
}{
	"CF.RESERVE":   {-3, (*store).reserve},
	"CF.ADD":       {3, (*store).add},
	"CF.ADDNX":     {3, (*store).addNX},
	"CF.EXISTS":    {3, one((*rediscf.Filter).ExistsString)},
	"CF.DEL":       {3, one((*rediscf.Filter).DelString)},
	"CF.COUNT":     {3, (*store).count},
	"CF.COMPACT":   {2, (*store).compact},
	"CF.INFO":      {2, (*store).info},
	"CF.DEBUG":     {2, (*store).debug},
	"MODULE":       {2, (*store).modules},
	"CF.SCANDUMP":  {3, (*store).scanDump},
	"CF.LOADCHUNK": {4, (*store).loadChunk},
	"EXISTS":       {2, (*store).exists},
	"DEL":          {2, (*store).del},
	"RENAME":       {3, (*store).rename},
	"RENAMENX":     {3, (*store).renameNX},
	"PEXPIRE":      {3, (*store).pexpire},
	"PERSIST":      {2, (*store).persist},
}

// execute executes one command.
func (st *store) execute(args []string) reply {
	name := strings.ToUpper(args[0])
	c, known := commands[name]
	switch {
	case !known:
		return unknown(name)
	case c.arity >= 0 && len(args) != c.arity, len(args) < -c.arity:
		return Error(fmt.Sprintf("ERR wrong number of arguments for '%s' command", strings.ToLower(name)))
	}
	return c.do(st, args[1], args[2:])
}

// flag is a yes or a no as a reply.
func flag(b bool) reply {
	if b {
		return int64(1)
	}
	return int64(0)
}

// replyOf is OK, or an error as a reply.
func replyOf(err error) reply {
	switch {
	case err == nil:
		return ok
	case errors.Is(err, rediscf.ErrFull):
		return Error("Filter is full")
	case errors.Is(err, rediscf.ErrExpansions):
		return Error("Maximum expansions reached")
	}
	return Error("ERR " + err.Error())
}

// filter returns the whole filter of a key, made with the defaults if create is set.
func (st *store) filter(key string, create bool) (*rediscf.Filter, reply) {
	i := st.keys[key]
	if i == nil && !create {
		return nil, Error("ERR not found")
	}
	if i == nil {
		i = &item{filter: new(rediscf.Filter)}
		st.keys[key] = i
	}
	f, err := i.whole()
	if err != nil {
		return nil, replyOf(err)
	}
	return f, nil
}

func (st *store) reserve(key string, args []string) reply {
	if st.keys[key] != nil {
		return Error("ERR item exists")
	}
	var c rediscf.Config
	fields := map[string]*int{
		"CAPACITY": &c.Capacity, "BUCKETSIZE": &c.BucketSize, "MAXITERATIONS": &c.MaxIterations,
		"EXPANSION": &c.Expansion,
	}
	args = append([]string{"CAPACITY"}, args...)
	for k := 0; k < len(args); k += 2 {
		field, known := fields[args[k]]
		if !known || k+1 == len(args) {
			return Error("ERR wrong number of arguments for 'cf.reserve' command")
		}
		n, err := strconv.Atoi(args[k+1])
		if err != nil || n < 0 {
			return Error("ERR no number for " + args[k])
		}
		if *field = n; field == &c.Expansion && n == 0 {
			*field = rediscf.NoGrowth
		}
	}
	f, err := rediscf.New(c)
	if err == nil {
		st.keys[key] = &item{filter: f}
	}
	return replyOf(err)
}

func (st *store) add(key string, args []string) reply {
	f, failed := st.filter(key, true)
	if failed != nil {
		return failed
	}
	if err := f.AddString(args[0]); err != nil {
		return replyOf(err)
	}
	return int64(1)
}

func (st *store) addNX(key string, args []string) reply {
	f, failed := st.filter(key, true)
	if failed != nil {
		return failed
	}
	added, err := f.AddNXString(args[0])
	if err != nil {
		return replyOf(err)
	}
	return flag(added)
}

// one is a command of one key of a filter that replies yes or no; no where there is no filter.
func one(do func(f *rediscf.Filter, key string) bool) func(*store, string, []string) reply {
	return func(st *store, key string, args []string) reply {
		f, failed := st.filter(key, false)
		if failed != nil && st.keys[key] != nil {
			return failed
		}
		return flag(failed == nil && do(f, args[0]))
	}
}

func (st *store) count(key string, args []string) reply {
	f, failed := st.filter(key, false)
	if failed != nil {
		return failed
	}
	return int64(f.CountString(args[0]))
}

func (st *store) compact(key string, _ []string) reply {
	f, failed := st.filter(key, false)
	if failed != nil {
		return failed
	}
	f.Compact()
	return ok
}

func (st *store) info(key string, _ []string) reply {
	if st.keys[key] == nil {
		return Error("ERR not found")
	}
	return InfoReply(st.keys[key].info())
}

// modules is the reply to MODULE LIST: a version that sends loaded chunks to replicas.
func (st *store) modules(string, []string) reply {
	return []any{[]any{"name", "bf", "ver", int64(80980), "path", "", "args", []any{}}}
}

func (st *store) debug(key string, _ []string) reply {
	if st.keys[key] == nil {
		return Error("ERR not found")
	}
	return st.keys[key].info().String()
}

// InfoReply is the reply of CF.INFO for a filter that says i of itself.
func InfoReply(i rediscf.Info) []any {
	return []any{
		"Size", int64(i.Size), "Number of buckets", int64(i.Buckets), "Number of filters", int64(i.Filters),
		"Number of items inserted", int64(i.Items), "Number of items deleted", int64(i.Deletes),
		"Bucket size", int64(i.BucketSize), "Expansion rate", int64(i.Expansion),
		"Max iterations", int64(i.MaxIterations),
	}
}

func (st *store) scanDump(key string, args []string) reply {
	f, failed := st.filter(key, false)
	if failed != nil {
		return failed
	}
	position, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || position < 0 {
		return Error("ERR Invalid position")
	}
	next, chunk, err := f.ScanDump(position)
	if err != nil {
		return replyOf(err)
	}
	if chunk == nil {
		return []any{int64(0), nil}
	}
	return []any{next, slices.Clone(chunk)}
}

// loadChunk has the errors of the recordings; the loader is stricter than a server in two of them.
func (st *store) loadChunk(key string, args []string) reply {
	position, err := strconv.ParseInt(args[0], 10, 64)
	i, data := st.keys[key], []byte(args[1])
	switch {
	case err != nil || position < 1:
		return Error("ERR Invalid position")
	case position > 1 && i == nil:
		return Error("ERR not found")
	case position > 1 && i.loader == nil:
		return Error("ERR Couldn't load chunk!")
	case position > 1:
		if i.loader.Load(position, data) != nil {
			return Error("ERR Couldn't load chunk!")
		}
		return ok
	case i != nil:
		return Error("ERR item exists")
	case len(data) != rediscf.HeaderSize:
		return Error("ERR Invalid header")
	}
	l := new(rediscf.Loader)
	if l.Load(position, data) != nil {
		return Error("ERR Couldn't create filter!")
	}
	st.keys[key] = &item{loader: l}
	return ok
}
