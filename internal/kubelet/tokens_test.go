package kubelet

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestATokenIsRenewedBeforeItRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, broken := 0, false
		tokens := NewTokens(func(context.Context) (string, error) {
			if asked++; broken {
				return "", errors.New("away")
			}
			return "token", nil
		})
		for range 11 {
			if got, err := tokens.get(t.Context()); got != "token" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
			time.Sleep(time.Minute)
		}
		if asked != 3 {
			t.Errorf("asked %d times in eleven minutes", asked)
		}
		broken = true
		time.Sleep(renewAfter)
		if got, err := tokens.get(t.Context()); err == nil {
			t.Errorf("%q is used for longer than it is good", got)
		}
	})
}
