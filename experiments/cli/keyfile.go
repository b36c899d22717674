package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
	"github.com/spf13/cobra"
)

// A keyFile is the name of the file with the secret key of a filter, empty without one.
type keyFile string

func (k *keyFile) flag(cmd *cobra.Command, more string) {
	cmd.Flags().StringVar((*string)(k), "key-file", "",
		"file with the secret key of a filter under siphash: 16 bytes, or 32 hexadecimal digits"+more)
}

// read returns the hash of the key, nil without a name. The file must be another input than those given.
func (k keyFile) read(cmd *cobra.Command, inputs ...string) (h hashing.Hasher, err error) {
	switch {
	case k == "":
		return nil, nil
	case k == dash && slices.Contains(inputs, dash):
		return nil, errors.New("--key-file -: standard input is read already; name a file with the key")
	}
	err = readFile(cmd, string(k), func(r io.Reader, name string) error {
		key, err := files.ReadSecret(r)
		if err != nil {
			return fmt.Errorf("--key-file: %s: %w", name, err)
		}
		h = hashing.SipHash(key)
		return nil
	})
	return h, err
}

// draw makes the file with a key that it draws, for its owner alone, unless there is one. drawn is whether it did.
func (k keyFile) draw() (drawn bool, err error) {
	file, err := os.OpenFile(string(k), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		// On the disk before the filter is: one without the other is of no use.
		_, err = fmt.Fprintf(file, "%x\n", secret.SipHash().Key())
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}
	if err != nil {
		return false, fmt.Errorf("--key-file: %s: %w", k, files.Reason(err))
	}
	return true, nil
}

// parts returns the hashers, beside those with a recipe, that filters may have: a key, which may be nil, and none at
// all, since a query refuses digests in words of its own, and the other commands hash nothing.
func parts(key hashing.Hasher) []hashing.Hasher {
	known := []hashing.Hasher{hashing.DigestsOnly}
	if key != nil {
		known = append(known, key)
	}
	return known
}

// unlock says in plain words what is wrong where a filter was not opened because of its key.
func unlock(cmd *cobra.Command, name string, key hashing.Hasher, err error) error {
	what := "the filter is under a secret key; give it with --key-file"
	if key != nil {
		what = "the filter is under another secret key than that of --key-file"
	}
	if errors.Is(err, hashing.ErrNotRebuildable) && strings.Contains(err.Error(), "siphash:key-") {
		return about(cmd, name, errors.New(what))
	}
	return orDump(cmd, name, err)
}

// openFilter reads the filter in that file. An interrupt ends it although a pipe that nobody writes to blocks it.
func openFilter(cmd *cobra.Command, name string, key hashing.Hasher) (nest.Filter, error) {
	if err := checkFiles(cmd, name); err != nil {
		return nil, err
	}
	f, err := await(cmd.Context(), func() (nest.Filter, error) { return nest.OpenFile(name, parts(key)...) })
	return f, unlock(cmd, name, key, err)
}
