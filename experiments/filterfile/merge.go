package filterfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nestfilter/nest"
)

// Merge returns the filter of the first name, with the keys of the others added: the multiset sum, so a key
// that several of them hold counts as often in kinds that count. open returns the filter of a name. One filter
// beside the sum is in memory at a time, and for some kinds a copy of the sum.
//
// The error is that of open or of the context, nest.ErrMismatch, naming two filters and each field in which
// they differ, or nest.ErrFull, naming the filter whose keys have no room.
func Merge(ctx context.Context, names []string, open func(name string) (nest.Filter, error)) (sum nest.Filter, err error) {
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			sum = f
			continue
		}
		if err := add(sum, f, names[0], name); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// add merges f into sum. The names are for errors.
func add(sum, f nest.Filter, first, name string) error {
	if differ := differences(sum.Spec(), f.Spec()); len(differ) > 0 {
		return fmt.Errorf("merge: %w: %s and %s differ: %s", nest.ErrMismatch, first, name, strings.Join(differ, "; "))
	}
	err := sum.Merge(f)
	if errors.Is(err, nest.ErrFull) {
		return fmt.Errorf("merge: %s has no room for the %d keys of %s beside its %d: %w", first, f.Len(), name, sum.Len(), err)
	}
	if err != nil {
		return fmt.Errorf("merge: %s and %s: %w", first, name, err)
	}
	return nil
}

// tableKeys are the keys of a Spec that filters of one kind have to share to be merged, whichever kind it is.
var tableKeys = []string{"slots", "f", "b", "layout", "placement", "hashes", "counterbits", "hash"}

// differences returns what of two resolved Specs stands in the way of a merge, such as "slots is 100 and 200". Of
// two kinds nothing else can be compared.
func differences(a, b nest.Spec) (differ []string) {
	if a.Kind != b.Kind {
		return []string{fmt.Sprintf("kind is %s and %s", a.Kind, b.Kind)}
	}
	one, other := specFields(a), specFields(b)
	for _, key := range tableKeys {
		x, y := one[key], other[key]
		if string(x) == string(y) {
			continue
		}
		differ = append(differ, fmt.Sprintf("%s is %s and %s", key, shown(x), shown(y)))
	}
	return differ
}

// specFields returns the fields of a Spec that are set, in JSON, by their keys.
func specFields(s nest.Spec) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // a resolved Spec has a JSON form, which is an object
	}
	return fields
}

func shown(value json.RawMessage) string {
	if value == nil {
		return "the default"
	}
	return strings.Trim(string(value), `"`)
}
