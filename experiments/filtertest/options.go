package filtertest

// Options say how thoroughly to check. The zero value of every field is a default.
type Options struct {
	_ struct{}

	// Capacity is the number of keys that filters are made for. The default is 1000, in short
	// mode 300. Some defects need large tables, others are found in small ones only: the check
	// tiny goes through capacities 1 to 64.
	Capacity int
	// Seed chooses all keys and operations. The default is 1.
	Seed uint64
	// Builds is the number of filters, with keys of their own, over which a rate is measured, at
	// least 10. The default is 40, in short mode 20.
	Builds int
	// Queries is the number of absent keys asked for in each build. The default is 8192, in short
	// mode 1024.
	Queries int
	// Refusals is the number of refused inserts after which a filter is full enough. The default
	// is 200, in short mode 50. Filters that refuse nothing are filled to four times their
	// capacity.
	Refusals int
	// FalseAlarm is the probability with which a statistical test may fail a filter that is
	// right. The default is 1e-6.
	FalseAlarm float64
	// Only names the checks to make; the default is all of them.
	Only []string
}

// resolve returns o with every default filled in. Values out of range count as the nearest in range.
func (o Options) resolve(short bool) Options {
	choose := func(v *int, full, brief, least int) {
		if *v == 0 {
			*v = full
			if short {
				*v = brief
			}
		}
		*v = max(*v, least)
	}
	choose(&o.Capacity, 1000, 300, 1)
	choose(&o.Builds, 40, 20, 10)
	choose(&o.Queries, 8192, 1024, 1)
	choose(&o.Refusals, 200, 50, 1)
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.FalseAlarm <= 0 || o.FalseAlarm >= 1 {
		o.FalseAlarm = 1e-6
	}
	return o
}
