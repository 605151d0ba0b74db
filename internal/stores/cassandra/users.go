package cassandra

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// Repair makes the run's user at members that were deployed with passwords, and removes Cassandra's own
// superuser, whose password everybody knows, with all that he was allowed: who is connected as he may do
// nothing more. It goes by who may log in, and not by what was done before, so it can be broken off
// anywhere, and done again.
func (o *observer) Repair(ctx context.Context, timeout time.Duration) (did string, err error) {
	if o.user == "" || slices.ContainsFunc(o.members, func(w *watched) bool { return w.ownUsers.Load() }) {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	everybodys := *o.members[0].credentials
	everybodys.User, everybodys.Password = defaultUser, defaultPassword
	admin := o.as(&everybodys)
	defer admin.Close()
	// One that is away would not hear of the user, and one that is alone has no users yet: Sample
	// tells of either.
	for _, state := range admin.Sample(ctx, timeout) {
		if !state.Healthy {
			return "", nil
		}
	}
	own := o.members[0].credentials
	if err := admin.members[0].tell(ctx, createUser(own.User, own.Password)); err != nil {
		return "", fmt.Errorf("cassandra: make the user %s: %w", own.User, err)
	}
	// Nobody may do that to himself.
	did = fmt.Sprintf("the user %s took the place of %s", own.User, defaultUser)
	if err := o.members[0].tell(ctx, dropUser(defaultUser)); err != nil {
		return unlessFailed(did, err), fmt.Errorf("cassandra: remove the user %s: %w", defaultUser, err)
	}
	return did, nil
}

// unlessFailed is what to say of a statement that ended with an error; "" if it was not done.
func unlessFailed(did string, err error) string {
	if errors.Is(err, errUnconnected) || neverSent(err) || certain(err) {
		return ""
	}
	return stores.Unanswered(did)
}

// errUnconnected is of a statement that had no connection to be sent over.
var errUnconnected = errors.New("no connection")

// as observes the same members with other credentials.
func (o *observer) as(credentials *stores.Credentials) *observer {
	other := &observer{names: o.names}
	for _, member := range o.members {
		other.members = append(other.members, &watched{name: member.name, address: member.address, credentials: credentials})
	}
	return other
}

func createUser(name, password string) string {
	return fmt.Sprintf("CREATE ROLE IF NOT EXISTS %s WITH PASSWORD = '%s' AND LOGIN = true AND SUPERUSER = true",
		quote(name), strings.ReplaceAll(password, "'", "''"))
}

// Cassandra makes its own user anew only where there is none at all.
func dropUser(name string) string { return "DROP ROLE IF EXISTS " + quote(name) }

// tell has the member do what a statement says that gives no rows.
func (w *watched) tell(ctx context.Context, statement string) error {
	client, err := w.connected(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnconnected, err)
	}
	return client.Query(statement).ExecContext(ctx)
}

// others are those who may log in at the member beside the run's user. Once there is none it isn't
// asked again: nobody but that user could change it.
func (w *watched) others(ctx context.Context, client *gocql.Session, user string) (names []string, err error) {
	if w.ownUsers.Load() {
		return nil, nil
	}
	rows := client.Query("SELECT role, can_login FROM system_auth.roles").IterContext(ctx)
	var name string
	var can bool
	for rows.Scan(&name, &can) {
		if can && name != user {
			names = append(names, name)
		}
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	slices.Sort(names)
	w.ownUsers.Store(len(names) == 0)
	return names, nil
}
