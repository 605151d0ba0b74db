//go:build race

package merging

// The race detector's own memory counts too.
const memoryBytes = 4 << 30
