package cuckoo

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestZero_ValuesAnswer calls every method of every zero value. None panics and none says NaN; a question is answered as an
// empty filter answers it, and what cannot be done is an error.
func TestZero_ValuesAnswer(t *testing.T) {
	type bits = fingerprint.Bits12
	for _, make := range []func() any{
		func() any { return new(Filter[bits]) }, func() any { return new(Filter[fingerprint.Any]) },
		func() any { return new(View[bits]) }, func() any { return new(View[fingerprint.Any]) },
		func() any { return new(Concurrent[bits]) }, func() any { return new(Concurrent[fingerprint.Any]) },
		func() any { return new(Scalable[bits]) }, func() any { return new(Scalable[fingerprint.Any]) },
		func() any { return new(ScalableView[bits]) }, func() any { return new(ScalableView[fingerprint.Any]) },
		func() any { return new(Walk) }, func() any { return new(Config) }, func() any { return new(ScalableConfig) },
		func() any { return new(Placement) }, func() any { return new(Layout) },
	} {
		for k := range reflect.TypeOf(make()).NumMethod() {
			v := reflect.ValueOf(make())
			name := v.Type().String() + "." + v.Type().Method(k).Name
			t.Run(name, func(t *testing.T) { callZero(t, v.Method(k), v) })
		}
	}
}

// callZero calls a method of v with arguments that say something.
func callZero(t *testing.T, method, v reflect.Value) {
	var in []reflect.Value
	for k := range method.Type().NumIn() {
		switch of := method.Type().In(k); of {
		case v.Type():
			in = append(in, v)
		case reflect.TypeFor[[]uint64]():
			in = append(in, reflect.ValueOf([]uint64{1, 2, 3}))
		case reflect.TypeFor[[]bool]():
			in = append(in, reflect.ValueOf(make([]bool, 3)))
		case reflect.TypeFor[[][]byte]():
			in = append(in, reflect.ValueOf([][]byte{{1}, {2}, {3}}))
		case reflect.TypeFor[[]string]():
			in = append(in, reflect.ValueOf([]string{"a", "b", "c"}))
		case reflect.TypeFor[io.Writer](), reflect.TypeFor[io.Reader]():
			in = append(in, reflect.ValueOf(new(bytes.Buffer)))
		default:
			one := reflect.New(of).Elem()
			if of.Kind() == reflect.Slice {
				one = reflect.MakeSlice(of, 1, 1)
			} else if one.CanInt() {
				one.SetInt(1)
			} else if one.CanUint() {
				one.SetUint(1)
			}
			in = append(in, one)
		}
	}
	for _, out := range method.Call(in) {
		switch got := out.Interface().(type) {
		case float64:
			if math.IsNaN(got) || got != 0 {
				t.Errorf("%v", got)
			}
		case bool: // of two zero filters, which are equal
			if equal := len(in) == 1 && in[0] == v; got != equal {
				t.Error("yes")
			}
		case int:
			if got != 0 {
				t.Errorf("%d", got)
			}
		case error:
			if !errors.Is(got, ErrConfig) && !errors.Is(got, ErrCorrupt) && !errors.Is(got, ErrTooShort) && !errors.Is(got, ErrMismatch) {
				t.Errorf("%v", got)
			}
		}
	}
}
