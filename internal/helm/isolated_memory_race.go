//go:build race

package helm

// renderMemoryBytes is larger under the race detector, whose own memory counts too.
const renderMemoryBytes = 4 << 30
