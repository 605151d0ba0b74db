package redis

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

func TestQuestionsAreUrgentForAWhileAfterAFailure(t *testing.T) {
	var i inquiry
	if got := i.pause(time.Now()); got != askEvery {
		t.Errorf("without a failure it asks after %s", got)
	}
	i.hurry()
	now := time.Now()
	if got := i.pause(now); got != askEveryUrgent {
		t.Errorf("after a failure it asks after %s", got)
	}
	if got := i.pause(now.Add(urgentFor)); got != askEvery {
		t.Errorf("%s after a failure it asks after %s", urgentFor, got)
	}
}

func TestAnOperationThatFoundNoPrimaryMakesQuestionsUrgent(t *testing.T) {
	for text, c := range map[string]struct {
		err    error
		urgent bool
	}{
		"+OK\r\n":                             {nil, false},
		"-READONLY You can't write\r\n":       {nil, true},
		"-CLUSTERDOWN Hash slot\r\n":          {nil, true},
		"-MOVED 7 10.0.0.1:6379\r\n":          {nil, true},
		"-OOM command not allowed\r\n":        {nil, false},
		"-WRONGTYPE Operation against\r\n":    {nil, false},
		"-BUSY Redis is busy\r\n":             {nil, false},
		"":                                    {errors.New("the connection was lost"), true},
		"*2\r\n+OK\r\n-ERR within a list\r\n": {nil, false},
	} {
		t.Run(text, func(t *testing.T) {
			var answers resp.Answer
			if text != "" {
				if err := answers.Read(bufio.NewReader(strings.NewReader(text)), 1); err != nil {
					t.Fatal(err)
				}
			}
			var i inquiry
			i.consider(&answers, c.err)
			if urgent := i.pause(time.Now()) == askEveryUrgent; urgent != c.urgent {
				t.Errorf("urgent: %t", urgent)
			}
		})
	}
}
