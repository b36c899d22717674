package counting_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
)

// TestZeroFilter_LosesNoKey: a Filter that no constructor made is empty, and gets a small table with its first key; a
// DLeft says that it takes no keys.
func TestZeroFilter_LosesNoKey(t *testing.T) {
	for _, f := range []interface {
		ContainsHash(h uint64) bool
		CountHash(h uint64) int
		ScanStats() counting.Stats
		MarshalBinary() ([]byte, error)
		DeleteHash(h uint64) bool
	}{new(counting.Filter), new(counting.DLeft), new(counting.DLeft).Clone(), new(counting.Filter).Clone()} {
		if f.ContainsHash(7) || f.CountHash(7) != 0 || f.DeleteHash(7) || f.ScanStats() != (counting.Stats{}) {
			t.Errorf("%T is not empty: %+v", f, f.ScanStats())
		}
		if _, err := f.MarshalBinary(); !errors.Is(err, counting.ErrConfig) {
			t.Errorf("%T has a file: %v", f, err)
		}
	}
	var f counting.Filter
	for i := range uint64(10) {
		f.InsertHash(hashing.Mix64(i))
	}
	if !f.InsertUniqueHash(1<<60) || f.InsertUniqueHash(1<<60) || f.CountHash(1<<60) != 1 || f.Len() != 11 || f.SizeBytes() != 64 {
		t.Errorf("%v", &f)
	}
	for i := range uint64(10) {
		if !f.DeleteHash(hashing.Mix64(i)) {
			t.Errorf("key %d is lost", i)
		}
	}
	if g, err := counting.New(f.Config()); err != nil || !f.DeleteHash(1<<60) || !g.Equal(&f) || f.Config().CounterBits != 4 {
		t.Errorf("%v, %v", err, &f)
	}
	var d, e counting.DLeft
	if err := d.InsertHash(7); !errors.Is(err, counting.ErrConfig) || !d.Equal(&e) || d.Merge(&e) != nil {
		t.Errorf("DLeft: %v", err)
	}
}

// TestZeroValues_NeverPanic calls every method of every zero value, and looks for numbers that are none.
func TestZeroValues_NeverPanic(t *testing.T) {
	callAll(t, counting.Filter{}, counting.DLeft{}, counting.View{}, counting.Config{}, counting.DLeftConfig{})
}

// callAll calls every method of a fresh zero value of each type, with zero values; an argument that is a pointer to a
// filter points to a zero one.
func callAll(t *testing.T, values ...any) {
	t.Helper()
	for _, value := range values {
		of := reflect.PointerTo(reflect.TypeOf(value))
		for m := range of.Methods() {
			args := []reflect.Value{reflect.New(of.Elem())}
			for i := 1; i < m.Type.NumIn(); i++ {
				switch in := m.Type.In(i); {
				case in.Kind() == reflect.Pointer:
					args = append(args, reflect.New(in.Elem()))
				case in.Kind() == reflect.Interface: // of WriteTo and ReadFrom, which need one
					args = append(args, reflect.ValueOf(new(nowhere)))
				default:
					args = append(args, reflect.Zero(in))
				}
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%v.%s: %v", of, m.Name, p)
					}
				}()
				for _, result := range m.Func.Call(args) {
					if x, ok := result.Interface().(float64); ok && math.IsNaN(x) || fmt.Sprintf("%+v", result) == "NaN" {
						t.Errorf("%v.%s: %v", of, m.Name, result)
					}
				}
			}()
		}
	}
}

// nowhere writes and reads nothing.
type nowhere struct{}

func (nowhere) Write([]byte) (int, error) { return 0, errors.New("nowhere") }
func (nowhere) Read([]byte) (int, error)  { return 0, errors.New("nowhere") }
