package lab

// MadeUp returns the data of an experiment in which each row has the counts that a function says, in place of trials: for tests of
// Draw and Judge. The seed of the run is 1. Missing counts are 0.
func MadeUp(e Experiment, own Parts, p Profile, counts func(r Row) []int) (*Data, error) {
	findings, tasks, err := Registry{Experiments: []Experiment{e}, Parts: own}.Plan(Options{Profile: p, Seed: 1})
	if err != nil {
		return nil, err
	}
	for _, task := range tasks {
		for _, row := range task.rows {
			row.Counts = make([]int, len(row.About.Counts))
			copy(row.Counts, counts(*row))
		}
	}
	return findings[0].Data, nil
}
