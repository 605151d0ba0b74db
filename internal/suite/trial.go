package suite

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// Defaults of a suite's spec.
const (
	defaultTrials  = 8
	defaultRetries = 2
	defaultMaxRuns = 200
)

// Trials is how often each combination is run, at most.
func Trials(spec *v1alpha1.BenchmarkSuiteSpec) int {
	if spec.Trials.Until != nil {
		return or(spec.Trials.Max, defaultTrials)
	}
	return or(spec.Trials.Count, defaultTrials)
}

// Retries is how often a trial may be made again.
func Retries(spec *v1alpha1.BenchmarkSuiteSpec) int { return or(spec.Retries, defaultRetries) }

// MaxRuns bounds the trials of all combinations.
func MaxRuns(spec *v1alpha1.BenchmarkSuiteSpec) int { return or(spec.MaxRuns, defaultMaxRuns) }

func or(value *int32, byDefault int) int {
	if value == nil {
		return byDefault
	}
	return int(*value)
}

// Seed is the spec's, or follows from the UID. A suite that adopts runs has the seed of the suite that made them, so that its
// blocks go on in their order; its status has it. It is below 2⁶³, so that it fits spec.seed.
func Seed(suite *v1alpha1.BenchmarkSuite) uint64 {
	if suite.Spec.Seed != nil {
		return uint64(*suite.Spec.Seed)
	}
	if suite.Spec.Adopt && suite.Status.SpecSHA256 != "" { // it was accepted
		return uint64(suite.Status.Seed)
	}
	return hash(string(suite.UID))
}

func hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:]) >> 1
}

// Trial is one combination in one block. Both count from 0.
type Trial struct{ Block, Combination int }

// Order is the trials in the order in which they are run: block by block, each with every combination once, in an order of
// its own (randomised blocks: Cochran and Cox, Experimental Designs, 1957, chapter 4). A drift of the machine then falls on
// all combinations alike.
func Order(seed uint64, combinations, blocks int) []Trial {
	order := make([]Trial, 0, combinations*blocks)
	for block := range blocks {
		random := rand.NewPCG(seed, uint64(block))
		first := len(order)
		for combination := range combinations {
			order = append(order, Trial{block, combination})
		}
		// Fisher and Yates' shuffle, written out: the library's may be another one in the next version, and then an
		// operator that is updated in the middle of a block would find another order.
		for i := combinations - 1; i > 0; i-- {
			j := int(random.Uint64() % uint64(i+1))
			order[first+i], order[first+j] = order[first+j], order[first+i]
		}
	}
	return order
}

// RunSeed is the seed of the runs of a block. All have the same, so that they send the same operations.
func RunSeed(seed uint64, block int) int64 {
	return int64(hash(fmt.Sprintf("%d/%d", seed, block)))
}
