package bench

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// callees are the calls that a verb may make in a consumer's machine code: the slow paths. Anything
// else on the list of calls means that a function meant to be inlined is not.
var callees = map[string][]string{
	"ContainsHash":     {"(*Table).HasEither"},
	"InsertHash":       {"(*Engine).Kick", "(*Engine).Insert"},
	"DeleteHash":       {"(*Table).Replace"},
	"CountHash":        {"(*Table).Count"},
	"ContainsHashes":   {".ContainsHash", "(*Engine).Contains", "runtime.panic"},
	"InsertUniqueHash": {".ContainsHash", ".InsertHash"},
}

var callPattern = regexp.MustCompile(`\bCALL (\S+)\(SB\)`)

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
	for verb, allowed := range callees {
		checkCalls(t, program, `cuckoo\.\(\*(?:Filter|reader)\[.*\)\.`+verb+"$", allowed)
	}
	checkCalls(t, program, `main\.mixed$`, nil) // hashing.Mix
	if code := disassemble(t, program, `cuckoo\.\(\*(?:Filter|reader)\[go\.shape\.\[12\].*\)\.ContainsHash$`); framePattern.MatchString(code) {
		t.Errorf("ContainsHash of 12 bits calls a function or has a frame:\n%s", framePattern.FindString(code))
	}
}

// profiledBudget is the cost up to which the compiler inlines a function that a profile of the program shows to be hot.
const profiledBudget = 2000

var costPattern = regexp.MustCompile(`cuckoo\.\(\*(?:Filter|reader)\[go\.shape\..*\]\)\.ContainsHash: function too complex: cost (\d+)`)

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

// framePattern finds a call, that of the stack's growth too, and what uses a frame.
var framePattern = regexp.MustCompile(`.*\b(CALL|SP|RSP)\b.*`)

// disassemble returns the machine code of a function of the program, whose name is a regular expression.
func disassemble(t *testing.T, program, function string) string {
	t.Helper()
	code := run(t, "go", "tool", "objdump", "-s", function, program)
	if !strings.Contains(code, "TEXT") {
		t.Errorf("%s: not in the program", function)
	}
	return code
}

// checkCalls holds a function of the program, whose name is a regular expression, to the calls that are allowed.
func checkCalls(t *testing.T, program, function string, allowed []string) {
	t.Helper()
	for _, call := range callPattern.FindAllStringSubmatch(disassemble(t, program, function), -1) {
		if !permitted(call[1], allowed) {
			t.Errorf("%s calls %s, which should be inlined", function, call[1])
		}
	}
}

// permitted tells whether a call goes to the runtime's stack growth or to one of the slow paths.
func permitted(callee string, allowed []string) bool {
	if strings.HasPrefix(callee, "runtime.morestack") {
		return true
	}
	for _, a := range allowed {
		if strings.Contains(callee, a) {
			return true
		}
	}
	return false
}

// TestPermitted_Refuses makes sure that the check can fail.
func TestPermitted_Refuses(t *testing.T) {
	const leaf = "github.com/nestfilter/nest/internal/le.Load64"
	if permitted(leaf, callees["ContainsHash"]) {
		t.Error("a call to a leaf passes")
	}
	if got := callPattern.FindStringSubmatch("  verbs.go:28 0x4ad e86b CALL " + leaf + "(SB)"); got == nil || got[1] != leaf {
		t.Errorf("a call is read as %q", got)
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
