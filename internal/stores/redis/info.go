package redis

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
)

// info is what a server says of itself.
type info struct {
	primary bool
	loading bool   // its data, from its volume
	follows string // host:port of the primary that a replica is told to follow
	linked  bool   // it gets the primary's stream, and has all that was before
	offset  uint64 // in the stream: what a primary has written, what a replica has got
	run     string // of the process
}

func askServer(ctx context.Context, p *peer) (info, error) {
	text, err := askInfo(ctx, p, "server", "replication", "persistence")
	if err != nil {
		return info{}, err
	}
	return readInfo(text)
}

// askInfo asks for these sections: all of them would be ten times as long. Servers before 7.0
// take one at a time.
func askInfo(ctx context.Context, p *peer, sections ...string) (string, error) {
	commands := make([][]string, len(sections))
	for i, section := range sections {
		commands[i] = []string{"INFO", section}
	}
	if _, err := p.ask(ctx, commands...); err != nil {
		return "", err
	}
	var text strings.Builder
	for i := range sections {
		part, err := p.value(i).Text()
		if err != nil {
			return "", err
		}
		text.WriteString(part)
	}
	return text.String(), nil
}

// maxRun bounds what is kept of an answer; the run's ID has 40 digits.
const maxRun = 64

// readInfo reads lines "name:value". The text is of a store of the run's choice.
func readInfo(text string) (in info, err error) {
	var role, host, port, offset string
	up, syncing := false, false
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case "role":
			role = value
		case "run_id":
			in.run = strings.Clone(value[:min(len(value), maxRun)])
		case "loading":
			in.loading = value != "0"
		case "master_host":
			host = value
		case "master_port":
			port = value
		case "master_link_status":
			up = value == "up"
		case "master_sync_in_progress":
			syncing = value != "0"
		case "master_repl_offset": // a replica's own comes as slave_repl_offset, and as this
			offset = value
		}
	}
	switch role {
	case "master":
		in.primary = true
	case "slave":
		in.follows, in.linked = net.JoinHostPort(host, port), up && !syncing
	default:
		return info{}, errors.New("the server says nothing of its role")
	}
	in.offset, err = strconv.ParseUint(offset, 10, 63)
	return in, err
}
