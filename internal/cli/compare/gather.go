package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/page"
	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// gatherer reads what is compared. It connects to the cluster when something of it is named first.
type gatherer struct {
	env     *env.Env
	cluster *kube.Cluster
	server  *kube.Results
	results documents // of the server
	stdin   bool      // was read
	charts  bool      // are wanted, for a page
}

// documents are what the results server has.
type documents interface {
	// Get fetches a document from a path of the server's.
	Get(ctx context.Context, path string) ([]byte, error)
	// Ask reads an answer of JSON.
	Ask(ctx context.Context, path string, into any) error
}

func (g *gatherer) close() {
	if g.server != nil {
		g.server.Close()
	}
}

// all reads the arguments in their order. What has no numbers that may be believed ends in exit.Unknown.
func (g *gatherer) all(ctx context.Context, arguments []string) ([]*source.Source, error) {
	references := make([]source.Reference, len(arguments))
	for i, argument := range arguments {
		var err error
		if references[i], err = source.Parse(argument); err != nil {
			return nil, err
		}
	}
	var sources []*source.Source
	for i, reference := range references {
		s, err := g.one(ctx, arguments[i], reference)
		if errors.Is(err, source.ErrNotValid) || errors.Is(err, source.ErrUnderWay) || errors.Is(err, errNoReport) {
			return nil, exit.With(exit.Unknown, err)
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

func (g *gatherer) one(ctx context.Context, argument string, reference source.Reference) (*source.Source, error) {
	if reference.File != "" {
		document, err := g.file(reference.File)
		if err != nil {
			return nil, err
		}
		s, err := source.Read(argument, document)
		if err != nil || !g.charts || s.Kind != source.Run {
			return s, err
		}
		s.Charts, err = chartsBeside(reference.File)
		return s, err
	}
	if err := g.connect(); err != nil {
		return nil, err
	}
	if reference.Kind == source.Baseline {
		return g.baseline(ctx, argument, reference.Name)
	}
	wanted := reference.Name
	if reference.Kind != "" {
		wanted = string(reference.Kind) + "/" + reference.Name
	}
	entry, err := inventory.Find(ctx, g.cluster, g.server, wanted, "")
	if err != nil {
		if _, there := os.Stat(argument); errors.Is(err, inventory.ErrNotFound) && there == nil {
			return nil, fmt.Errorf("%w\nthe file of that name is ./%s", err, argument)
		}
		return nil, err
	}
	return g.entry(ctx, argument, entry)
}

// connect reads the kubeconfig at the first name.
func (g *gatherer) connect() (err error) {
	if g.cluster != nil {
		return nil
	}
	if g.cluster, err = g.env.Flags.Connect(); err != nil {
		return err
	}
	g.server = g.cluster.Results()
	g.results = g.server
	return nil
}

// file reads one, or standard input, as far as a document may be long.
func (g *gatherer) file(path string) (document []byte, err error) {
	from := g.env.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, named(path, err)
		}
		defer file.Close()
		from = file
	} else if g.stdin {
		return nil, errors.New("standard input, -, can be compared once alone")
	} else {
		g.stdin = true
	}
	if document, err = io.ReadAll(io.LimitReader(from, source.MaxBytes+1)); err != nil {
		return nil, named(path, err)
	}
	return document, nil
}

// errNoReport is of what has not ended.
var errNoReport = errors.New("it has no report yet")

// entry fetches what a run or a suite has found.
func (g *gatherer) entry(ctx context.Context, argument string, entry *inventory.Entry) (*source.Source, error) {
	if !entry.Reported {
		return nil, named(argument, fmt.Errorf("%w: it is %s", errNoReport, entry.Phase))
	}
	if entry.Kind == inventory.Run {
		document, err := g.results.Get(ctx, entry.Location()+forward.Report)
		if err != nil {
			return nil, err
		}
		s, err := source.Read(argument, document)
		if err != nil || !g.charts {
			return s, err
		}
		s.Charts, err = page.Charts(ctx, g.results, entry.Location())
		return s, err
	}
	// Why a suite can't be compared, its report says. The baseline has the fingerprints.
	report, err := g.results.Get(ctx, entry.Location()+"/suite.json")
	if err != nil {
		return nil, err
	}
	if _, err := source.Read(argument, report); err != nil {
		return nil, err
	}
	document, err := g.results.Get(ctx, entry.Location()+"/baseline.json")
	if err != nil {
		return nil, err
	}
	s, err := source.Read(argument, document)
	if err != nil {
		return nil, err
	}
	return s, s.Complete(report)
}

// baseline fetches what is kept under a name of the namespace.
func (g *gatherer) baseline(ctx context.Context, argument, name string) (*source.Source, error) {
	folder := "/v1/baselines/" + url.PathEscape(g.cluster.Namespace)
	document, err := g.results.Get(ctx, folder+"/"+url.PathEscape(name))
	var refused *forward.Refusal
	switch {
	case errors.As(err, &refused) && refused.Reason == wire.ReasonNotFound:
		return nil, fmt.Errorf("the namespace %s has no baseline %s%s", g.cluster.Namespace, name, g.nearest(ctx, folder, name))
	case err != nil:
		return nil, err
	}
	return source.Read(argument, document)
}

// nearest suggests a baseline that differs in a third of its letters at most.
func (g *gatherer) nearest(ctx context.Context, folder, name string) string {
	var kept wire.BaselineList
	best, distance := "", len(name)/3+1
	if g.results.Ask(ctx, folder, &kept) == nil {
		for _, b := range kept.Baselines {
			if d := editdistance.Between(name, b.Name); d < distance {
				best, distance = b.Name, d
			}
		}
	}
	if best == "" {
		return "; kubectl kvbench baseline list shows those there are"
	}
	return "; did you mean " + best + "?"
}
