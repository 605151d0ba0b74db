package cassandra

import "testing"

func TestAWriteIsBoundedByTheHeapOrTheSetting(t *testing.T) {
	for _, c := range []struct {
		settings map[string]any
		want     int64
	}{
		{nil, 256 << 20 / 40},
		{map[string]any{"heap": "512m"}, 512 << 20 / 40},
		{map[string]any{"heap": "2g"}, 16 << 20},
		{map[string]any{"max_mutation_size": "64MiB"}, 64 << 20},
		{map[string]any{"heap": "2g", "max_mutation_size": "1MiB"}, 1 << 20},
		{map[string]any{"heap": "wide", "max_mutation_size": true}, 256 << 20 / 40},
	} {
		if got := mutationBytes(c.settings); got != c.want {
			t.Errorf("%v: %d, want %d", c.settings, got, c.want)
		}
		quorum, _ := Entry().FindMode(ModeQuorum)
		// No bound is 0, and a record has at least a byte.
		if got := quorum.With(map[string]any{"settings": c.settings}).MaxRecordBytes; got != max(1, c.want-besidesRecord) {
			t.Errorf("%v: records of %d", c.settings, got)
		}
	}
}
