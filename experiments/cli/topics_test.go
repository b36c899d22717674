package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestTopics_UnknownOnesAreErrors(t *testing.T) {
	for line, want := range map[string]string{
		"help nope":            `nest: help: unknown command "nope" for "nest"`,
		"help size nope":       `nest: help: unknown command "nope" for "nest size"`,
		"help redis nope":      `unknown command "nope" for "nest redis"`,
		"help completion nope": `unknown command "nope" for "nest completion"`,
		"completion nope":      `nest: unknown command "nope" for "nest completion"`,
		"completion bash nope": `nest: unknown command "nope" for "nest completion bash"`,
		"redis nope":           `nest: unknown command "nope" for "nest redis"`,
		"nope":                 `nest: unknown command "nope" for "nest"`,
	} {
		var stdout, stderr bytes.Buffer
		status := mainOf(strings.Fields(line), &stdout, &stderr)
		if status != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("nest %s: status %d, output %q, error %q, want %q", line, status, &stdout, &stderr, want)
		}
	}
}

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
