package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// PushOptions say how a filter is pushed. Zero fields are defaults.
type PushOptions struct {
	_ struct{}

	// Overwrite replaces what the key has, whatever it is, at the moment of the rename. Until then the server
	// has both.
	Overwrite bool
	// Chunk is the most bytes of one CF.LOADCHUNK, 1 to 16 MiB. The default is 1 MiB. A smaller one keeps
	// the server's other clients waiting for less.
	Chunk int
	// InFlight is the most bytes that are sent before their replies are awaited, at least Chunk. The default
	// is 16 MiB. The context is checked before each such group.
	InFlight int
	// Expire is the time after which the server drops the temporary key when it hears no more of this push, at
	// least a second. The default is an hour. It has to be longer than InFlight bytes take.
	Expire time.Duration
	// Verify, if not nil, is a connection that reads from a replica of the server, which is asked before the
	// rename whether it has what was loaded: it must count some 1000 sample keys as often as the filter does,
	// of each chunk at least one. The keys are computed from the fingerprints, so none of the caller's keys is
	// needed. Push asks again until the replica has it, for VerifyWithin at most. Then the error is
	// [ErrNotReplicated].
	Verify Conn
	// VerifyWithin is how long Verify may take, at least a millisecond. The default is 10 s.
	VerifyWithin time.Duration
	// Warn, if not nil, is called before anything is loaded when the version of the server's module is not one that
	// is known to send what is loaded to replicas and to the append-only file, or cannot be asked for. The
	// error is [ErrReplication] and names the version. It does not end the push.
	Warn func(error)
	// Progress, if not nil, is called with the bytes of the tables that the server has and those of all.
	Progress func(sent, total int64)
}

// The defaults of PushOptions.
const (
	defaultChunk    = 1 << 20
	defaultInFlight = 16 << 20
	defaultExpire   = time.Hour
	// cleanupTime is how long a push that failed tries to delete its temporary key.
	cleanupTime = 5 * time.Second
)

// withDefaults returns o with every zero field set to what it stands for, or what is wrong with it.
func (o PushOptions) withDefaults() (PushOptions, error) {
	if o.Chunk == 0 {
		o.Chunk = defaultChunk
	}
	if o.InFlight == 0 {
		o.InFlight = max(defaultInFlight, o.Chunk)
	}
	if o.Expire == 0 {
		o.Expire = defaultExpire
	}
	if o.VerifyWithin == 0 {
		o.VerifyWithin = defaultVerifyWithin
	}
	switch {
	case o.Chunk < 0 || o.Chunk > rediscf.MaxChunk:
		return o, fmt.Errorf("%w: Chunk is %d, want 1..%d", rediscf.ErrConfig, o.Chunk, rediscf.MaxChunk)
	case o.InFlight < o.Chunk:
		return o, fmt.Errorf("%w: InFlight is %d, want at least Chunk, %d", rediscf.ErrConfig, o.InFlight, o.Chunk)
	case o.Expire < time.Second:
		return o, fmt.Errorf("%w: Expire is %v, want at least 1s", rediscf.ErrConfig, o.Expire)
	case o.VerifyWithin < time.Millisecond:
		return o, fmt.Errorf("%w: VerifyWithin is %v, want at least 1ms", rediscf.ErrConfig, o.VerifyWithin)
	}
	return o, nil
}

// Push makes the server's key the filter f, which must not change meanwhile.
//
// A key that is there already is [rediscf.ErrExists] unless o.Overwrite; Push checks that first. The rename
// at the end checks it again, so no key that was made meanwhile is lost. The filter is loaded in chunks,
// under a temporary key in the key's slot. If CF.INFO of that key does not say what [rediscf.Filter.Info]
// says, the error is [ErrDiffers]. Then the key is renamed. A filter without items has no dump: it is made
// with CF.RESERVE, or the error is [ErrEmpty].
//
// When anything fails, a context that ends included, the key is as it was, and the temporary key is deleted,
// with a few seconds of its own. Where that fails too the error is [ErrLeftover] as well, and the server
// drops the temporary key after o.Expire, with two exceptions: when the connection fails between the header and
// the PEXPIRE behind it, which are one write, and between the PERSIST and the rename that follows its reply. If
// it fails between the rename and its reply, the error is [ErrUncertain] as well.
//
// Before RedisBloom's fix of June 2026 (MOD-16050) a server does not send the chunks to its replicas and
// its append-only file, and CF.INFO does not show that: the filter is empty after a failover. o.Warn
// detects that by the module's version, o.Verify asks a replica.
//
// It sends 8 commands, one for each chunk and one for each InFlight bytes, and copies no tables.
func Push(ctx context.Context, conn Conn, key string, f *rediscf.Filter, o PushOptions) error {
	p, err := newPush(conn, key, f, o)
	if err == nil {
		err = p.stage(ctx)
	}
	if err == nil {
		err = p.commit(ctx)
	}
	return p.explain(err)
}

