package postgresql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each member over a connection of its own: one that hangs delays no other.
type observer struct {
	members []*watched
	meters  []*watched // of the same members, since what they use takes them longer to say
	// shared: the members are set up by others.
	shared bool
	// names by address, host and port: a standby says what it was told to connect to.
	names map[string]string
	// quorum is how many standbys a commit waits for; 0 in the asynchronous modes.
	quorum uint64
}

type watched struct {
	name   string
	config *pgconn.Config
	mu     sync.Mutex // samples may overlap
	conn   *pgconn.PgConn
}

// Observe connects when it is first asked.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("postgresql: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	configs, err := configsOf(cfg)
	if err != nil {
		return nil, err
	}
	o := &observer{names: map[string]string{}, shared: cfg.Shared}
	if synchronous, _, _ := modeOf(cfg.Mode); synchronous {
		o.quorum = uint64(len(configs) / 2) // which are a majority with the primary
	}
	for i, config := range configs {
		o.names[cfg.Addresses[i]] = cfg.Names[i]
		o.members = append(o.members, &watched{name: cfg.Names[i], config: config})
		o.meters = append(o.meters, &watched{name: cfg.Names[i], config: config})
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	states := make([]stores.MemberState, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() {
			states[i] = stores.MemberState{Name: member.name, Role: stores.MemberUnknown}
			said, err := member.ask(ctx, question, answers)
			if err == nil {
				states[i], err = o.state(member.name, said)
			}
			if err != nil {
				states[i].Error = stores.CutError(codeOf(err) + ": " + err.Error())
			}
		})
	}
	all.Wait()
	return states
}

func (o *observer) Close() error {
	for _, member := range slices.Concat(o.members, o.meters) {
		member.mu.Lock()
		member.drop()
		member.mu.Unlock()
	}
	return nil
}

// question is one row: is it a standby; its timeline; how far its log goes; of a standby, how
// its connection to the primary is, and to where; of the primary, how many standbys stream and
// count for the quorum; what commits wait for.
const question = `SELECT pg_is_in_recovery(),
 CASE WHEN pg_is_in_recovery()
  THEN (SELECT coalesce(max(received_tli), (SELECT timeline_id FROM pg_control_checkpoint())) FROM pg_stat_wal_receiver)
  ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END,
 (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0')::numeric,
 (SELECT max(status) FROM pg_stat_wal_receiver),
 (SELECT max(sender_host) FROM pg_stat_wal_receiver),
 (SELECT max(sender_port) FROM pg_stat_wal_receiver),
 (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
 current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), current_setting('fsync')`

const answers = 10 // columns of the question

// ask returns the one row that answers the question.
func (w *watched) ask(ctx context.Context, question string, columns int) (said []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() {
		if err != nil {
			w.drop()
		}
	}()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if w.conn == nil {
		if w.conn, err = pgconn.ConnectConfig(ctx, w.config); err != nil {
			return nil, &stores.ConnectError{Err: err}
		}
	}
	results, err := w.conn.Exec(ctx, question).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != columns {
		return nil, errAnswer
	}
	for _, value := range results[0].Rows[0] {
		said = append(said, string(value))
	}
	return said, nil
}

// drop ends the connection without waiting.
func (w *watched) drop() {
	if w.conn != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = w.conn.Close(ctx) // there is nobody to tell
		w.conn = nil
	}
}

var errAnswer = errors.New("the answer is not PostgreSQL's")

// state is what a member's answer says of it.
func (o *observer) state(name string, said []string) (stores.MemberState, error) {
	state := stores.MemberState{Name: name, Role: stores.MemberUnknown}
	term, err := strconv.ParseUint(said[1], 10, 32)
	if err != nil {
		return state, errAnswer
	}
	commit, err := strconv.ParseUint(said[2], 10, 64)
	if err != nil && said[2] != "" { // a standby that has replayed nothing yet
		return state, errAnswer
	}
	counted, err := strconv.ParseUint(said[6], 10, 32)
	if err != nil || said[0] != "t" && said[0] != "f" {
		return state, errAnswer
	}
	state.Term, state.Commit = term, commit
	if said[0] == "f" {
		state.Role, state.Leader = stores.MemberLeader, name
		state.Error = o.unsafe(counted, said[7], said[8], said[9])
		state.Healthy = state.Error == ""
		return state, nil
	}
	state.Role = stores.MemberFollower
	if state.Healthy = said[3] == "streaming"; !state.Healthy {
		state.Error = "it doesn't stream from the primary"
		return state, nil
	}
	address := net.JoinHostPort(said[4], said[5])
	if state.Leader = o.names[address]; state.Leader == "" {
		state.Healthy, state.Error = false, stores.CutError("it streams from "+address+", which is no member")
	}
	return state, nil
}

// unsafe is why a commit of the primary has less than the mode promises, by how many standbys count
// and the settings synchronous_commit, synchronous_standby_names and fsync; "" where it has that. A chart of
// ours has the right settings: those who made endpoints may have others.
func (o *observer) unsafe(standbys uint64, commit, names, fsync string) string {
	switch waits := waitsFor(names); {
	case o.shared && fsync == "off":
		return "fsync is off: an acknowledged write isn't on the disk"
	case commit == "off":
		return "synchronous_commit is off: an acknowledged write isn't on the disk"
	case o.quorum > 0 && commit == "local":
		return "synchronous_commit is local: a write waits for no standby"
	case waits < o.quorum:
		return fmt.Sprintf("a write waits for %d standbys by synchronous_standby_names, and not for %d", waits, o.quorum)
	case standbys < o.quorum:
		return fmt.Sprintf("%d synchronous standbys of %d", standbys, o.quorum)
	}
	return ""
}

// counts is how synchronous_standby_names begins where it says how many standbys are waited for:
// https://www.postgresql.org/docs/15/runtime-config-replication.html#GUC-SYNCHRONOUS-STANDBY-NAMES
var counts = regexp.MustCompile(`^\s*(?i:(?:FIRST|ANY)\s+)?(\d+)\s*\(`)

// waitsFor is how many standbys a commit waits for: of a mere list it is the first.
func waitsFor(names string) uint64 {
	if found := counts.FindStringSubmatch(names); found != nil {
		number, _ := strconv.ParseUint(found[1], 10, 32) // PostgreSQL takes no larger one
		return number
	}
	if strings.TrimSpace(names) == "" {
		return 0
	}
	return 1
}
