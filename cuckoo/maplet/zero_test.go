package maplet

import (
	"math"
	"reflect"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestZero_ValuesAnswer calls every method of the zero Map and View that takes numbers, keys or nothing. None panics, none finds
// anything, and none says NaN.
func TestZero_ValuesAnswer(t *testing.T) {
	for _, v := range []any{new(Map[fingerprint.Bits12]), new(Map[fingerprint.Any]), new(View[fingerprint.Bits12]), new(Config)} {
		of := reflect.ValueOf(v)
		for k := range of.NumMethod() {
			method := of.Method(k)
			var in []reflect.Value
			for at := range method.Type().NumIn() {
				in = append(in, reflect.Zero(method.Type().In(at)))
			}
			switch of.Type().Method(k).Name {
			case "Equal", "WriteTo", "ReadFrom":
				continue // which need another
			}
			for _, out := range method.Call(in) {
				rate, _ := out.Interface().(float64)
				if yes, _ := out.Interface().(bool); yes || math.IsNaN(rate) || rate != 0 {
					t.Errorf("%v.%s: %v", of.Type(), of.Type().Method(k).Name, out)
				}
			}
		}
	}
}
