package seconds_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
)

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc >> 20
}

func TestZZMemory(t *testing.T) {
	begin := int64(1_800_000_000)
	o := bundle.Writer{Role: bundle.RoleObserver, PodUID: "11111111-1111-4111-8111-111111111111"}
	line := func(at int64) string {
		return fmt.Sprintf(`{"atUnixNanos":%d,"members":[`, at*1e9) + strings.Repeat(`{},`, 20) + "{}]}\n"
	}
	piece := []byte(strings.Repeat(line(1_700_000_000)+line(1_700_000_001), 3000))
	const all = 64 << 20
	read := func(name string, offset int64, most int) ([]byte, error) {
		if offset >= all {
			return nil, nil
		}
		at := int(offset) % len(piece)
		text := piece[at:]
		if len(text) < most {
			text = append(bytes.Clone(text), piece...)
			for len(text) < most {
				text = append(text, piece...)
			}
		}
		return text[:most], nil
	}
	c := seconds.New(seconds.Workload{Name: "a", Workers: 1, Start: time.Unix(begin, 0)}, 0)
	before := heap()
	for more := true; more; {
		var err error
		_, more, err = c.Step([]string{o.File(bundle.Jsonl)}, read)
		must(t, err)
	}
	t.Logf("observer's file of %d MiB: heap %d -> %d MiB", all>>20, before, heap())
	runtime.KeepAlive(c)
}

func TestZZRows(t *testing.T) {
	begin := int64(1_800_000_000)
	w := bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: 0, PodUID: "11111111-1111-4111-8111-111111111111"}
	pad := strings.Repeat("A", 250<<10)
	sent := int64(0)
	var rest []byte
	n := 0
	base := int64(0)
	read := func(name string, offset int64, most int) ([]byte, error) {
		rest = rest[offset-base:]
		base = offset
		for len(rest) < most {
			rest = append(rest, fmt.Sprintf("Tag=READ,%d,1,1.0,%s\n", begin+int64(n/190), pad)...)
			n++
		}
		sent = offset + int64(most)
		return bytes.Clone(rest[:most]), nil
	}
	c := seconds.New(seconds.Workload{Name: "a", Workers: 2, Start: time.Unix(begin, 0)}, 0)
	before := heap()
	for more := true; more && sent < 400<<20; {
		var err error
		_, more, err = c.Step([]string{w.File(bundle.Hlog)}, read)
		must(t, err)
	}
	t.Logf("log of %d MiB, up to second %d of %d that it may: heap %d -> %d MiB", sent>>20, n/190, 31, before, heap())
	runtime.KeepAlive(c)
}
