package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// What the mode says of a row's width is what the server takes: as many fields as it allows, and not
// one more.
func TestPostgresqlTakesRowsAsWideAsTheModeSays(t *testing.T) {
	t.Parallel()
	target, _ := startPostgresql(t, 1, nil)
	mode, _ := target.Entry.FindMode(target.Config.Mode)
	_, session := open(t, target)
	key := []byte("user7309677968340723976") // no key keeps more of its row
	for _, valueBytes := range []int{10, 23, 24, 126, 127, 5000} {
		most := 0
		for mode.CheckFields(most+1, int64(valueBytes)) == nil {
			most++
		}
		value := make([]byte, valueBytes)
		_, _ = rand.NewChaCha8([32]byte{}).Read(value) // what can be compressed takes less
		insert := func(fields int) error {
			op := stores.Op{Kind: stores.Insert, Table: fmt.Sprintf("wide_%d_%d", valueBytes, fields), Key: key, Deadline: time.Now().Add(settleTimeout)}
			for i := range fields {
				op.Values = append(op.Values, stores.Field{Name: fmt.Sprint("field", i), Value: value})
			}
			return session.Do(&op)
		}
		if err := insert(most); err != nil {
			t.Errorf("%d fields of %d bytes: %v", most, valueBytes, err)
		}
		var failure *stores.Error
		if err := insert(most + 1); !errors.As(err, &failure) || failure.Outcome != stores.Failed {
			t.Errorf("%d fields of %d bytes, one more than the mode allows: %v", most+1, valueBytes, err)
		}
	}
}
