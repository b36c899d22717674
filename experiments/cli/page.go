package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/page/site"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

func newPageCommand() *cobra.Command {
	var out output
	var address string
	cmd := &cobra.Command{
		Use:   "page {--out DIR | --serve[=ADDR]}",
		Short: "Make a page that shows a cuckoo filter at work",
		Long: `page makes a page for lessons and talks, on which the filter itself runs: see both buckets of a key and
each kick of a cuckoo path, fill a table until it refuses a key, and find a false positive. docs/COMMANDS.md has more.

--serve serves it until it is interrupted, and prints the address. It answers requests to this address, to localhost,
and to the name of ADDR, with the port, and no others. --out writes three files, which most browsers open from a disk.

The page is compiled by the go command: run it in a clone, or in a module that requires nest; elsewhere it fetches the
source of its own version.`,
		Example: `  # Look at it now
  nest page --serve
  # Keep it for a lesson
  nest page --out lesson`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var listener net.Listener
			if dir := out.name; dir != "" {
				entries, err := os.ReadDir(dir)
				switch {
				case err == nil && len(entries) > 0 && !out.force:
					return fmt.Errorf("--out: %s is not empty; --force replaces the page in it", dir)
				case err != nil && !errors.Is(err, os.ErrNotExist):
					return fmt.Errorf("--out: %w", err)
				}
			} else {
				var err error
				if listener, err = new(net.ListenConfig).Listen(cmd.Context(), "tcp", address); err != nil {
					return fmt.Errorf("--serve: %w", err)
				}
				defer listener.Close()
			}
			say(cmd, "The filter is being compiled for browsers, which takes half a minute the first time.")
			built, err := site.Build(cmd.Context(), report.ThisModule().Version)
			if err != nil {
				return err
			}
			size := fmt.Sprintf("The filter is %s of WebAssembly, %s compressed.",
				claims.Bytes(built.Wasm), claims.Bytes(built.Compressed))
			if listener != nil {
				fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", listener.Addr())
				say(cmd, "%s The page is served there until this command is interrupted.", size)
				return serve(cmd.Context(), listener, site.Own(built, address, listener.Addr().String()))
			}
			if err := os.MkdirAll(out.name, 0o755); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			if err := built.Write(out.name); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nOpen %s/index.html in a browser.\n", size, out.name)
			return err
		},
	}
	out.flags(cmd, "a folder")
	cmd.Flags().StringVar(&address, "serve", "", "address to serve the page on")
	cmd.Flags().Lookup("serve").NoOptDefVal = "127.0.0.1:0"
	cmd.MarkFlagsMutuallyExclusive("out", "serve")
	cmd.MarkFlagsOneRequired("out", "serve")
	return cmd
}

// serve answers requests until the context ends.
func serve(ctx context.Context, listener net.Listener, page http.Handler) error {
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("--serve: %w", err)
	}
	return nil
}
