//go:build !race

package merging

const memoryBytes = leastMemoryBytes
