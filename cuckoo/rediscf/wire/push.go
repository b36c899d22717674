package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// PushOptions say how filters are pushed. Zero fields are defaults.
type PushOptions struct {
	_ struct{}

	// Overwrite replaces what the key has, whatever it is, at the moment of the rename. Until then the server has both.
	Overwrite bool
	// Chunk is the most bytes of one CF.LOADCHUNK, 1 to 16 MiB. The default is 1 MiB. A smaller one keeps
	// the server's other clients waiting for less.
	Chunk int
	// InFlight is the most bytes that are sent before their replies are awaited, at least Chunk. The default
	// is 16 MiB. The context is checked before each such group.
	InFlight int
	// Expire is the time after which the server drops the temporary key when it hears no more of this push, at least a
	// second. The default is an hour. It has to be longer than InFlight bytes take, and than the whole of [PushShards].
	Expire time.Duration
	// Verify, if not nil, is a connection that reads from a replica of the server, which is asked before the rename
	// whether it has what was loaded: it must count some 1000 sample keys, computed from the fingerprints, as often as
	// the filter does, of each chunk at least one. Push asks again until it does, for VerifyWithin at most. Then the
	// error is [ErrNotReplicated].
	Verify Conn
	// VerifyWithin is how long Verify may take, at least a millisecond. The default is 10 s.
	VerifyWithin time.Duration
	// Warn, if not nil, is called with [ErrReplication] when replicas and the append-only file may lack what was
	// loaded: the server's module is not known to send it, and the EVAL that would send it failed. That does not
	// end the push.
	Warn func(error)
	// Parallel is how many shards [PushShards] has on their way at once, at least 1, each with InFlight bytes. The
	// default is 4.
	Parallel int
}

// cleanupTime is how long a push that failed tries to delete its temporary key.
const cleanupTime = 5 * time.Second

