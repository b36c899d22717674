package wiretest

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

func (st *store) exists(key string, _ []string) reply { return flag(st.keys[key] != nil) }

func (st *store) del(key string, _ []string) reply {
	there := st.keys[key] != nil
	delete(st.keys, key)
	return flag(there)
}

func (st *store) rename(key string, args []string) reply {
	i := st.keys[key]
	if i == nil {
		return Error("ERR no such key")
	}
	delete(st.keys, key)
	st.keys[args[0]] = i
	return ok
}

func (st *store) renameNX(key string, args []string) reply {
	if st.keys[key] != nil && st.keys[args[0]] != nil {
		return int64(0)
	}
	if r := st.rename(key, args); r != ok {
		return r
	}
	return int64(1)
}

func (st *store) pexpire(key string, args []string) reply {
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || n <= 0 {
		return Error("ERR invalid expire time in 'pexpire' command")
	}
	if st.keys[key] == nil {
		return int64(0)
	}
	st.keys[key].expire = time.Duration(n) * time.Millisecond
	return int64(1)
}

func (st *store) persist(key string, _ []string) reply {
	i := st.keys[key]
	if i == nil || i.expire == 0 {
		return int64(0)
	}
	i.expire = 0
	return int64(1)
}

// Keys returns the keys, sorted.
func (s *Server) Keys() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Sorted(maps.Keys(s.store.keys))
}

// Put sets a key to a filter, which belongs to the server from then on.
func (s *Server) Put(key string, f *rediscf.Filter) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.store.keys[key] = &item{filter: f}
}

// Delete deletes a key.
func (s *Server) Delete(key string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.store.keys, key)
}

// Filter returns the filter of a key, nil if there is none, or the error of one that is not loaded whole.
func (s *Server) Filter(key string) (*rediscf.Filter, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.store.keys[key] == nil {
		return nil, nil
	}
	return s.store.keys[key].whole()
}

// Expires returns the time that a key was given to expire, 0 if none or if there is no such key. It does
// not run down.
func (s *Server) Expires(key string) time.Duration {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.store.keys[key] == nil {
		return 0
	}
	return s.store.keys[key].expire
}
