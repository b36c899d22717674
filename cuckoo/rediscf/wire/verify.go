package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

const (
	// verifyKeys is how many keys a verification asks for, less where the filter has fewer items, more where it has
	// more chunks: one key of each. It is also the most that are asked for at once.
	verifyKeys = 1000
	// verifyPause is how long a verification waits before it asks again, at first; then twice that, up to verifyMost.
	verifyPause = 5 * time.Millisecond
	verifyMost  = 500 * time.Millisecond
)

// errVerifyTime ends the context of a verification.
var errVerifyTime = errors.New("the time for it is over")

// verify asks the connection Verify for sample keys of the temporary key, until it has counted all of them as often
// as the filter here does. There is no WAIT in it: that is about the connection that sent the chunks, which is one
// of a client's several, or of a cluster's, and cannot tell that what was awaited was never sent to a replica.
func (p *push) verify(ctx context.Context) error {
	if p.options.Verify == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.VerifyWithin, errVerifyTime)
	defer cancel()
	pause := verifyPause
	for hs := sampleDigests(p.filter, p.options.Chunk); len(hs) > 0; {
		batch := hs[:min(verifyKeys, len(hs))]
		failed := p.compare(ctx, batch)
		if failed == nil {
			hs = hs[len(batch):]
			continue
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, verifyMost)
		case <-ctx.Done():
			if cause := context.Cause(ctx); !errors.Is(cause, errVerifyTime) {
				return cause
			}
			return fmt.Errorf("%w after %v: %w", ErrNotReplicated, p.options.VerifyWithin, failed)
		}
	}
	return nil
}

// compare returns an error unless keys of all digests are counted as often as here.
func (p *push) compare(ctx context.Context, hs []uint64) error {
	commands := make([][]any, len(hs))
	for k, h := range hs {
		commands[k] = command("CF.COUNT", p.temp, keyOf(h))
	}
	replies, err := p.options.Verify.do(ctx, commands...)
	if err != nil {
		return err
	}
	missing := 0
	for k, h := range hs {
		n, err := asInteger("CF.COUNT", replies[k])
		if err != nil {
			return err
		}
		if n != int64(p.filter.CountHash(h)) {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d sample keys are not counted as here", missing, len(hs))
	}
	return nil
}

// sampleDigests returns digests of keys that f has: for each chunk of at most size bytes of a dump that has any, one
// or more, each with a fingerprint of it. A server that did not get that chunk counts such a key less often than f.
func sampleDigests(f *rediscf.Filter, size int) []uint64 {
	info := f.Info()
	chunks := 0
	for range pieces(f, size) {
		chunks++
	}
	each := 1 + verifyKeys/max(chunks, 1)
	ends := borders(info)
	var hs []uint64
	sub, start, buckets := 0, int64(rediscf.HeaderPosition), info.Buckets
	for position, piece := range pieces(f, size) {
		for position > ends[sub] {
			start, buckets = ends[sub], buckets*uint64(info.Expansion)
			sub++
		}
		begin := position - int64(len(piece)) - start // in the sub-filter
		next := 0
		for k := range each {
			at := max(next, len(piece)*k/each)
			for at < len(piece) && piece[at] == 0 {
				at++
			}
			if next = at + 1; at < len(piece) {
				hs = append(hs, digestOf(uint64(piece[at]), uint64(begin+int64(at))/uint64(info.BucketSize), buckets))
			}
		}
	}
	return hs
}

// digestOf returns a digest with a fingerprint and a primary bucket in a sub-filter of some number of buckets, a
// power of two. The fingerprint is the digest modulo 255 and 1, the bucket the digest modulo that number.
func digestOf(fp, bucket, buckets uint64) uint64 {
	// 256 is 1 modulo 255, so the inverse of 2^k is 2^(-k mod 8).
	inverse := uint64(1)
	for n := buckets; n > 1; n /= 2 {
		inverse = inverse * 128 % 255
	}
	return bucket + buckets*((fp+254+255-bucket%255)%255*inverse%255)
}

// keyOf returns the key of 8 bytes that has a digest: MurmurHash64A of 8 bytes is a bijection (Appleby, MurmurHash2).
func keyOf(h uint64) []byte {
	const (
		m       = 0xc6a4a7935bd1e995
		inverse = 0x5f7a0ea7e59b19bd // of m modulo 2^64
		shift   = 47
	)
	h ^= h >> shift
	h *= inverse
	h ^= h >> shift
	h = h*inverse ^ 8*m&(1<<64-1)
	h *= inverse
	h ^= h >> shift
	h *= inverse
	return binary.LittleEndian.AppendUint64(nil, h)
}
