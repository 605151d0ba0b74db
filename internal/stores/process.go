package stores

import "hash/fnv"

// ProcessOf is a number for what a store calls a process, or for when that began: of two processes it
// is another one. An empty name is of nobody, and gives 0, which no other name does. It has 53 bits,
// which all that reads JSON takes as they are.
func ProcessOf(name string) uint64 {
	if name == "" {
		return 0
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name))
	return max(1, sum.Sum64()>>11)
}
