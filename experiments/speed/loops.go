package speed

// insertEach, countEach and replaceEach are the loops over the verbs of one key. They are small enough to be inlined,
// and so is what they are given, which calls the verb: the call is direct, as in a user's program.
func insertEach(hs []uint64, insert func(h uint64) error) error {
	for _, h := range hs {
		if err := insert(h); err != nil {
			return err
		}
	}
	return nil
}

func countEach(hs []uint64, verb func(h uint64) bool) (n int) {
	for _, h := range hs {
		if verb(h) {
			n++
		}
	}
	return n
}

func replaceEach(hs []uint64, remove func(h uint64) bool, insert func(h uint64) error) (n int) {
	for _, h := range hs {
		if remove(h) && insert(h) == nil {
			n++
		}
	}
	return n
}
