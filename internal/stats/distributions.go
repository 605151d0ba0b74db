package stats

import "math"

// signedRank has the probabilities of Wilcoxon's signed-rank statistic of n values without a shift: of each sum that
// the ranks 1 to n with a positive sign may have, from 0 to n(n+1)/2.
func signedRank(n int) []float64 {
	p := make([]float64, n*(n+1)/2+1)
	p[0] = 1
	most := 0
	for rank := 1; rank <= n; rank++ {
		most += rank
		for sum := most; sum >= 0; sum-- {
			p[sum] /= 2
			if sum >= rank {
				p[sum] += p[sum-rank] / 2
			}
		}
	}
	return p
}

// mannWhitney has the probabilities of the Mann-Whitney statistic of m and n values without a shift: of each number of
// pairs, from 0 to mn, in which the first is the larger one. The largest of all values is one of the m with probability
// m/(m+n), and is then larger than all n others. (Mann and Whitney, Annals of Mathematical Statistics 18, 1947, page 51.)
// Of many values they are those of the normal distribution with its mean and variance, from which they hardly differ then.
// (Hollander, Wolfe and Chicken, 2014, section 4.1, large-sample approximation.)
func mannWhitney(m, n int) []float64 {
	if m*n > exactPairs {
		return mannWhitneyNormal(m, n)
	}
	of := make([][]float64, n+1) // with i and j values: of[j][u]
	for j := range of {
		of[j] = make([]float64, m*n+1)
		of[j][0] = 1
	}
	for i := 1; i <= m; i++ {
		next := make([][]float64, n+1)
		next[0] = make([]float64, m*n+1)
		next[0][0] = 1
		for j := 1; j <= n; j++ {
			next[j] = make([]float64, m*n+1)
			largest := float64(i) / float64(i+j)
			for u := 0; u <= i*j; u++ {
				next[j][u] = (1 - largest) * next[j-1][u]
				if u >= j {
					next[j][u] += largest * of[j][u-j]
				}
			}
		}
		of = next
	}
	return of[n]
}

// exactPairs bounds the work of the exact distribution, which grows with the square of the pairs.
const exactPairs = 2500

func mannWhitneyNormal(m, n int) []float64 {
	pairs := float64(m) * float64(n)
	mean, deviation := pairs/2, math.Sqrt(pairs*float64(m+n+1)/12)
	below := func(u float64) float64 { return math.Erfc((mean-u)/(deviation*math.Sqrt2)) / 2 }
	p := make([]float64, m*n+1)
	p[0] = below(0.5)
	for u := 1; u < len(p); u++ {
		p[u] = below(float64(u)+0.5) - below(float64(u)-0.5)
	}
	return p
}

// coin has the probabilities of the number of heads of n fair coins, from 0 to n.
func coin(n int) []float64 {
	p := make([]float64, n+1)
	p[0] = 1
	for tossed := 1; tossed <= n; tossed++ {
		for heads := tossed; heads >= 0; heads-- {
			p[heads] /= 2
			if heads > 0 {
				p[heads] += p[heads-1] / 2
			}
		}
	}
	return p
}
