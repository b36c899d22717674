package cli

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
