package workload

// manyFields of a record take as long to be made as ten readings of a clock.
const manyFields = 64

// manyDraws for a zipfian request take as long as ten readings of a clock, too.
const manyDraws = 8

// HasCostlyWork says that the thread's own work for an operation can take as long as a store does. That is choosing a
// record, making values, and comparing what was read. Then whoever measures the store has to read the clock before and
// after it. Otherwise that work takes less than a microsecond: the values are cuts of one arena, however long they are.
func (t *Thread) HasCostlyWork() bool {
	return t.spec.DataIntegrity || len(t.spec.Fields) > manyFields || t.manyDraws
}
