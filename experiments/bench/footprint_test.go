package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// widthPattern finds the width for which a method of a cuckoo filter was compiled.
var widthPattern = regexp.MustCompile(`cuckoo\.\(\*(?:Filter|Scalable|View|ScalableView)\[go\.shape\.\[(\d+)\]struct`)

// TestFootprint_OfPackageNest holds what a program pays for importing package nest: 2 MB more than for a single cuckoo
// filter at most, and no cuckoo filter compiled but that of fingerprint.Any, whose length is 0. Kind window added .13
// MB. With a type for each width it was 4.4 MB and half a minute of compiling. crypto/rand, which draws keys for package nest, is 0.34 MB
// of it: a program with a single filter must not have that.
func TestFootprint_OfPackageNest(t *testing.T) {
	const most = 2_000_000
	one, front := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "front")
	run(t, "go", "build", "-o", one, "./testdata/consumer")
	run(t, "go", "build", "-o", front, "./testdata/front")
	if got := widthsIn(t, one); !slices.Equal(got, []string{"0", "12"}) {
		t.Errorf("the consumer has widths %q, want its own two", got)
	}
	if got := widthsIn(t, front); !slices.Equal(got, []string{"0"}) {
		t.Errorf("package nest compiles cuckoo filters of widths %q, want Any alone", got)
	}
	if regexp.MustCompile(`crypto/(rand|internal)`).MatchString(run(t, "go", "tool", "nm", one)) {
		t.Error("a program with a single filter has crypto/rand")
	}
	size := map[string]int64{}
	for _, program := range []string{one, front} {
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		size[program] = info.Size()
	}
	said := fmt.Sprintf("%d MB, one with a single cuckoo.Filter %d MB", (size[front]+5e5)/1e6, (size[one]+5e5)/1e6)
	data, err := os.ReadFile("../../doc.go")
	if runtime.GOOS+runtime.GOARCH == "linuxamd64" && (err != nil || !strings.Contains(string(data), said)) {
		t.Errorf("doc.go does not say %q (%v)", said, err)
	}
	if more := size[front] - size[one]; more > most {
		t.Errorf("a program with package nest has %d bytes more than one with a filter, want at most %d", more, most)
	}
}

// widthsIn returns the widths for which a program has methods of cuckoo filters.
func widthsIn(t *testing.T, program string) []string {
	found := map[string]bool{}
	for _, m := range widthPattern.FindAllStringSubmatch(run(t, "go", "tool", "nm", program), -1) {
		found[m[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}
