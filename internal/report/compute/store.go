package compute

import (
	"cmp"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/values"
	"github.com/kvbench/kvbench/internal/stores"
)

func reportStore(s *plan.Store) report.Store {
	store := report.Store{
		Name: s.Name, Driver: s.Driver, Mode: s.Mode, Promise: s.Promise, Existing: s.Existing,
		Security:  cmp.Or(s.Security, stores.SecurityNone),
		Consensus: s.Consensus, Members: memberNames(s),
	}
	switch own := s.OwnChart; {
	case own != nil:
		store.OwnChart = &report.OwnChart{Source: own.Source, Name: own.Name, Version: own.Version, SHA256: own.SHA256}
		store.Values = values.Decode(s.Values)
	case !s.Existing:
		store.Version, store.Chart, store.Persistent = s.Version, s.Chart, &s.Persistent
		store.Values = values.Decode(s.EffectiveValues)
	}
	return store
}

func memberNames(s *plan.Store) []string {
	names := []string{}
	for _, m := range s.Members {
		names = append(names, m.Name)
	}
	return names
}
