package cli

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/tabular"
)

func init() {
	cobra.AddTemplateFuncs(template.FuncMap{
		"reflow": reflow,
		"flags":  func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(tabular.TextWidth) },
		"item": func(cmd *cobra.Command) string {
			return tabular.Wrap(fmt.Sprintf("  %-*s ", cmd.NamePadding(), cmd.Name()), cmd.Short, tabular.TextWidth)
		},
	})
}

// fitHelp makes the root command and all below it print help and usage in lines of [tabular.TextWidth].
func fitHelp(root *cobra.Command) {
	standard := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		standard(cmd, args)
		cmd.SetOut(out)
		_, _ = text.WriteTo(out) // runCommand says what is wrong with its output; standard would print the error too
	})
	root.SetHelpTemplate("{{reflow (or .Long .Short)}}\n{{.UsageString}}")
	root.SetUsageTemplate(`Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{if .HasAvailableSubCommands}}
Available Commands:
{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}{{item .}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{flags .LocalFlags}}{{end}}{{if .HasAvailableInheritedFlags}}
Global Flags:
{{flags .InheritedFlags}}{{end}}{{if .HasAvailableSubCommands}}
{{print "Use \"" .CommandPath " [command] --help\" for more information about a command." | reflow}}{{end}}`)
}

// reflow fills the lines of each paragraph. Lines that begin with a space or a tab are left as they are.
func reflow(text string) string {
	var b strings.Builder
	paragraph := ""
	end := func() {
		if paragraph != "" {
			b.WriteString(tabular.Wrap("", paragraph, tabular.TextWidth))
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" || strings.ContainsAny(line[:1], " \t") {
			end()
			b.WriteString(line + "\n")
			continue
		}
		if paragraph != "" {
			paragraph += " "
		}
		paragraph += line
	}
	end()
	return b.String()
}

// checkTopics makes the commands help and completion, which cobra adds, refuse what they do not know: as they come they
// print something and succeed. It is for a root command whose output is set, which the scripts of completion go to.
func checkTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.RunE = func(_ *cobra.Command, topic []string) error { return help(root, topic) }
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() } // so that its Args are checked
		}
	}
}

// help prints the help of the command with that path, such as redis push.
func help(root *cobra.Command, topic []string) error {
	cmd, rest, err := root.Find(topic)
	if err != nil {
		cmd, rest = root, topic
	}
	if len(rest) > 0 {
		hint := "nest help lists the commands"
		if near := cmd.SuggestionsFor(rest[0]); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("help: unknown command %q for %q: %s", rest[0], cmd.CommandPath(), hint)
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version of nest this is, and what it was built with",
		Long: `version prints what the build recorded: version and revision of the module, and the version of Go. Where these do not
determine the code, it prints a checksum of the program. The manifest.json of a report has the same.`,
		Example: `  nest version`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText(report.ThisModule()))
			return err
		},
	}
}

func versionText(m report.Module) string {
	revision := m.Revision
	if m.Modified {
		revision += ", modified"
	}
	var b strings.Builder
	for _, line := range [][2]string{
		{"module", m.Path}, {"version", m.Version}, {"revision", revision}, {"program", m.Program},
		{"go", runtime.Version()}, {"platform", runtime.GOOS + "/" + runtime.GOARCH},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-10s%s\n", line[0], line[1])
		}
	}
	return b.String()
}
