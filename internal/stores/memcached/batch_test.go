package memcached

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// records are one for each of so many members.
func records(t *testing.T, members int) []stores.Op {
	t.Helper()
	ops := make([]stores.Op, 0, members)
	for i, has := 0, map[int]bool{}; len(ops) < members; i++ {
		one := op(stores.Insert, 10*time.Second)
		one.Key = fmt.Appendf(nil, "user%d", i)
		if member := owner([]byte("t/"+string(one.Key)), members); !has[member] {
			has[member] = true
			ops = append(ops, *one)
		}
	}
	return ops
}

func TestABatchIsStoredWhereItsRecordsBelong(t *testing.T) {
	var addresses []string
	asked := make([]chan string, 3)
	for i := range asked {
		asked[i] = make(chan string, 9)
		addresses = append(addresses, greeted(t, func(request string) *string {
			asked[i] <- request
			said := "HD\r\n"
			return &said
		}))
	}
	s := sessionWith(t, addresses...)
	ops := records(t, 3)
	if err := s.InsertAll(ops); err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		member := owner([]byte("t/"+string(ops[i].Key)), 3)
		if got := <-asked[member]; !strings.HasPrefix(got, "ms t/"+string(ops[i].Key)+" ") || len(asked[member]) > 0 {
			t.Errorf("member %d was asked %q, and %d times more", member, got, len(asked[member]))
		}
	}
}

func TestWhatOthersUseIsNotEmptied(t *testing.T) {
	asked := make(chan string, 1)
	address := greeted(t, func(request string) *string {
		asked <- request
		said := "OK\r\n"
		return &said
	})
	for _, shared := range []bool{true, false} {
		d, err := Open(stores.Config{Addresses: []string{address}, Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Reset(t.Context(), "t"); (err != nil) != shared || (len(asked) == 0) != shared {
			t.Errorf("shared %v: %v, and %d requests", shared, err, len(asked))
		}
	}
}

// Of the other records nobody knows, and what was not read must not answer what comes next.
func TestABatchThatIsRefusedInPartIsUnknown(t *testing.T) {
	for name, c := range map[string]struct{ answer, code string }{
		"too large":            {"SERVER_ERROR object too large for cache\r\n", stores.CodeTooLarge},
		"no room":              {"SERVER_ERROR out of memory storing object\r\n", codeNoMemory},
		"the connection ended": {"", stores.CodeConnectionLost},
	} {
		t.Run(name, func(t *testing.T) {
			answering := func(set string) string {
				return greeted(t, func(request string) *string {
					said := set
					if strings.HasPrefix(request, "mg") {
						said = "EN\r\n"
					}
					return &said
				})
			}
			s := sessionWith(t, answering(c.answer), answering("HD\r\n"))
			var known *stores.Error
			err := s.InsertAll(records(t, 2))
			if !errors.As(err, &known) || known.Outcome != stores.Unknown || known.Code != c.code || known.Answered {
				t.Fatalf("%v, want one of unknown outcome with code %s", err, c.code)
			}
			for _, one := range records(t, 2) {
				one.Kind = stores.Read
				if err := s.Do(&one); !errors.As(err, &known) || known.Code != stores.CodeNotFound {
					t.Errorf("the next read of %s gets %v", one.Key, err)
				}
			}
		})
	}
}
