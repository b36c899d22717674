package maplet

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/filetest"
)

// TestZero_ValuesAnswer calls every method of the zero Map and View. None panics, none says NaN, and none finds
// anything: two zero maps are equal.
func TestZero_ValuesAnswer(t *testing.T) {
	empty := func(self reflect.Value, in, out []reflect.Value) string {
		for _, result := range out {
			switch got := result.Interface().(type) {
			case float64:
				if got != 0 {
					return fmt.Sprint(got)
				}
			case bool:
				if got != (len(in) == 1 && in[0] == self) {
					return fmt.Sprint(got)
				}
			}
		}
		return ""
	}
	for _, wrong := range filetest.CallZero(empty, new(Map[fingerprint.Bits12]), new(Map[fingerprint.Any]),
		new(View[fingerprint.Bits12]), new(Config)) {
		t.Error(wrong)
	}
}
