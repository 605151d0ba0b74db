package timeline

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report/instant"
)

func TestBinsBeforeTheStartAreOfSecondsBeforeIt(t *testing.T) {
	for bin, want := range map[instant.Bin]chunkIndex{-101: -2, -100: -1, -1: -1, 0: 0, 99: 0, 100: 1} {
		got := chunkOf(bin)
		if got != want || got.first() > bin || got.first()+ChunkBins <= bin {
			t.Errorf("bin %d is of second %d, want %d", bin, got, want)
		}
	}
}
