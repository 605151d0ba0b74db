package workload

import (
	"math"
	"math/rand/v2"
)

// pareto draws whole numbers from 1 to most by the generalized Pareto law, which fits
// value sizes and scan lengths in Cao et al. (FAST'20): ⌈σ·(u^-k - 1)/k⌉ with u in (0, 1],
// as RocksDB's db_bench has it in ParetoCdfInversion with θ = 0.
//
// What is above most is cut off: u is drawn from where the law reaches it. db_bench takes
// such a draw modulo its maximum instead, which puts it anywhere.
type pareto struct {
	k, sigma float64
	most     float64
	beyond   float64 // the law's share above most
}

func newPareto(k, sigma float64, most int64) pareto {
	p := pareto{k: k, sigma: sigma, most: float64(most)}
	if k == 0 { // the limit: an exponential law
		p.beyond = math.Exp(-p.most / sigma)
	} else {
		p.beyond = math.Exp(-math.Log1p(k*p.most/sigma) / k)
	}
	return p
}

func (p *pareto) next(rng *rand.Rand) int64 {
	// 1-Float64 is in (0, 1], so that the logarithm is finite.
	logarithm := math.Log(p.beyond + (1-p.beyond)*(1-rng.Float64()))
	x := -logarithm
	if p.k != 0 {
		x = math.Expm1(-p.k*logarithm) / p.k
	}
	return int64(max(1, min(p.most, math.Ceil(p.sigma*x))))
}
