package bench

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// callees are the calls that a verb may make in a consumer's machine code: the slow paths. Anything
// else on the list of calls means that a function meant to be inlined is not.
var callees = map[string][]string{
	"ContainsHash":     {"(*Table).HasEither"},
	"Contains":         {".ContainsHash", "(*Digester).sum"}, // not that of 16 bytes
	"InsertHash":       {"(*Engine).Kick", "(*Engine).Insert"},
	"DeleteHash":       {"(*Table).Replace"},
	"CountHash":        {"(*Table).Count"},
	"ContainsHashes":   {".ContainsHash", "(*Engine).Contains", "runtime.panic"},
	"InsertUniqueHash": {".ContainsHash", ".InsertHash"},
}

// framePattern finds a call, that of the stack's growth too, and what uses a frame.
var (
	callPattern  = regexp.MustCompile(`\bCALL (\S+)\(SB\)`)
	framePattern = regexp.MustCompile(`(.*\b(?:CALL|SP|RSP)\b.*)`)
)

// TestInlining_InAConsumer builds a program outside the filter's package and holds the verbs in it
// to call nothing but their slow paths. A function of a third package is inlined into a generic
// verb that a consumer instantiates only if the filter's own package inlines it somewhere in code
// that is not generic; losing that costs half of a lookup's speed and shows nowhere else.
func TestInlining_InAConsumer(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the inliner's budget is spent differently where 64-bit arithmetic takes calls")
	}
	program := filepath.Join(t.TempDir(), "consumer")
	run(t, "go", "build", "-o", program, "./testdata/consumer")
	// check looks for what is not permitted in the code of functions, whose name is a regular expression.
	check := func(function string, pattern *regexp.Regexp, allowed []string) {
		code := run(t, "go", "tool", "objdump", "-s", function+"$", program)
		if !strings.Contains(code, "TEXT") {
			t.Errorf("%s: not in the program", function)
		}
		for _, found := range pattern.FindAllStringSubmatch(code, -1) {
			if !permitted(found[1], allowed) {
				t.Errorf("%s has %s, which should not be there", function, found[1])
			}
		}
	}
	for verb, allowed := range callees {
		check(`cuckoo\.\(\*(?:Filter|reader)\[.*\)\.`+verb, callPattern, allowed)
	}
	check(`main\.mixed`, callPattern, nil) // hashing.Mix
	check(`cuckoo\.\(\*(?:Filter|reader)\[go\.shape\.\[12\].*\)\.ContainsHash`, framePattern, nil)
}

// permitted tells whether a call goes to the runtime's stack growth or to one of the slow paths.
func permitted(callee string, allowed []string) bool {
	return strings.HasPrefix(callee, "runtime.morestack") ||
		slices.ContainsFunc(allowed, func(a string) bool { return strings.Contains(callee, a) })
}

// The check can fail.
func TestPermitted_Refuses(t *testing.T) {
	const leaf = "github.com/nestfilter/nest/internal/le.Load64"
	got := callPattern.FindStringSubmatch("  verbs.go:28 0x4ad e86b CALL " + leaf + "(SB)")
	if permitted(leaf, callees["ContainsHash"]) || got == nil || got[1] != leaf {
		t.Errorf("a call to a leaf passes, or is read as %q", got)
	}
}

// profiledBudget is the cost up to which the compiler inlines a function that a profile of the program shows to be hot.
const profiledBudget = 2000

var costPattern = regexp.MustCompile(`cuckoo\.\(\*(?:Filter|reader)\[go\.shape\..*\]\)\.ContainsHash: ` +
	`function too complex: cost (\d+)`)

// TestInlining_ByAProfile holds the lookup to be one that a program which is built with a profile inlines.
func TestInlining_ByAProfile(t *testing.T) {
	// The cache of builds keeps what the compiler says.
	said := run(t, "go", "build", "-o", filepath.Join(t.TempDir(), "consumer"), "-gcflags=-m=2", "./testdata/consumer")
	costs := costPattern.FindAllStringSubmatch(said, -1)
	if len(costs) == 0 {
		t.Fatal("the compiler does not say what a lookup costs to inline")
	}
	for _, c := range costs {
		if cost, err := strconv.Atoi(c[1]); err != nil || cost > profiledBudget {
			t.Errorf("%s: want at most %d", c[0], profiledBudget)
		}
	}
}

// run returns what a command prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
