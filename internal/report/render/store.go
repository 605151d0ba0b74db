package render

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/values"
	"github.com/kvbench/kvbench/internal/stores"
)

func storeLine(r *report.Report) string {
	version := r.Store.Version
	if repository := values.Repository(&r.Store); repository != "" {
		version += " of " + repository // which may be another program's, of a version of its own
	}
	if r.Store.Existing {
		version = "of unknown version"
	}
	if own := r.Store.OwnChart; own != nil {
		version = fmt.Sprintf("of chart %s %s", own.Name, own.Version)
	}
	line := fmt.Sprintf("%s %s, %d members, %s", r.Store.Name, version, len(r.Store.Members), r.Store.Mode)
	if r.Store.Security != stores.SecurityNone {
		line += ", security " + r.Store.Security
	}
	return line
}
