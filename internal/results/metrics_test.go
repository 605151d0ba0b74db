package results

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestSpaceThatIsUnknownIsLeftOut(t *testing.T) {
	bytes := func(n uint64, err error) func() (uint64, error) { return func() (uint64, error) { return n, err } }
	free := "# HELP kvbench_results_free_bytes Space left on the volume.\n# TYPE kvbench_results_free_bytes gauge\nkvbench_results_free_bytes 5\n"
	size := "# HELP kvbench_results_volume_bytes Size of the volume.\n# TYPE kvbench_results_volume_bytes gauge\nkvbench_results_volume_bytes 9\n"
	broken := errors.New("stale file handle")
	for _, c := range []struct {
		of   volumeSpace
		want string
	}{
		{volumeSpace{bytes(5, nil), bytes(9, nil)}, free + size},
		{volumeSpace{bytes(0, broken), bytes(9, nil)}, size},
		{volumeSpace{bytes(5, nil), bytes(0, broken)}, free},
	} {
		if err := testutil.CollectAndCompare(c.of, strings.NewReader(c.want)); err != nil {
			t.Error(err)
		}
	}
}
