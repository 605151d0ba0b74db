package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// node is one line of CLUSTER NODES: what a member knows of another one, or of itself.
type node struct {
	id        string
	addresses []string // host:port, by its IP address and, where it announces one, by its host name
	self      bool
	primary   bool
	// failed: it doesn't answer the one who says so, or most, or nobody knows its address.
	failed    bool
	handshake bool // it isn't known yet whether it is there; its ID is made up
	linked    bool
	follows   string // ID of the primary of a replica
	epoch     uint64 // of its claim to its slots; the higher one is the truer
	slots     []span
}

// span is the slots from first to last.
type span struct{ first, last int }

// maxNodes bounds an answer; a cluster has at most 1000 by Redis' own word.
const maxNodes = 1000

func askNodes(ctx context.Context, p *peer) ([]node, error) {
	if _, err := p.ask(ctx, []string{"CLUSTER", "NODES"}); err != nil {
		return nil, err
	}
	text, err := p.value(0).Text()
	if err != nil {
		return nil, err
	}
	return readNodes(text)
}

// readNodes reads lines "id ip:port@bus,host flags primary ping pong epoch link slots". The text
// is of a store of the run's choice.
func readNodes(text string) (nodes []node, err error) {
	selves := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(nodes) == maxNodes {
			return nil, fmt.Errorf("the cluster has more than %d nodes", maxNodes)
		}
		n, err := readNode(words)
		if err != nil {
			return nil, fmt.Errorf("line %.200q of the nodes: %w", line, err)
		}
		if n.self {
			selves++
		}
		nodes = append(nodes, n)
	}
	if selves != 1 {
		return nil, errors.New("the server says nothing of itself among the nodes")
	}
	return nodes, nil
}

func readNode(words []string) (n node, err error) {
	const before = 8 // the slots
	if len(words) < before {
		return n, errors.New("it ends early")
	}
	// The words are of one text with times in it, which would be kept with them.
	n.id = strings.Clone(words[0])
	n.addresses = addressesOf(words[1])
	flags := strings.Split(words[2], ",")
	has := func(flag string) bool { return slices.Contains(flags, flag) }
	n.self, n.primary, n.handshake = has("myself"), has("master"), has("handshake")
	n.failed = has("fail") || has("fail?") || has("noaddr")
	n.linked = words[7] == "connected"
	if words[3] != "-" {
		n.follows = strings.Clone(words[3])
	}
	if n.epoch, err = strconv.ParseUint(words[6], 10, 64); err != nil {
		return n, err
	}
	count := 0
	for _, word := range words[before:] {
		if strings.HasPrefix(word, "[") {
			continue // on its way to or from another node; its owner has it until then
		}
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		low, lowErr := strconv.Atoi(first)
		high, highErr := strconv.Atoi(last)
		if err := errors.Join(lowErr, highErr); err != nil {
			return n, err
		}
		if low < 0 || high < low || high >= slotCount {
			return n, fmt.Errorf("there are no slots %s", word)
		}
		if count += high - low + 1; count > slotCount {
			return n, errors.New("it has more slots than there are")
		}
		n.slots = append(n.slots, span{low, high})
	}
	return n, nil
}

// addressesOf reads ip:port@bus and what follows it: a host name, and since Redis 7.2 more, with
// an equals sign.
func addressesOf(word string) (addresses []string) {
	words := strings.Split(word, ",")
	at, _, _ := strings.Cut(words[0], "@")
	colon := strings.LastIndexByte(at, ':')
	if colon < 0 {
		return nil
	}
	hosts := []string{at[:colon]}
	if len(words) > 1 && !strings.Contains(words[1], "=") {
		hosts = append(hosts, words[1])
	}
	for _, host := range hosts {
		if host != "" {
			addresses = append(addresses, net.JoinHostPort(host, at[colon+1:]))
		}
	}
	return addresses
}

// selfOf is what a member says of itself.
func selfOf(nodes []node) node {
	return nodes[slices.IndexFunc(nodes, func(n node) bool { return n.self })]
}

// find is the node of that ID.
func find(nodes []node, id string) (node, bool) {
	if i := slices.IndexFunc(nodes, func(n node) bool { return n.id == id }); i >= 0 {
		return nodes[i], true
	}
	return node{}, false
}
