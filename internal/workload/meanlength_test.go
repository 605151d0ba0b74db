package workload

import (
	"math"
	"testing"
)

func TestTheMeanFieldLengthIsThatOfWhatThreadsWrite(t *testing.T) {
	for name, properties := range map[string]map[string]string{
		"constant":  {"fieldlength": "100"},
		"uniform":   {"fieldlength": "1000", "minfieldlength": "10", "fieldlengthdistribution": "uniform"},
		"zipfian":   {"fieldlength": "1000", "minfieldlength": "10", "fieldlengthdistribution": "zipfian"},
		"pareto":    {"fieldlength": "1024", "fieldlengthdistribution": "pareto"},
		"histogram": {"fieldlengthdistribution": "histogram", "fieldlengthhistogram": "h"},
	} {
		t.Run(name, func(t *testing.T) {
			spec, err := Parse(properties, FromRun(map[string][]byte{"h": []byte("BlockSize\t100\n0\t90\n1\t0\n2\t10\n")}))
			if err != nil {
				t.Fatal(err)
			}
			thread := NewKeyspace(spec, Share{Records: 1000, Workers: 1, Seed: 1}).NewThread(0)
			var written, fields float64
			for range 200_000 {
				written += float64(thread.fieldLength())
				fields++
			}
			if got, want := spec.MeanFieldLength(), written/fields; math.Abs(got-want) > want/50 {
				t.Errorf("the mean is %.1f bytes, and threads write %.1f", got, want)
			}
		})
	}
}
