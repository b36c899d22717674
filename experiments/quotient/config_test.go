package quotient

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

func TestNew_ReportsEveryProblem(t *testing.T) {
	for want, c := range map[string]Config{
		"QuotientBits is 0, RemainderBits is 62, MaxLoad is 1.5": {RemainderBits: 62, MaxLoad: 1.5},
		"QuotientBits is 41, RemainderBits is 0, MaxLoad is 0":   {QuotientBits: 41},
		"RemainderBits is 61": {QuotientBits: 4, RemainderBits: 61, MaxLoad: 1},
		"QuotientBits is 40":  {QuotientBits: 40, RemainderBits: 9, MaxLoad: 1},
	} {
		f, err := New(c)
		if f != nil || !errors.Is(err, errs.Config) {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		for _, problem := range strings.Split(want, ", ") {
			if !strings.Contains(err.Error(), "quotient: invalid configuration: "+problem+", ") {
				t.Errorf("%+v: nothing about %s in %q", c, problem, err)
			}
		}
	}
}
