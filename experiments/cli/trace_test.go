package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTrace_DefaultShowsAPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 { // the second time replaces the file
		stdout, _ := says(t, exitOK, "", "", "trace", "--force", "-o", "path.svg")
		has(t, stdout, "cuckoo.Filter[Any]{buckets=8 f=12 b=2 ", "   kick 2       ", "   fingerprint  ")
	}
	picture := readAll(t, "path.svg")
	if !strings.HasPrefix(picture, "<svg ") || !strings.HasSuffix(picture, "</svg>\n") {
		t.Errorf("%q", picture)
	}
	if info, err := os.Stat("path.svg"); err != nil || info.Mode().Perm() != 0o644 || content(t, ".") != "path.svg" {
		t.Errorf("%v, %v, %s", info, err, content(t, "."))
	}
	if err := os.Symlink("path.svg", "link.svg"); err != nil {
		t.Skip(err)
	}
	says(t, exitOK, "", "", "trace", "--force", "-o", "link.svg", "other")
	if readAll(t, "path.svg") == picture {
		t.Error("the link's target is the old one")
	}
}

// Keys come from the arguments and then from the file; repeated arguments count.
func TestTrace_KeysAndRefusals(t *testing.T) {
	status, stdout, stderr := execute(t, "\xffbinary\r\n\n<b>", "trace", "--buckets", "1", "--b", "2", "--keys", "-", "twice", "twice", "")
	has(t, stdout, "1. insert \"twice\"", "2. insert \"twice\"", "3. insert \"\"\n", `4. insert "\xffbinary"`,
		"5. insert \"<b>\"", "nothing changed")
	if status != exitOK || strings.Count(stdout, "refused") != 3 {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	status, stdout, _ = execute(t, numberedLines(16), "trace", "--keys", "-")
	if has(t, stdout, "16. insert \"line 16\""); status != exitOK {
		t.Errorf("status %d", status)
	}
}

// numberedLines returns the lines 1 to n.
func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}
