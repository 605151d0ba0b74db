package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// board is one dashboard.
type board struct {
	uid, title, about string
	from              string // of the time that is shown at first
	variables         []cog.Builder[dashboard.VariableModel]
	marksFaults       bool // with the variable run
	rows              []row
}

// row is a part of a dashboard under a title. One that is folded is asked for when somebody opens it.
type row struct {
	title  string
	folded bool
	panels []panel
}

// panel is one of the SDK's builders.
type panel = cog.Builder[dashboard.Panel]

const tag = "kvbench"

func (b *board) build() (model, error) {
	builder := newModelBuilder("kvbench: "+b.title).
		Uid(b.uid).Description(b.about).Tags([]string{tag}).Editable().
		Refresh("5s").Time(b.from, "now").Timezone("browser").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("kvbench").Type(dashboard.DashboardLinkTypeDashboards).
			Tags([]string{tag}).IncludeVars(true).KeepTime(true)).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"))
	for _, variable := range b.variables {
		builder.WithVariable(variable)
	}
	if b.marksFaults {
		builder.Annotation(faultRegions()).Annotation(unsteadyRegions())
	}
	for _, r := range b.rows {
		r.addTo(builder)
	}
	built, err := builder.Build()
	if err != nil {
		return model{}, err
	}
	number(built.Panels)
	inSight(&built)
	return built, nil
}

func (r *row) addTo(builder *modelBuilder) {
	title := dashboard.NewRowBuilder(r.title)
	if r.folded {
		for _, p := range r.panels {
			title.WithPanel(p)
		}
		builder.WithRow(title)
		return
	}
	builder.WithRow(title)
	for _, p := range r.panels {
		builder.WithPanel(p)
	}
}

// inSight takes links and switches out of the menu that the SDK puts them into.
func inSight(built *model) {
	for i := range built.Links {
		built.Links[i].Placement = nil
	}
	for i := range built.Annotations.List {
		built.Annotations.List[i].Placement = nil
	}
}

// number gives each panel an ID, in order, so that links to one panel stay the same from one start of Grafana to the next.
func number(panels []dashboard.PanelOrRowPanel) {
	next := uint32(0)
	id := func() *uint32 { next++; given := next; return &given }
	for _, p := range panels {
		if p.Panel != nil {
			p.Panel.Id = id()
			continue
		}
		p.RowPanel.Id = *id()
		for i := range p.RowPanel.Panels {
			p.RowPanel.Panels[i].Id = id()
		}
	}
}
