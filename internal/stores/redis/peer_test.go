package redis

import (
	"errors"
	"testing"

	client "github.com/redis/go-redis/v9"
)

func TestAnAnswerToTheSetupIsThatToAllCommands(t *testing.T) {
	reply := client.ErrClosed
	one, other := client.NewCmd(t.Context(), "MULTI"), client.NewCmd(t.Context(), "EXEC")
	attribute(reply, []client.Cmder{one, other})
	if !errors.Is(one.Err(), reply) || !errors.Is(other.Err(), reply) {
		t.Errorf("%v, %v", one.Err(), other.Err())
	}
	one, other = client.NewCmd(t.Context(), "MULTI"), client.NewCmd(t.Context(), "EXEC")
	one.SetErr(reply)
	attribute(errors.New("else"), []client.Cmder{one, other})
	if !errors.Is(one.Err(), reply) || other.Err() != nil {
		t.Errorf("one has an answer: %v, %v", one.Err(), other.Err())
	}
}
