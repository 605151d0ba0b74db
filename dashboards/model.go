package main

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// The SDK has a second model of a dashboard, for Grafana 12. Older versions, and the sidecar that reads ConfigMaps, take this one alone.
type (
	model        = dashboard.Dashboard        //nolint:staticcheck // see above
	modelBuilder = dashboard.DashboardBuilder //nolint:staticcheck // see above
)

var newModelBuilder = dashboard.NewDashboardBuilder //nolint:staticcheck // see above
