package workload

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// draft is a Spec in the making, with what the Spec doesn't keep.
type draft struct {
	*Spec
	fieldCount  int64
	fieldPrefix string
	histogram   string // the file of field lengths
	source      Source
}

// defaultHistogram is YCSB's.
const defaultHistogram = "hist.txt"

// Parse reads the workload's properties; what is not set has YCSB's default. An unknown
// property is an error that suggests the nearest one, and so is what the source does not
// allow. All that is wrong is said at once, in the order of the properties' names.
func Parse(properties map[string]string, source Source) (*Spec, error) {
	d := draft{
		fieldCount: 10, fieldPrefix: "field", histogram: defaultHistogram, source: source,
		Spec: &Spec{
			Table: "usertable", FieldLength: 100, MinFieldLength: 1, FieldLengths: Constant,
			ReadAllFields: true, ZeroPadding: 1, Requests: Uniform,
			HotspotData: 0.2, HotspotOperations: 0.8,
			ExponentialShare: 95, ExponentialPart: 0.8571428571,
			KeyRanges:     publishedRanges(),
			MinScanLength: 1, MaxScanLength: 1000, ScanLengths: Uniform,
			FieldLengthPareto: ParetoLaw{K: 0.2615, Sigma: 25.45},
			ScanLengthPareto:  ParetoLaw{K: 2.517, Sigma: 14.236},
		},
	}
	d.Weights[stores.Read], d.Weights[stores.Update] = 0.95, 0.05

	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		set, ok := setters[name]
		if !ok {
			wrong = append(wrong, &PropertyError{name, refusal(name, source)})
			continue
		}
		value := strings.TrimSpace(properties[name])
		if err := set(&d, value); err != nil {
			wrong = append(wrong, &PropertyError{name, fmt.Errorf("property %s=%q: %w", name, value, err)})
		}
	}
	if len(wrong) == 0 {
		wrong = append(wrong, d.settle())
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	d.Fields = make([]string, d.fieldCount)
	for i := range d.Fields {
		d.Fields[i] = d.fieldPrefix + strconv.Itoa(i)
	}
	return d.Spec, nil
}

// settle reads the file that the properties name, and checks them all.
func (d *draft) settle() error {
	if d.FieldLengths == Histogram {
		if err := d.readHistogram(); err != nil {
			return err
		}
	}
	return d.check()
}

// check looks at what single properties cannot say.
func (d *draft) check() error {
	var sum float64
	for _, w := range d.Weights {
		sum += w
	}
	switch {
	case sum == 0:
		return errors.New("all proportions are 0; set at least one, such as readproportion=1")
	case d.FieldLengths != Constant && d.MinFieldLength > d.FieldLength:
		return fmt.Errorf("minfieldlength=%d is above fieldlength=%d; lower it", d.MinFieldLength, d.FieldLength)
	case d.MinScanLength > d.MaxScanLength:
		return fmt.Errorf("minscanlength=%d is above maxscanlength=%d; lower it", d.MinScanLength, d.MaxScanLength)
	case d.DataIntegrity && d.FieldLengths != Constant:
		return errors.New("dataintegrity needs values of one length; set fieldlengthdistribution=constant")
	case d.TTL > 0 && !d.CacheAside:
		return errors.New("cacheaside.ttl needs cacheaside=true")
	case d.Requests == Exponential && d.exponentialHits() < leastHits:
		return fmt.Errorf("exponential.percentile=%g and exponential.frac=%g let fewer than 1 %% of the draws hit a record; "+
			"raise exponential.percentile or lower exponential.frac", d.ExponentialShare, d.ExponentialPart)
	case d.fieldCount*d.FieldLength > maxRecordBytes:
		return fmt.Errorf("fieldcount=%d times fieldlength=%d is above %d bytes for a record; lower one of them",
			d.fieldCount, d.FieldLength, maxRecordBytes)
	case d.Requests == Mixgraph:
		return d.KeyRanges.check()
	}
	return nil
}

// readHistogram makes the longest value that of the file.
func (d *draft) readHistogram() error {
	data, err := d.source.read(d.histogram)
	if err == nil {
		d.LengthHistogram, err = parseLengthHistogram(data, d.histogram)
	}
	if err != nil {
		return fmt.Errorf("fieldlengthdistribution=histogram needs the file of fieldlengthhistogram=%q: %w", d.histogram, err)
	}
	d.FieldLength, d.MinFieldLength = d.LengthHistogram.longest(), 1
	return nil
}

// leastHits is the share of draws that must hit a record: the others are drawn again.
const leastHits = 0.01

// exponentialHits is the share of the exponential law's draws that are within the records:
// all but those further back from the newest than the oldest is.
func (d *draft) exponentialHits() float64 {
	return -math.Expm1(math.Log1p(-d.ExponentialShare/100) / d.ExponentialPart)
}
