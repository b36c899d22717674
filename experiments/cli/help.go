package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/tabular"
)

// fitHelp makes the root command and all below it print help and usage in lines of [tabular.TextWidth].
func fitHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		long := cmd.Long
		if long == "" {
			long = cmd.Short
		}
		fmt.Fprint(cmd.OutOrStdout(), reflow(long)+"\n"+usage(cmd))
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStderr(), usage(cmd))
		return err
	})
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

func usage(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		b.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " [command]\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nAvailable Commands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				b.WriteString(tabular.Wrap(fmt.Sprintf("  %-*s ", sub.NamePadding(), sub.Name()), sub.Short, tabular.TextWidth))
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(tabular.TextWidth))
	}
	if cmd.HasAvailableInheritedFlags() {
		b.WriteString("\nGlobal Flags:\n" + cmd.InheritedFlags().FlagUsagesWrapped(tabular.TextWidth))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + tabular.Wrap("", fmt.Sprintf("Use \"%s [command] --help\" for more information about a command.", cmd.CommandPath()), tabular.TextWidth))
	}
	return b.String()
}