// push is one filter on its way.
type push struct {
	conn      Conn
	key, temp string
	filter    *rediscf.Filter
	info      rediscf.Info
	options   PushOptions
	sent      int64
	refused   bool // the server said that it did not make the temporary key
	expiring  bool // the server said that the temporary key expires, and was told nothing else since
}

// newPush checks all that can be checked without a server.
func newPush(conn Conn, key string, f *rediscf.Filter, o PushOptions) (*push, error) {
	p := &push{conn: conn, key: key, temp: temporaryKey(key), filter: f, info: f.Info()}
	var err error
	if p.options, err = o.withDefaults(); err != nil {
		return p, err
	}
	if p.info.Items == 0 && !p.reservable() {
		return p, fmt.Errorf("%w: no items, %d sub-filters, %d deletes, %d buckets", ErrEmpty, p.info.Filters, p.info.Deletes, p.info.Buckets)
	}
	return p, nil
}

// explain puts the key into an error.
func (p *push) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("wire: push to key %q: %w", p.key, err)
}

// total is the number of bytes of the tables.
func (p *push) total() int64 { return tableBytes(p.info) }

// reservable tells whether CF.RESERVE makes a filter like this one, which is empty. The least capacity, two
// buckets, is the least number of buckets too.
func (p *push) reservable() bool {
	return p.info.Filters == 1 && p.info.Deletes == 0 && p.info.Buckets >= 2 && p.total() <= rediscf.MaxCapacity
}

// stage loads the filter under its temporary key. If it fails, that is deleted.
//
// It asks for the key even if that is to be overwritten: from a server that is not there nothing is to be
// deleted.
func (p *push) stage(ctx context.Context) error {
	there, err := p.conn.exists(ctx, p.key)
	if err != nil {
		return err
	}
	if there && !p.options.Overwrite {
		return rediscf.ErrExists
	}
	if p.options.Warn != nil {
		warnOfModule(ctx, p.conn, p.options.Warn)
	}
	if err := p.load(ctx); err != nil {
		_, err = p.discard(context.WithoutCancel(ctx), err)
		return err
	}
	return nil
}

// load makes the temporary key, compares and verifies.
func (p *push) load(ctx context.Context) error {
	if err := p.create(ctx); err != nil {
		return err
	}
	if err := p.fill(ctx); err != nil {
		return err
	}
	server, err := info(ctx, p.conn, p.temp)
	if err != nil {
		return err
	}
	if text := unlike(server, p.info); text != "" {
		return fmt.Errorf("%w: %s", ErrDiffers, text)
	}
	return p.verify(ctx)
}

// create makes the temporary key with empty tables, and lets it expire.
func (p *push) create(ctx context.Context) error {
	i := p.info
	first := command("CF.RESERVE", p.temp, p.total(), "BUCKETSIZE", int64(i.BucketSize),
		"MAXITERATIONS", int64(i.MaxIterations), "EXPANSION", int64(i.Expansion))
	if i.Items > 0 {
		position, header, err := p.filter.ScanDump(0)
		if err != nil {
			return err
		}
		first = command("CF.LOADCHUNK", p.temp, position, header)
	}
	replies, err := p.conn.do(ctx, first, p.expire())
	if err != nil {
		r, ok := errors.AsType[*refusal](err)
		p.refused = ok && r.at == 0
		return err
	}
	if err := asOK(first[0], replies[0]); err != nil {
		return err
	}
	err = p.expires(replies[1])
	p.expiring = err == nil
	return err
}

// expire is the command that puts off the end of the temporary key.
func (p *push) expire() []any {
	return command("PEXPIRE", p.temp, p.options.Expire.Milliseconds())
}

