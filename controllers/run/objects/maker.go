// Package objects builds what a run has in the cluster: its Jobs, its observer, its plan, its
// credentials, and the Helm release of a store of the catalog. It creates nothing.
package objects

import "github.com/kvbench/kvbench/controllers/run/clients"

// Maker builds objects as the installation is configured.
type Maker struct{ Config clients.Config }
