package workload

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// Words say what a workload is, for people.
type Words struct {
	Operations string // such as 50 % READ, 50 % UPDATE
	Keys       string // by which law the records of requests are chosen
	Record     string // fields and their lengths
}

// Describe puts properties into words, without the file that they may name.
func Describe(properties map[string]string) (Words, error) {
	known, file := maps.Clone(properties), ""
	if strings.EqualFold(strings.TrimSpace(known[LengthDistributionProperty]), Histogram) {
		file = cmp.Or(known[LengthHistogramProperty], defaultHistogram)
		known[LengthDistributionProperty] = Constant
	}
	delete(known, LengthHistogramProperty)
	s, err := Parse(known, FromRun(nil))
	if err != nil {
		return Words{}, err
	}
	words := Words{Operations: s.describeOperations(), Keys: s.describeKeys(), Record: s.describeRecord()}
	if file != "" {
		words.Record = fmt.Sprintf("%s with lengths by the histogram of %s", s.describeFields(), file)
	}
	return words, nil
}

func (s *Spec) describeOperations() string {
	var parts []string
	for kind := range stores.NumKinds {
		if share := s.share(kind); share > 0 {
			parts = append(parts, fmt.Sprintf("%.4g %% %s", 100*share, kind))
		}
		if kind == stores.Scan && s.share(kind) > 0 {
			parts[len(parts)-1] += " of " + describeRange(s.MinScanLength, s.MaxScanLength, "records", s.ScanLengths)
		}
	}
	text := strings.Join(parts, ", ")
	if s.CacheAside {
		text += "; what a read misses is inserted"
	}
	return text
}

func (s *Spec) describeKeys() string {
	switch s.Requests {
	case Hotspot:
		return fmt.Sprintf("hotspot, %.4g %% of the operations on %.4g %% of the records", 100*s.HotspotOperations, 100*s.HotspotData)
	case Exponential:
		return fmt.Sprintf("exponential, %.4g %% of the operations on the newest %.4g %% of the records", s.ExponentialShare, 100*s.ExponentialPart)
	case Mixgraph:
		return fmt.Sprintf("mixgraph, %d ranges of keys", s.KeyRanges.Num)
	}
	return s.Requests
}

func (s *Spec) describeRecord() string {
	if s.FieldLengths == Constant {
		return fmt.Sprintf("%s of %d bytes", s.describeFields(), s.FieldLength)
	}
	return s.describeFields() + " of " + describeRange(s.MinFieldLength, s.FieldLength, "bytes", s.FieldLengths)
}

func (s *Spec) describeFields() string {
	if len(s.Fields) == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", len(s.Fields))
}

func describeRange(least, most int64, unit, law string) string {
	if least == most {
		return fmt.Sprintf("%d %s", most, unit)
	}
	return fmt.Sprintf("%d to %d %s (%s)", least, most, unit, law)
}
