package cassandra

import (
	"fmt"
	"io"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestAUserIsMadeOfAnyName(t *testing.T) {
	want := `CREATE ROLE IF NOT EXISTS "a""b" WITH PASSWORD = 'c''d' AND LOGIN = true AND SUPERUSER = true`
	if got := createUser(`a"b`, "c'd"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Members that run already, and those that ask for nothing, have users that are others' to make: not
// even a password is tried there.
func TestUsersOfOthersAreLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		credentials *stores.Credentials
		shared      bool
		user        string
	}{
		"deployed":                    {&stores.Credentials{User: "u", Password: "p"}, false, "u"},
		"deployed, without passwords": {nil, false, ""},
		"endpoints":                   {&stores.Credentials{User: "u", Password: "p"}, true, ""},
	} {
		made, err := Observe(stores.Config{Addresses: []string{"127.0.0.1:1"}, Names: []string{"m"}, Credentials: c.credentials, Shared: c.shared})
		if err != nil {
			t.Fatal(err)
		}
		defer made.Close()
		if got := made.(*observer).user; got != c.user {
			t.Errorf("%s: the user is %q, want %q", name, got, c.user)
		}
	}
}

func TestUsersThatMayHaveBeenRemovedAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no connection":      {fmt.Errorf("%w: refused", errUnconnected), ""},
		"never sent":         {gocql.ErrNoConnections, ""},
		"no answer":          {gocql.ErrTimeoutNoResponse, "removed, perhaps: no answer said so"},
		"a connection's end": {io.EOF, "removed, perhaps: no answer said so"},
	} {
		if got := unlessFailed("removed", c.err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