// expires checks its reply.
func (p *push) expires(reply any) error {
	n, err := asInteger("PEXPIRE", reply)
	if err == nil && n != 1 {
		err = fmt.Errorf("PEXPIRE: %w: the temporary key %q is gone", rediscf.ErrNotFound, p.temp)
	}
	return err
}

// fill loads the tables, InFlight bytes at a time.
func (p *push) fill(ctx context.Context) error {
	var batch [][]any
	bytes := 0
	for position, piece := range pieces(p.filter, p.options.Chunk) {
		if bytes+len(piece) > p.options.InFlight {
			if err := p.send(ctx, batch, bytes); err != nil {
				return err
			}
			batch, bytes = batch[:0], 0
		}
		if len(batch) == 0 {
			batch = append(batch, p.expire())
		}
		batch = append(batch, command("CF.LOADCHUNK", p.temp, position, piece))
		bytes += len(piece)
	}
	if len(batch) == 0 {
		return nil
	}
	return p.send(ctx, batch, bytes)
}

// send sends one batch: a PEXPIRE and the chunks.
func (p *push) send(ctx context.Context, batch [][]any, bytes int) error {
	replies, err := p.conn.do(ctx, batch...)
	if err != nil {
		return err
	}
	if err := p.expires(replies[0]); err != nil {
		return err
	}
	for k, reply := range replies[1:] {
		if err := asOK(batch[k+1][0], reply); err != nil {
			return err
		}
	}
	p.sent += int64(bytes)
	if p.options.Progress != nil {
		p.options.Progress(p.sent, p.total())
	}
	return nil
}

// commit renames the temporary key. If it fails, that is deleted.
func (p *push) commit(ctx context.Context) error {
	unsure, err := p.rename(ctx)
	if err == nil {
		return nil
	}
	found, err := p.discard(context.WithoutCancel(ctx), err)
	if unsure && !found {
		err = fmt.Errorf("%w; %w", err, ErrUncertain)
	}
	return err
}

// rename makes the temporary key last and then the key, and tells whether it may have done that in spite of
// an error.
//
// The PERSIST is before the rename, because a filter under its own key must not expire; and its reply is
// awaited, because a server that refuses it (NOPERM) would still rename.
func (p *push) rename(ctx context.Context) (unsure bool, err error) {
	p.expiring = false
	n, err := p.conn.integer(ctx, "PERSIST", p.temp)
	switch {
	case err != nil:
		return false, err
	case n != 1:
		return false, fmt.Errorf("PERSIST: %w: the temporary key %q is gone", rediscf.ErrNotFound, p.temp)
	}
	name := "RENAMENX"
	if p.options.Overwrite {
		name = "RENAME"
	}
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	replies, err := p.conn.do(ctx, command(name, p.temp, p.key))
	if err == nil {
		err = p.renamed(name, replies[0])
	}
	return err != nil && !errors.Is(err, rediscf.ErrExists), err
}

// renamed checks the reply of a rename.
func (p *push) renamed(rename string, reply any) error {
	if p.options.Overwrite {
		return asOK(rename, reply)
	}
	n, err := asInteger(rename, reply)
	if err == nil && n != 1 {
		err = fmt.Errorf("%s: %w: another made it meanwhile", rename, rediscf.ErrExists)
	}
	return err
}

// discard deletes the temporary key after cause, which may be nil, and tells whether there was one. The error
// it returns is cause, with more if the key may be left.
//
// A server that refuses the DEL, as a replica does and one whose access list does not permit it, has probably
// refused to make the key too; it is asked.
func (p *push) discard(ctx context.Context, cause error) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTime)
	defer cancel()
	n, err := p.conn.integer(ctx, "DEL", p.temp)
	if err == nil {
		return n != 0, cause
	}
	found, unknown := p.conn.exists(ctx, p.temp)
	if !found && (unknown == nil || p.refused) {
		return false, cause
	}
	until := "may not expire"
	if p.expiring {
		until = fmt.Sprintf("expires within %v", p.options.Expire)
	}
	err = fmt.Errorf("%w: %q, which %s: %w", ErrLeftover, p.temp, until, err)
	if cause != nil {
		err = fmt.Errorf("%w; %w", cause, err)
	}
	return found, err
}
