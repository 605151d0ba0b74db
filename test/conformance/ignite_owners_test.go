package conformance

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// asksOwners shows that operations go to the members that own their keys, as these count it
// themselves: an operation of a key is a hit where the key belongs, and a miss elsewhere.
func asksOwners(t *testing.T, target Target) {
	_, session := open(t, target)
	const records = 200
	again := func() (hits, misses int64) {
		hits, misses = affinity(t, target)
		for i := range records {
			kind := []stores.Kind{stores.Insert, stores.Read}[i%2]
			key := fmt.Appendf(nil, "user%04d", i/2)
			do(t, session, stores.Op{Kind: kind, Table: "owners", Key: key, Values: record(string(key))})
		}
		hitsAfter, missesAfter := affinity(t, target)
		return hitsAfter - hits, missesAfter - misses
	}
	// The first ones make the cache, and go anywhere until its owners are known.
	for deadline := time.Now().Add(settleTimeout); ; {
		hits, misses := again()
		if hits == records && misses == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d hits and %d misses of %d operations", hits, misses, records)
		}
	}
}

// affinity is how many operations of keys the members got that belong to them, and how many others.
func affinity(t *testing.T, target Target) (hits, misses int64) {
	t.Helper()
	for _, address := range target.Config.Addresses {
		hits += igniteMetric(t, address, "client.connector.AffinityKeyRequestsHits")
		misses += igniteMetric(t, address, "client.connector.AffinityKeyRequestsMisses")
	}
	return hits, misses
}

// igniteMetric asks a member for one of its numbers, over a client of its own.
func igniteMetric(t *testing.T, address, name string) int64 {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, opTimeout)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(opTimeout)); err != nil {
		t.Fatal(err)
	}
	exchange := func(request []byte) []byte {
		var length [4]byte
		binary.LittleEndian.PutUint32(length[:], uint32(len(request)))
		if _, err := conn.Write(append(length[:], request...)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, binary.LittleEndian.Uint32(length[:]))
		if _, err := io.ReadFull(conn, answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if answer := exchange([]byte{1, 1, 0, 3, 0, 0, 0, 2}); answer[0] != 1 { // version 1.3, which has no flags
		t.Fatalf("no client of %s: %q", address, answer)
	}
	text := func(to []byte, value string) []byte {
		to = binary.LittleEndian.AppendUint32(append(to, 9), uint32(len(value)))
		return append(to, value...)
	}
	request := make([]byte, 2+8+4+1, 200)
	binary.LittleEndian.PutUint16(request, 2004)
	request = append(request, 101, 10, 0, 0, 0, 0xff, 0xff, 0xff, 0xff) // schema, page, rows
	request = text(request, "SELECT VALUE FROM SYS.METRICS WHERE NAME = ?")
	request = text(append(request, 1, 0, 0, 0), name)
	answer := exchange(append(request, make([]byte, 1+6+8+1)...))
	const head = 8 + 4 + 8 + 4 + 4 // number, status, cursor, columns, rows
	if len(answer) < head+5 || binary.LittleEndian.Uint32(answer[8:]) != 0 || binary.LittleEndian.Uint32(answer[head-4:]) != 1 {
		t.Fatalf("no metric %s of %s: %q", name, address, answer)
	}
	value := answer[head+5:]
	number, err := strconv.ParseInt(string(value[:binary.LittleEndian.Uint32(answer[head+1:])]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return number
}
