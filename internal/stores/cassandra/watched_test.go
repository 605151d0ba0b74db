package cassandra

import (
	"context"
	"errors"
	"fmt"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

func TestALookThatRanOutOfTimeKeepsTheClient(t *testing.T) {
	late := fmt.Errorf("look: %w", context.DeadlineExceeded)
	repeat := func(err error, times int) (errs []error) {
		for range times {
			errs = append(errs, err)
		}
		return errs
	}
	for name, c := range map[string]struct {
		ends []error
		kept bool
	}{
		"one late":                   {[]error{late}, true},
		"many, with answers between": {append(append(repeat(late, lateMost-1), nil), repeat(late, lateMost-1)...), true},
		"too many in a row":          {repeat(late, lateMost), false},
		"a connection that ended":    {[]error{errors.New("closed")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			client := &gocql.Session{}
			w := &watched{client: client}
			for _, err := range c.ends {
				if w.dropsAfter(err) {
					w.client = nil // which drop would do, and end it
				}
			}
			if (w.client == client) != c.kept {
				t.Errorf("kept %v, want %v", w.client == client, c.kept)
			}
		})
	}
}
