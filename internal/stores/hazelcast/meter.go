package hazelcast

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const kindReadMetrics = 0x200100

// meter is a connection that metrics are read over.
type meter struct {
	link    *link
	request builder
	next    int64 // the number of the next metrics
}

// metrics waits for the member's next ones, at most until ctx ends.
func (r *meter) metrics(ctx context.Context) (blob []byte, err error) {
	l := r.link
	made, err := l.ready(time.Now().Add(connectTimeout))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.drop()
		}
	}()
	if made {
		r.next = 0
	}
	if err := l.Conn().SetDeadline(time.Now().Add(metricsSilence)); err != nil {
		return nil, err
	}
	defer interrupt(ctx, []*link{l})()
	r.request.out = r.request.out[:0]
	appendReadMetrics(&r.request, l.number(), l.said.member, r.next)
	m, err := l.exchange(r.request.out)
	if err != nil {
		return nil, err
	}
	blob, next := decodeReadMetrics(m)
	if blob == nil {
		return nil, fmt.Errorf("%w: an answer without metrics", errProtocol)
	}
	r.next = next
	return blob, nil
}

// appendReadMetrics asks the member of that name for its metrics from a number on.
func appendReadMetrics(b *builder, number int64, member uuid, from int64) {
	own := b.begin(kindReadMetrics, number, noPartition, bytesUUID+8)
	putUUID(own, member)
	binary.LittleEndian.PutUint64(own[bytesUUID:], uint64(from))
	b.end()
}

// decodeReadMetrics returns the last of the blobs, nil when there is none, and the number of the
// next one.
func decodeReadMetrics(m *message) (blob []byte, next int64) {
	first := m.frames[0].content
	if len(first) < offsetReply+8 || len(m.frames) < 3 || !m.frames[1].is(flagBegin) {
		return nil, 0
	}
	for _, f := range m.frames[2:] {
		if f.is(flagEnd) {
			break
		}
		blob = f.content
	}
	return blob, int64(binary.LittleEndian.Uint64(first[offsetReply:]))
}

// process is a number for the member of that name, which has another one after each start; nobody's
// is 0.
func (u uuid) process() uint64 {
	if u == (uuid{}) {
		return 0
	}
	return stores.ProcessOf(fmt.Sprintf("%016x%016x", u.high, u.low))
}

// readMetrics finds among the metrics what the member says of the raft group, and its process' time
// and its collectors'.
func readMetrics(blob []byte) (raft, *stores.Usage, error) {
	group, used := raft{}, &stores.Usage{}
	var collector int64
	known := false
	err := decodeMetrics(blob, func(m metric) {
		if !(m.value >= 0 && m.value < math.MaxInt64/4e3) {
			return
		}
		switch {
		case m.prefix == "raft.group" && m.tagged("name") == raftGroup:
			group.read(m)
		case m.prefix == "os" && m.name == "processCpuTime": // ns
			micros := int64(m.value / 1e3)
			used.CPUMicros = &micros
		case m.prefix == "gc" && (m.name == "minorTime" || m.name == "majorTime" || m.name == "unknownTime"): // ms
			collector, known = min(collector+int64(m.value*1e3), math.MaxInt64/4), true
		}
	})
	if known {
		used.CollectorMicros = &collector
	}
	return group, used, err
}
