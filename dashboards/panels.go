package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/grafana/grafana-foundation-sdk/go/trend"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// Widths, of 24.
const (
	eighth = 3
	sixth  = 4
	third  = 8
	half   = 12
	whole  = 24
)

// lines are a graph over time.
func lines(title, about, unit string, queries ...query) *timeseries.PanelBuilder {
	return timeseries.NewPanelBuilder().Title(title).Description(about).Datasource(source()).
		Span(half).Height(8).Unit(unit).Min(0).Targets(series(queries)).
		LineWidth(1).FillOpacity(8).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).
			ShowLegend(true).Calcs([]string{"lastNotNull", "max"})).
		Tooltip(manyTooltip())
}

func manyTooltip() *common.VizTooltipOptionsBuilder {
	return common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)
}

func stacked() *common.StackingConfigBuilder {
	return common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A")
}

// logarithmic suits times, which lie decades apart in an outage.
func logarithmic() *common.ScaleDistributionConfigBuilder {
	return common.NewScaleDistributionConfigBuilder().Type(common.ScaleDistributionLog).Log(10)
}

// times are percentiles over time, on a scale of decades.
func times(title, about string, queries ...query) *timeseries.PanelBuilder {
	builder := lines(title, about, units.Seconds, queries...)
	built := builder.ScaleDistribution(logarithmic())
	return built
}

// figure is the last value in the time that is shown, with its course behind it.
func figure(title, about, unit string, q query) *stat.PanelBuilder {
	return stat.NewPanelBuilder().Title(title).Description(about).Datasource(source()).
		Span(eighth).Height(4).Unit(unit).Targets(series([]query{q})).
		GraphMode(common.BigValueGraphModeArea).ColorMode(common.BigValueColorModeValue).
		TextMode(common.BigValueTextModeValue).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		Thresholds(from("blue"))
}

// word is a figure whose values have names.
func word(title, about string, q query, mappings ...dashboard.ValueMapping) *stat.PanelBuilder {
	return figure(title, about, units.Short, q).GraphMode(common.BigValueGraphModeNone).
		ColorMode(common.BigValueColorModeBackground).Mappings(mappings)
}

// states are bars whose colors say what was so.
func states(title, about string, queries []query, mappings ...dashboard.ValueMapping) *statetimeline.PanelBuilder {
	return statetimeline.NewPanelBuilder().Title(title).Description(about).Datasource(source()).
		Span(half).Height(6).Targets(series(queries)).Mappings(mappings).Thresholds(from("text")).
		ShowValue(common.VisibilityModeNever).MergeValues(true).RowHeight(0.8).FillOpacity(80).LineWidth(0).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeSingle))
}

// heat shows how many of each second took how long.
func heat(title, about string, q query) *heatmap.PanelBuilder {
	return heatmap.NewPanelBuilder().Title(title).Description(about).Datasource(source()).
		Span(half).Height(8).
		WithTarget(q.at(0).Range().Format(heatFormat)).
		Calculate(false).
		Color(heatmap.NewHeatmapColorOptionsBuilder().Mode(heatmap.HeatmapColorModeScheme).Scheme("Turbo").Fill("dark-orange").
			Scale(heatmap.HeatmapColorScaleExponential).Exponent(0.5).Steps(64)).
		CellValues(heatmap.NewCellValuesBuilder().Unit(units.OpsPerSecond)).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(units.Seconds).AxisPlacement(common.AxisPlacementLeft)).
		ShowLegend()
}

// list is a table of what is so at the end of the time that is shown.
func list(title, about string, columns []column, queries ...query) *table.PanelBuilder {
	builder := table.NewPanelBuilder().Title(title).Description(about).Datasource(source()).
		Span(whole).Height(7).Targets(rows(queries)).ShowHeader(true).Filterable(true).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).
		WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
		WithTransformation(arranged(columns))
	for _, c := range columns {
		if len(c.properties) > 0 {
			builder.OverrideByName(c.title, c.properties)
		}
	}
	return builder
}

// aligned draws a value by the seconds since something, one line for each value of the label. Its query gives each of
// its series these two as labels.
func aligned(title, about, unit, label, axis string, q query) *trend.PanelBuilder {
	corner := "since\\" + label
	return trend.NewPanelBuilder().Title(title).Description(about).Datasource(source()).
		Span(half).Height(9).Unit(unit).MaxDataPoints(10_000).
		WithTarget(q.at(0).Range().Format(tableFormat)).
		WithTransformation(dashboard.DataTransformerConfig{Id: "groupingToMatrix", Options: map[string]any{
			"columnField": label, "rowField": "since", "valueField": "Value", "emptyValue": "null",
		}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "convertFieldType", Options: map[string]any{
			"fields": map[string]any{}, "conversions": []any{map[string]any{"targetField": corner, "destinationType": "number"}},
		}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "sortBy", Options: map[string]any{
			"fields": map[string]any{}, "sort": []any{map[string]any{"field": corner}},
		}}).
		XField(corner).
		OverrideByName(corner, []dashboard.DynamicConfigValue{{Id: "unit", Value: units.Seconds}, {Id: "custom.axisLabel", Value: axis}}).
		LineWidth(1).ShowPoints(common.VisibilityModeNever).SpanNulls(common.BoolOrFloat64{Bool: cog.ToPtr(true)}).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(manyTooltip())
}
