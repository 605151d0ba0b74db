//go:build !race

package helm

// renderMemoryBytes bounds the memory of a process that renders a chart which somebody else wrote.
const renderMemoryBytes = 256 << 20
