package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestTopics_KnownOnesArePrinted(t *testing.T) {
	for line, want := range map[string]string{
		"":                         "Usage:\n  nest [command]",
		"help":                     "Usage:\n  nest [command]",
		"help help":                "Usage:\n  nest help [command]",
		"help size":                "Usage:\n  nest size",
		"help redis push":          "Usage:\n  nest redis push",
		"help completion bash":     "Usage:\n  nest completion bash",
		"completion":               "nest completion [command]",
		"completion bash":          "# bash completion V2 for nest",
		"__complete help redis pu": "pull",
		"__complete completion f":  "fish",
		"__complete size --n 3 -":  "--fpr",
	} {
		var stdout, stderr bytes.Buffer
		if status := mainOf(strings.Fields(line), &stdout, &stderr); status != exitOK || !strings.Contains(stdout.String(), want) {
			t.Errorf("nest %s: status %d, %s, output without %q:\n%s", line, status, &stderr, want, &stdout)
		}
	}
}
