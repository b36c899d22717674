package filetest

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
)

// CallZero calls every method of fresh zero values of the types that the values point to. Arguments say something: one
// key, several digests, a buffer; a filter is its own argument. It returns what panics, what is NaN, and what check
// says of the results of a method; check may be nil.
func CallZero(check func(self reflect.Value, in, out []reflect.Value) string, values ...any) (wrong []string) {
	for _, value := range values {
		of := reflect.TypeOf(value)
		for k := range of.NumMethod() {
			self := reflect.New(of.Elem())
			if what := callZero(self, self.Method(k), check); what != "" {
				wrong = append(wrong, fmt.Sprintf("%v.%s: %s", of, of.Method(k).Name, what))
			}
		}
	}
	return wrong
}

// callZero calls a method and says what is wrong with it.
func callZero(
	self, method reflect.Value, check func(self reflect.Value, in, out []reflect.Value) string,
) (wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Sprintf("panics with %v", p)
		}
	}()
	var in []reflect.Value
	for k := range method.Type().NumIn() {
		in = append(in, argument(self, method.Type().In(k)))
	}
	call := method.Call
	if method.Type().IsVariadic() {
		call = method.CallSlice
	}
	out := call(in)
	for _, result := range out {
		if x, ok := result.Interface().(float64); ok && math.IsNaN(x) || fmt.Sprintf("%+v", result) == "NaN" {
			return "says NaN"
		}
	}
	if check == nil {
		return ""
	}
	return check(self, in, out)
}

// argument returns one of a type for a method of self.
func argument(self reflect.Value, of reflect.Type) reflect.Value {
	switch of {
	case self.Type():
		return self
	case reflect.TypeFor[[]uint64]():
		return reflect.ValueOf([]uint64{1, 2, 3})
	case reflect.TypeFor[[]bool]():
		return reflect.ValueOf(make([]bool, 3))
	case reflect.TypeFor[[][]byte]():
		return reflect.ValueOf([][]byte{{1}, {2}, {3}})
	case reflect.TypeFor[[]string]():
		return reflect.ValueOf([]string{"a", "b", "c"})
	case reflect.TypeFor[io.Writer](), reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(new(bytes.Buffer))
	}
	one := reflect.New(of).Elem()
	switch {
	case of.Kind() == reflect.Pointer:
		return reflect.New(of.Elem())
	case of.Kind() == reflect.Slice:
		return reflect.MakeSlice(of, 1, 1)
	case one.CanInt():
		one.SetInt(1)
	case one.CanUint():
		one.SetUint(1)
	}
	return one
}
