package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

func stripped(text string) string { return ansi.Strip(text) }

// underWay is a suite of so many combinations and blocks, in the middle of its second block.
func underWay(combinations, blocks int) *frame.Frame {
	s := &frame.Suite{Total: combinations * blocks, Done: combinations + 1, Left: combinations*blocks - combinations - 1, TimeLeft: "14m", Blocks: blocks,
		Run: &frame.Run{Name: "s-b2-c2", Phase: "Measuring", Workload: "a", Workloads: 1,
			Load: &frame.Load{ElapsedSeconds: 3, Figures: &frame.Figures{Intended: 100, Served: 99, Recent: []int64{99}}}}}
	for c := range combinations {
		row := frame.Row{Combination: fmt.Sprintf("mode=linearizable, rate=%d", 100*(c+1)), Cells: make([]frame.Cell, blocks)}
		for b := range row.Cells {
			cell := frame.Cell{State: frame.TrialWaiting}
			switch {
			case b == 0 && c == 1:
				cell = frame.Cell{State: frame.TrialNotValid, Repeats: 2, Run: "s-b1-c2-r2"}
			case b == 0, b == 1 && c == 0:
				cell = frame.Cell{State: frame.TrialValid, Run: "x"}
			case b == 1 && c == 1:
				cell = frame.Cell{State: frame.TrialRunning, Repeats: 1, Run: "s-b2-c2-r1"}
			}
			row.Cells[b] = cell
		}
		s.Rows = append(s.Rows, row)
	}
	s.Unusable, s.Repeated = 1, 3
	return &frame.Frame{Time: now, Kind: "suite", Namespace: "default", Name: "etcd-reads", Phase: "Running", AgeSeconds: 723, Suite: s}
}

func TestTheScreenOfASuite(t *testing.T) {
	for _, c := range []struct {
		what  string
		frame *frame.Frame
		want  string
	}{
		{"in the middle", underWay(3, 8), `suite default/etcd-reads   Running   12m3s
4 of 24 trials done   20 left   about 14m to go   1 not valid   3 made again

combination                  1  2  3  4  5  6  7  8
mode=linearizable, rate=100  v  v  .  .  .  .  .  .
mode=linearizable, rate=200  xr >r .  .  .  .  .  .
mode=linearizable, rate=300  v  .  .  .  .  .  .  .
. waiting   > running   + measured   v valid   x not valid   r made again

run s-b2-c2   Measuring
workload a   3 s
operations/s, last second of all workers
  intended 100   served 99   p99 and errors not known
  last 1 s █  served 99 to 99

q leaves`},
		{"a search that goes on", &frame.Frame{Time: now, Kind: "suite", Namespace: "default", Name: "s", Phase: "Searching",
			Suite: &frame.Suite{Waiting: "Searching: run s-c1-at400 tries 400 operations/s", Run: &frame.Run{Name: "s-c1-at400", Phase: "Deploying", Waiting: "PodPending: no node"}}},
			`suite default/s   Searching   0s
0 of 0 trials done   0 left
Searching: run s-c1-at400 tries 400 operations/s

run s-c1-at400   Deploying
PodPending: no node

q leaves`},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := Of(c.frame, Screen{Width: 80, Height: 24, Footer: "q leaves"}); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestOfALargeMatrixWhatRunsIsShown(t *testing.T) {
	f := underWay(40, 60)
	f.Suite.Rows[1].Cells[1].State = frame.TrialValid
	f.Suite.Rows[30].Cells[47] = frame.Cell{State: frame.TrialRunning, Run: "x"}
	lines := strings.Split(Of(f, Screen{Width: 80, Height: 24, Footer: "q leaves"}), "\n")
	running, header := "", ""
	for _, line := range lines {
		if strings.HasPrefix(line, "combination ") {
			header = line
		}
		if strings.HasPrefix(line, "mode=linearizable, rate=3100") {
			running = line
		}
	}
	if !strings.Contains(running, ">") || !strings.Contains(header, "48") {
		t.Errorf("the trial that runs is not shown:\n%s", strings.Join(lines, "\n"))
	}
	if at := strings.Index(running, ">"); at < 0 || !strings.HasPrefix(header[at:], "48") {
		t.Errorf("the trial that runs is not below its block:\n%s\n%s", header, running)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "more combinations") {
		t.Error("nothing says that there are more")
	}
}