// withDefaults returns o with every zero field set to what it stands for, or what is wrong with it.
func (o PushOptions) withDefaults() (PushOptions, error) {
	o.Chunk = cmp.Or(o.Chunk, 1<<20)
	o.InFlight = cmp.Or(o.InFlight, max(16<<20, o.Chunk))
	o.Expire = cmp.Or(o.Expire, time.Hour)
	o.VerifyWithin = cmp.Or(o.VerifyWithin, 10*time.Second)
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
// A key that is there already is [rediscf.ErrExists] unless o.Overwrite; Push checks that first. The rename at the end
// checks it again, so no key that was made meanwhile is lost. The filter is loaded in chunks, under a temporary key in
// the key's slot. If CF.INFO of that key does not say what [rediscf.Filter.Info] says, the error is [ErrDiffers]. Then
// the key is renamed. A filter without items has no dump: it is made with CF.RESERVE, or the error is [ErrEmpty].
//
// When anything fails, a context that ends included, the key is as it was, and the temporary key is deleted,
// with a few seconds of its own. Where that fails too the error is [ErrLeftover] as well, and the server
// drops the temporary key after o.Expire, with two exceptions: when the connection fails between the header and
// the PEXPIRE after it, which are one write, and between the PERSIST and the rename that follows its reply. If
// it fails between the rename and its reply, the error is [ErrUncertain] as well.
//
// A module that is not known to send loaded chunks to replicas and to the append-only file, by its version, is told
// to send the whole filter, with an EVAL. For that the server makes a dump of it, and serves no other client meanwhile.
//
// It sends 8 commands and that EVAL, one for each chunk and one for each InFlight bytes, and copies no tables.
func Push(ctx context.Context, conn Conn, key string, f *rediscf.Filter, o PushOptions) (err error) {
	defer explain(&err, "push to key %q", key)
	p, err := stage(ctx, conn, key, f, o)
	if err != nil {
		return err
	}
	return p.commit(ctx)
}

// push is one filter on its way.
type push struct {
	Conn
	key, temp string
	filter    *rediscf.Filter
	options   PushOptions
	refused   bool // the server said that it did not make the temporary key
	expiring  bool // the server said that the temporary key expires, and was told nothing else since
}

// stage loads a filter under a temporary key. If that fails, the temporary key is deleted.
//
// It asks for the key even if that is to be overwritten: from a server that is not there nothing is to be deleted.
func stage(ctx context.Context, conn Conn, key string, f *rediscf.Filter, o PushOptions) (*push, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	i := f.Info() // CF.RESERVE makes a filter of at least two buckets
	if i.Items == 0 && (i.Filters != 1 || i.Deletes != 0 || i.Buckets < 2 || tableBytes(i) > rediscf.MaxCapacity) {
		return nil, fmt.Errorf("%w: no items, %d sub-filters, %d deletes, %d buckets",
			ErrEmpty, i.Filters, i.Deletes, i.Buckets)
	}
	there, err := conn.exists(ctx, key)
	if err == nil && there && !o.Overwrite {
		err = rediscf.ErrExists
	}
	if err != nil {
		return nil, err
	}
	p := &push{Conn: conn, key: key, temp: temporaryKey(key), filter: f, options: o}
	if err := p.load(ctx); err != nil {
		_, err = p.discard(context.WithoutCancel(ctx), err)
		return nil, err
	}
	return p, nil
}

// load makes the temporary key, compares and verifies.
func (p *push) load(ctx context.Context) error {
	if err := p.create(ctx); err != nil {
		return err
	}
	if err := p.fill(ctx); err != nil {
		return err
	}
	p.resend(ctx)
	server, err := p.info(ctx, p.temp)
	if err != nil {
		return err
	}
	if ours := p.filter.Info(); server != ours {
		return fmt.Errorf("%w: %s", ErrDiffers, differ(server, ours))
	}
	return p.verify(ctx)
}

// create makes the temporary key with empty tables, and lets it expire.
func (p *push) create(ctx context.Context) error {
	position, header, err := p.filter.ScanDump(0)
	if err != nil {
		return err
	}
	first := command("CF.LOADCHUNK", p.temp, position, header)
	if i := p.filter.Info(); i.Items == 0 {
		first = command("CF.RESERVE", p.temp, tableBytes(i), "BUCKETSIZE", int64(i.BucketSize),
			"MAXITERATIONS", int64(i.MaxIterations), "EXPANSION", int64(i.Expansion))
	}
	_, err = p.do(ctx, first, command("PEXPIRE", p.temp, p.options.Expire.Milliseconds()))
	r, ok := errors.AsType[*refusal](err)
	p.refused, p.expiring = ok && r.at == 0, err == nil
	return err
}

// fill loads the tables, InFlight bytes at a time.
func (p *push) fill(ctx context.Context) error {
	var batch [][]any
	bytes := 0
	for position, piece := range pieces(p.filter, p.options.Chunk) {
		if bytes+len(piece) > p.options.InFlight {
			if _, err := p.do(ctx, batch...); err != nil {
				return err
			}
			batch, bytes = batch[:0], 0
		}
		if len(batch) == 0 {
			batch = append(batch, command("PEXPIRE", p.temp, p.options.Expire.Milliseconds()))
		}
		batch = append(batch, command("CF.LOADCHUNK", p.temp, position, piece))
		bytes += len(piece)
	}
	_, err := p.do(ctx, batch...)
	return err
}

// resendScript replaces a filter by itself. RESTORE goes to replicas and to the append-only file with all its bytes.
// It keeps the time to live, so it does no harm if the server executes it late.
const resendScript = "return redis.call('RESTORE', KEYS[1], math.max(0, redis.call('PTTL', KEYS[1])), " +
	"redis.call('DUMP', KEYS[1]), 'REPLACE')"

// resend sends the filter to replicas and to the append-only file where loading it may not have done that, or warns.
func (p *push) resend(ctx context.Context) {
	if p.filter.Len() == 0 { // CF.RESERVE is sent to them
		return
	}
	doubt := p.moduleDoubt(ctx)
	if doubt == nil {
		return
	}
	_, err := p.one(ctx, "EVAL", resendScript, int64(1), p.temp)
	if err != nil && ctx.Err() == nil && p.options.Warn != nil {
		p.options.Warn(fmt.Errorf("%w: %w, and it could not be told to: %w; after the push run on the master: "+
			"redis-cli EVAL \"%s\" 1 '%s'", ErrReplication, doubt, err, resendScript, p.key))
	}
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

// rename makes the temporary key last and then the key, and tells whether it may have done that in spite of an error.
//
// The PERSIST is before the rename, because a filter under its own key must not expire; and its reply is
// awaited, because a server that refuses it (NOPERM) would still rename.
func (p *push) rename(ctx context.Context) (unsure bool, err error) {
	p.expiring = false
	if _, err = p.one(ctx, "PERSIST", p.temp); err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return false, err
	}
	if p.options.Overwrite {
		_, err = p.one(ctx, "RENAME", p.temp, p.key)
		return err != nil, err
	}
	n, err := p.integer(ctx, "RENAMENX", p.temp, p.key)
	if err == nil && n != 1 {
		return false, fmt.Errorf("RENAMENX: %w: another made it meanwhile", rediscf.ErrExists)
	}
	return err != nil, err
}

// discard deletes the temporary key after cause, which may be nil, and tells whether there was one. The error
// it returns is cause, with more if the key may be left.
//
// A server that refuses the DEL, as a replica does and one whose access list does not permit it, has probably
// refused to make the key too; it is asked.
func (p *push) discard(ctx context.Context, cause error) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTime)
	defer cancel()
	n, err := p.integer(ctx, "DEL", p.temp)
	if err == nil {
		return n != 0, cause
	}
	found, unknown := p.exists(ctx, p.temp)
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
