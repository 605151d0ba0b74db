package workload

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores"
)

// Share says which part of a workload a worker does.
type Share struct {
	Records    int64 // loaded before, key numbers 0 … Records-1
	InsertBase int64 // key number of the first insert of all workers
	Worker     int
	Workers    int
	// Operations is how many this worker is expected to make; 0 when that is not known.
	// As in YCSB it widens the range of zipfian requests by the inserts to come.
	Operations int64
	Seed       uint64
	// WholeRecord says that the store writes records whole, so every update has all fields.
	WholeRecord bool
}

// Keyspace is what the threads of one worker share. Safe for concurrent use.
type Keyspace struct {
	spec     *Spec
	share    Share
	records  int64
	inserts  *inserts
	sequence atomic.Int64
	arena    []byte

	zipf            zipf // of the request distribution; copied by each thread
	fieldZipf       zipf
	scanZipf        zipf
	expectedInserts int64
}

// NewKeyspace prepares what takes time: sums of the distributions and random values.
func NewKeyspace(spec *Spec, share Share) *Keyspace {
	k := &Keyspace{
		spec:    spec,
		share:   share,
		records: max(1, share.Records),
		inserts: newInserts(share.InsertBase, share.Worker, share.Workers),
		arena:   newArena(NewRand(share.Seed, "values", share.Worker), spec.FieldLength),
	}
	switch spec.Requests {
	case Zipfian:
		k.zipf = newScrambledZipf()
		k.expectedInserts = expectedInserts(k.records, share.Operations, spec.Weights[stores.Insert])
	case Latest:
		k.zipf = newZipf(max(1, k.records-1))
	}
	if spec.FieldLengths == Zipfian {
		k.fieldZipf = newZipf(spec.FieldLength - spec.MinFieldLength + 1)
	}
	if spec.ScanLengths == Zipfian {
		k.scanZipf = newZipf(spec.MaxScanLength - spec.MinScanLength + 1)
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

// nextInSequence walks through the records; n workers take turns.
func (k *Keyspace) nextInSequence() int64 {
	n := k.sequence.Add(1) - 1
	return (n*int64(k.share.Workers) + int64(k.share.Worker)) % k.records
}

// Inserted is the number of inserts that have been acknowledged, as far as all earlier
// ones have ended.
func (k *Keyspace) Inserted() int64 { return k.inserts.known.Load() }

// NewRand is a generator of its own for a purpose and a number within it, such as a
// thread; the same arguments give the same numbers.
func NewRand(seed uint64, purpose string, number int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()^(uint64(number)+1)*0x9E3779B97F4A7C15))
}

// LoadCount is the number of records that worker i of n loads: those whose key number is
// i modulo n.
func LoadCount(records int64, worker, workers int) int64 {
	return int64(math.Ceil(float64(records-int64(worker)) / float64(workers)))
}
