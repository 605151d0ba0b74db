package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/chartsource"
	"github.com/kvbench/kvbench/internal/helm"
)

const renderCommand = "render-chart"

// ownCharts fetches charts that runs bring, and renders them in processes of this program.
type ownCharts struct {
	*chartsource.Fetcher
	*helm.Isolated
}

func newOwnCharts(sources []string) (ownCharts, error) {
	allowed, err := chartsource.ParseAllowed(sources)
	if err != nil {
		return ownCharts{}, fmt.Errorf("--chart-source: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return ownCharts{}, fmt.Errorf("looking for this program's own file: %w", err)
	}
	return ownCharts{chartsource.New(allowed, http.DefaultTransport), helm.NewIsolated(program, renderCommand)}, nil
}

// newRenderCommand is what the controller starts for each chart that a run brings.
func newRenderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    renderCommand,
		Short:  "Render a chart within bounds, for the controller",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return helm.ServeRender(os.Stdin, os.Stdout) },
	}
}
