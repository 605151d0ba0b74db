package ignite

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// filesEvery is how often a member is asked how large its files are: the answer makes it read all of
	// its metrics, which takes some 20 ms of a core.
	filesEvery   = 10 * time.Second
	filesTimeout = 5 * time.Second
)

// askFiles asks for the sizes of the files of all caches, without the log
// (https://ignite.apache.org/docs/latest/monitoring-metrics/new-metrics#cache-groups).
const askFiles = `SELECT VALUE FROM SYS.METRICS WHERE NAME LIKE 'cacheGroups.%.StorageSize'`

// files knows how large a member's are. It is asked beside the looks, which don't wait for the answer.
type files struct {
	name  string
	link  *link
	ctx   context.Context
	stop  context.CancelFunc
	ended sync.WaitGroup

	mu    sync.Mutex
	next  time.Time     // nobody is asked before
	asked bool          // and there is no answer yet
	used  *stores.Usage // that nobody has asked for yet
	came  time.Time     // when it did
}

func newFiles(name, address string, who *stores.Credentials) *files {
	ctx, cancel := context.WithCancel(context.Background())
	return &files{name: name, link: newLink(address, who, nil), ctx: ctx, stop: cancel}
}

// Usage is what the members' caches take on their disks. Their processor time and memory kubelets tell.
func (p *persistentObserver) Usage(context.Context, time.Duration) []stores.Usage {
	return stores.GatherUsage(len(p.files), func(i int) *stores.Usage { return p.files[i].usage() })
}

// usage is the last answer, if it wasn't taken yet. It asks for the next one when that is due.
func (f *files) usage() *stores.Usage {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); !f.asked && !now.Before(f.next) && f.ctx.Err() == nil {
		f.asked, f.next = true, now.Add(filesEvery)
		f.ended.Go(f.ask)
	}
	used := f.used
	if used != nil {
		used.Age = time.Since(f.came)
	}
	f.used = nil
	return used
}

func (f *files) ask() {
	rows, err := f.link.query(f.ctx, askFiles, filesTimeout)
	var bytes int64
	if err == nil {
		bytes, err = sumOf(rows)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = false
	if err == nil && len(rows) > 0 { // without a cache there are no files
		f.used, f.came = &stores.Usage{Member: f.name, DataBytes: &bytes}, time.Now()
	}
}

func (f *files) close() {
	f.stop()
	f.ended.Wait()
	f.link.close()
}

// maxFile bounds the size of one cache's files: sums of them don't overflow.
const maxFile = 1 << 50

func sumOf(rows []string) (sum int64, err error) {
	for _, row := range rows {
		size, err := strconv.ParseInt(row, 10, 64)
		if err != nil || size < 0 || size > maxFile {
			return 0, fmt.Errorf("%w: files of %.40q bytes", errProtocol, row)
		}
		sum += size
	}
	return sum, nil
}
