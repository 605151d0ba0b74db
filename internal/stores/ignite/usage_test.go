package ignite

import (
	"errors"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestFilesAreAddedUp(t *testing.T) {
	for _, c := range []struct {
		rows []string
		want int64
	}{{nil, 0}, {[]string{"4096"}, 4096}, {[]string{"4096", "0", "1000000"}, 1004096}} {
		if got, err := sumOf(c.rows); err != nil || got != c.want {
			t.Errorf("%v: %d, %v", c.rows, got, err)
		}
	}
	for _, row := range []string{"", "-1", "x", "9223372036854775807"} {
		if got, err := sumOf([]string{"1", row}); !errors.Is(err, errProtocol) {
			t.Errorf("%q: %d, %v", row, got, err)
		}
	}
}

func TestAMemberIsAskedForItsFilesSeldom(t *testing.T) {
	f := newMember(t, 1, balanced(func() string { return "4096" }))
	o, err := Observe(stores.Config{Mode: ModeAtomicPersistent, Names: []string{"a"}, Addresses: []string{f.address}})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	meter := o.(stores.Meter)
	var told []stores.Usage
	until(t, "told", func() bool {
		told = meter.Usage(t.Context(), time.Second)
		return len(told) > 0
	})
	if len(told) != 1 || told[0].Member != "a" || told[0].DataBytes == nil || *told[0].DataBytes != 4096 {
		t.Errorf("%+v", told)
	}
	asked := f.wasAsked(kindSQL)
	for range 20 {
		if told := meter.Usage(t.Context(), time.Second); len(told) != 0 {
			t.Fatalf("told twice: %+v", told)
		}
	}
	if again := f.wasAsked(kindSQL); again != asked {
		t.Errorf("asked %d times within %s", again-asked, filesEvery)
	}
}
