package exit

import (
	"errors"
	"fmt"
	"testing"
)

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("no cluster"), Usage},
		{With(Failed, nil), Failed},
		{fmt.Errorf("in a sentence: %w", With(Unknown, errors.New("not valid"))), Unknown},
	} {
		if got := Code(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
	if With(Failed, nil).Error() != "" {
		t.Error("a status without an error has a message")
	}
}
