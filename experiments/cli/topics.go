package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

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
