package workload

import (
	"hash/fnv"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Share says which part of a workload a worker does.
type Share struct {
	Records    int64 // loaded before, key numbers 0 … Records-1
	InsertBase int64 // key number of the first insert of all workers
	// InsertStart and InsertCount are the part of the records that this program asks for,
	// as YCSB's properties: latest and exponential requests go by all records. An
	// InsertCount of 0 is all from InsertStart on.
	InsertStart, InsertCount int64
	Worker                   int
	Workers                  int
	// Operations is how many this worker is expected to make; 0 when that is not known.
	// As in YCSB it widens the range of zipfian requests by the inserts to come.
	Operations int64
	Seed       uint64
	// LargestRecorded is the size of the largest value of requests that are replayed.
	LargestRecorded int64
	// WholeRecord says that the store writes records whole, so every update has all fields.
	WholeRecord bool
}

// Keyspace is what the threads of one worker share. Safe for concurrent use.
type Keyspace struct {
	spec     *Spec
	share    Share
	part     part
	inserts  *inserts
	sequence atomic.Int64
	arena    []byte

	zipf            zipf // of the request distribution; copied by each thread
	mixgraph        *mixgraph
	fieldZipf       zipf
	fieldPareto     pareto
	scanZipf        zipf
	scanPareto      pareto
	expectedInserts int64
}

// part is what one worker asks for among the loaded records. They have virtual numbers
// from 0 to records-1; v has the key number first + v·stride.
type part struct {
	records, first, stride int64
	// from and count are the virtual numbers that requests go by which have no direction;
	// latest and exponential ones go back from the newest of all.
	from, count int64
}

func newPart(spec *Spec, share Share) part {
	count := share.InsertCount
	if count == 0 {
		count = share.Records - share.InsertStart
	}
	count = max(1, count)
	if spec.OwnKeys {
		own := max(1, LoadCount(count, share.Worker, share.Workers))
		return part{
			records: own, first: share.InsertStart + int64(share.Worker), stride: int64(share.Workers), count: own,
		}
	}
	return part{records: max(1, share.Records), stride: 1, from: share.InsertStart, count: count}
}

// NewKeyspace prepares what takes time: sums of the distributions and random values.
func NewKeyspace(spec *Spec, share Share) *Keyspace {
	k := &Keyspace{
		spec:    spec,
		share:   share,
		part:    newPart(spec, share),
		inserts: newInserts(share.InsertBase, share.Worker, share.Workers),
		arena:   newArena(NewRand(share.Seed, "values", share.Worker), max(spec.FieldLength, share.LargestRecorded)),
	}
	switch spec.Requests {
	case Zipfian:
		k.zipf = newScrambledZipf()
		k.expectedInserts = expectedInserts(k.part.count, share.Operations, spec.Weights[stores.Insert])
	case Latest:
		k.zipf = newZipf(max(1, k.part.records-1))
	case Mixgraph:
		k.mixgraph = newMixgraph(spec.KeyRanges, k.part.count)
	}
	switch lengths := spec.FieldLength - spec.MinFieldLength + 1; spec.FieldLengths {
	case Zipfian:
		k.fieldZipf = newZipf(lengths)
	case Pareto:
		k.fieldPareto = newPareto(spec.FieldLengthPareto.K, spec.FieldLengthPareto.Sigma, lengths)
	}
	switch lengths := spec.MaxScanLength - spec.MinScanLength + 1; spec.ScanLengths {
	case Zipfian:
		k.scanZipf = newZipf(lengths)
	case Pareto:
		k.scanPareto = newPareto(spec.ScanLengthPareto.K, spec.ScanLengthPareto.Sigma, lengths)
	}
	return k
}

// widest is how many times the records the range of zipfian requests may be: until there
// are inserts, so many draws are made for one request, which is half a millisecond.
const widest = 10_000

// expectedInserts is how far zipfian requests reach beyond the records. YCSB doubles
// operationcount times insertproportion, as it is written: 5 of a sum of 100 reaches
// farther than 0.05. It has no bound, so that a few records and many inserts hang it.
func expectedInserts(records, operations int64, insertProportion float64) int64 {
	return int64(min(float64(operations)*insertProportion*2, float64(records)*widest))
}

// nextInSequence walks through the records; n workers take turns, unless each has its own.
func (k *Keyspace) nextInSequence() int64 {
	n := k.sequence.Add(1) - 1
	if !k.spec.OwnKeys {
		n = n*int64(k.share.Workers) + int64(k.share.Worker)
	}
	return n % k.part.count
}

// TTL is how long what is written stays; 0 is for ever.
func (k *Keyspace) TTL() time.Duration { return k.spec.TTL }

// Inserted is the number of inserts that have been acknowledged, as far as all earlier
// ones have ended.
func (k *Keyspace) Inserted() int64 { return k.inserts.known.Load() }

// NewRand is a generator of its own for a purpose and a number within it, such as a
// thread; the same arguments give the same numbers.
func NewRand(seed uint64, purpose string, number int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose))
	source := new(aloneSource)
	source.Seed(seed, h.Sum64()^(uint64(number)+1)*0x9E3779B97F4A7C15)
	return rand.New(&source.PCG)
}

// aloneSource keeps the 16 bytes that each draw writes off the cache lines of other threads.
type aloneSource struct {
	rand.PCG
	_ [cacheLines - 16]byte
}

// cacheLines is what processors fetch together: two lines of 64 bytes.
const cacheLines = 128

// LoadCount is the number of records that worker i of n loads: those whose key number is
// i modulo n.
func LoadCount(records int64, worker, workers int) int64 {
	return (records - int64(worker) + int64(workers) - 1) / int64(workers)
}
