package workload

import (
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// Limits that keep a worker within its memory.
const (
	maxFields      = 1000
	maxFieldLength = 50 << 20
	maxRecordBytes = 64 << 20
	maxScan        = 100_000
	maxPadding     = 256
	maxKeyRanges   = 100_000
)

// setters are the workload's properties.
var setters = map[string]func(d *draft, value string) error{
	"workload": func(_ *draft, v string) error {
		return oneOf(new(string), v, "core", "site.ycsb.workloads.CoreWorkload", "com.yahoo.ycsb.workloads.CoreWorkload")
	},
	"table":           func(d *draft, v string) error { return name(&d.Table, v) },
	"fieldcount":      func(d *draft, v string) error { return integer(&d.fieldCount, v, 1, maxFields) },
	"fieldnameprefix": func(d *draft, v string) error { return name(&d.fieldPrefix, v) },
	"fieldlength":     func(d *draft, v string) error { return integer(&d.FieldLength, v, 1, maxFieldLength) },
	"minfieldlength":  func(d *draft, v string) error { return integer(&d.MinFieldLength, v, 1, maxFieldLength) },
	LengthDistributionProperty: func(d *draft, v string) error {
		return oneOf(&d.FieldLengths, v, Constant, Uniform, Zipfian, Histogram, Pareto)
	},
	"fieldlengthpareto.k":     func(d *draft, v string) error { return number(&d.FieldLengthPareto.K, v, 0, 100) },
	"fieldlengthpareto.sigma": func(d *draft, v string) error { return number(&d.FieldLengthPareto.Sigma, v, 1e-9, 1e9) },

	LengthHistogramProperty:     func(d *draft, v string) error { d.histogram = v; return d.source.allows(v) },
	"readallfields":             func(d *draft, v string) error { return boolean(&d.ReadAllFields, v) },
	"readallfieldsbyname":       func(d *draft, v string) error { return boolean(&d.ReadFieldsByName, v) },
	"writeallfields":            func(d *draft, v string) error { return boolean(&d.WriteAllFields, v) },
	"dataintegrity":             func(d *draft, v string) error { return boolean(&d.DataIntegrity, v) },
	"readproportion":            weight(stores.Read),
	"updateproportion":          weight(stores.Update),
	"insertproportion":          weight(stores.Insert),
	"scanproportion":            weight(stores.Scan),
	"readmodifywriteproportion": weight(stores.ReadModifyWrite),
	"deleteproportion":          weight(stores.Delete),
	"requestdistribution": func(d *draft, v string) error {
		return oneOf(&d.Requests, v, Uniform, Zipfian, Latest, Exponential, Hotspot, Sequential, Mixgraph)
	},
	"zeropadding": func(d *draft, v string) error {
		padding := int64(d.ZeroPadding)
		err := integer(&padding, v, 0, maxPadding)
		d.ZeroPadding = int(padding)
		return err
	},
	"minscanlength":          func(d *draft, v string) error { return integer(&d.MinScanLength, v, 1, maxScan) },
	"maxscanlength":          func(d *draft, v string) error { return integer(&d.MaxScanLength, v, 1, maxScan) },
	"scanlengthdistribution": func(d *draft, v string) error { return oneOf(&d.ScanLengths, v, Uniform, Zipfian, Pareto) },
	"scanlengthpareto.k":     func(d *draft, v string) error { return number(&d.ScanLengthPareto.K, v, 0, 100) },
	"scanlengthpareto.sigma": func(d *draft, v string) error { return number(&d.ScanLengthPareto.Sigma, v, 1e-9, 1e9) },
	// YCSB hashes only when the value is exactly "hashed".
	"insertorder": func(d *draft, v string) error { d.OrderedInserts = v != "hashed"; return nil },
	"keyhash": func(d *draft, v string) error {
		var hash string
		err := oneOf(&hash, v, "ycsb", "go-ycsb")
		d.GoYCSBKeys = hash == "go-ycsb"
		return err
	},
	"keyspace": func(d *draft, v string) error {
		var keys string
		err := oneOf(&keys, v, "shared", "own")
		d.OwnKeys = keys == "own"
		return err
	},
	"keyrange.a":             func(d *draft, v string) error { return number(&d.KeyRanges.A, v, -1e9, 1e9) },
	"keyrange.b":             func(d *draft, v string) error { return number(&d.KeyRanges.B, v, -1e9, 1e9) },
	"keyrange.c":             func(d *draft, v string) error { return number(&d.KeyRanges.C, v, -1e9, 1e9) },
	"keyrange.d":             func(d *draft, v string) error { return number(&d.KeyRanges.D, v, -1e9, 1e9) },
	"keyrange.num":           func(d *draft, v string) error { return integer(&d.KeyRanges.Num, v, 1, maxKeyRanges) },
	"keydist.a":              func(d *draft, v string) error { return number(&d.KeyRanges.KeyA, v, 0, 1e9) },
	"keydist.b":              func(d *draft, v string) error { return number(&d.KeyRanges.KeyB, v, 0, 1e9) },
	"cacheaside":             func(d *draft, v string) error { return boolean(&d.CacheAside, v) },
	"cacheaside.ttl":         func(d *draft, v string) error { return seconds(&d.TTL, v, 0.001) },
	"hotspotdatafraction":    func(d *draft, v string) error { return number(&d.HotspotData, v, 0, 1) },
	"hotspotopnfraction":     func(d *draft, v string) error { return number(&d.HotspotOperations, v, 0, 1) },
	"exponential.percentile": func(d *draft, v string) error { return number(&d.ExponentialShare, v, 1e-9, 100-1e-9) },
	"exponential.frac":       func(d *draft, v string) error { return number(&d.ExponentialPart, v, 1e-9, 1e9) },
}

// Proportion is the property with the weight of a kind of operations.
func Proportion(kind stores.Kind) string {
	return strings.ReplaceAll(strings.ToLower(kind.String()), "-", "") + "proportion"
}

func weight(kind stores.Kind) func(*draft, string) error {
	return func(d *draft, v string) error { return number(&d.Weights[kind], v, 0, 1e9) }
}
