package conformance

import "testing"

// javaOptions are those of a member of Java: in a test those that are given, so that what is compiled
// well, and collected beside the work, doesn't take the cores from the tests' samples; in a
// benchmark as much as it likes.
func javaOptions(t testing.TB, inTests ...string) []string {
	if measured(t) {
		return []string{"-Xms1g", "-Xmx1g"}
	}
	return inTests
}

// measured says whether it is a benchmark that runs.
func measured(t testing.TB) bool {
	_, is := t.(*testing.B)
	return is
}
