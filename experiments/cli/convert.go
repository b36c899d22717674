package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nestfilter/nest/experiments/files"
	"github.com/spf13/cobra"
)

type convertFlags struct {
	from, to files.Format
	keyFile  keyFile
	out      output
	offset   int64
}

func newConvertCommand() *cobra.Command {
	var flags convertFlags
	cmd := &cobra.Command{
		Use:   "convert FILTER --out FILE",
		Short: "Turn a filter into the bytes of another system, or from them",
		Long: `convert reads a filter in one format and writes it in another. nest is the format of nest filter and of
the Go packages, parquet that of a Parquet file, with its header or as a bitset. The others are named after the Go
modules that write them. docs/INTEROP.md has more.

A filter does not contain its keys, so it is converted only if it then answers every query as before: split-block
filters under xxh64 are those of Parquet files. Otherwise the error says why not. Converting a format into itself checks
the bytes. Formats other than nest do not have the number of keys. FILTER and --out can be -. For filters of Redis see
nest redis.

From a pipe or device at most 1 GiB is read of these formats.`,
		Example: `  # A filter for the writer of a Parquet file
  nest filter convert emails.nest -o emails.bloom --to parquet
  # One that is in a Parquet file
  nest filter convert table.parquet -o a.nest --from parquet --offset 1048576`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, within := args[0], cmd.Flags().Changed("offset")
			if within && flags.from != files.Parquet {
				return errors.New("--offset: it is for --from parquet, as other filters are files of their own")
			}
			err := cmp.Or(checkFiles(cmd, in), flags.out.check(cmd, in, string(flags.keyFile)))
			if err != nil {
				return err
			}
			var converted io.WriterTo
			if within {
				converted, err = convertWithin(cmd, in, flags.offset, flags.to)
			} else {
				converted, err = convertWhole(cmd, flags, in)
			}
			if err != nil {
				return err
			}
			return flags.out.save(cmd, converted)
		},
	}
	f := cmd.Flags()
	flags.out.fileFlags(cmd)
	format := func(f *files.Format) *value { return parsed(f, "string", "nest", files.ParseFormat) }
	choice(cmd, format(&flags.from), "from", "format of FILTER", files.Formats())
	choice(cmd, format(&flags.to), "to", "format of what is written", files.Formats())
	f.Int64Var(&flags.offset, "offset", 0,
		"byte of FILTER at which one of --from parquet begins: bloom_filter_offset in the file's metadata")
	flags.keyFile.flag(cmd, "")
	return cmd
}

func convertWhole(cmd *cobra.Command, flags convertFlags, in string) (w io.WriterTo, err error) {
	key, err := flags.keyFile.read(cmd, in)
	if err != nil {
		return nil, err
	}
	err = readFile(cmd, in, func(r io.Reader, name string) error {
		data, err := files.ReadBytes(r, flags.from, isRegular(cmd, in))
		if err != nil {
			return fmt.Errorf("convert: as %s: %w (in %s)", flags.from, err, name)
		}
		if w, err = files.Convert(data, flags.from, flags.to, parts(key)...); err != nil {
			return unlock(cmd, name, key, fmt.Errorf("%w (in %s)", err, name))
		}
		return nil
	})
	return w, err
}

func convertWithin(cmd *cobra.Command, in string, offset int64, to files.Format) (io.WriterTo, error) {
	if in == dash {
		return nil, errors.New("--offset: it needs a file to seek in, not standard input")
	}
	file, err := await(cmd.Context(), func() (*os.File, error) { return os.Open(in) }) // which blocks for a named pipe
	if err != nil {
		return nil, about(cmd, in, err)
	}
	defer file.Close()
	w, err := files.ConvertAt(file, offset, to)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, in)
	}
	return w, nil
}
