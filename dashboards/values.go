package main

import (
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

const (
	heatFormat  = prometheus.PromQueryFormatHeatmap
	tableFormat = prometheus.PromQueryFormatTable
)

// from is a color without a threshold, and others from values on.
func from(color string, then ...dashboard.Threshold) *dashboard.ThresholdsConfigBuilder {
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).
		Steps(append([]dashboard.Threshold{{Color: color}}, then...))
}

func above(value float64, color string) dashboard.Threshold {
	return dashboard.Threshold{Value: &value, Color: color}
}

// means names a value.
func means(value int, text, color string) dashboard.ValueMapping {
	return dashboard.ValueMapping{ValueMap: &dashboard.ValueMap{
		Type:    dashboard.MappingTypeValueToText,
		Options: map[string]dashboard.ValueMappingResult{strconv.Itoa(value): {Text: &text, Color: &color, Index: cog.ToPtr(int32(value))}},
	}}
}

// column is one of a table: a label, or the value of a query ("Value #A").
type column struct {
	of, title  string // without a title it isn't shown
	properties []dashboard.DynamicConfigValue
}

func inUnit(unit string) []dashboard.DynamicConfigValue {
	return []dashboard.DynamicConfigValue{{Id: "unit", Value: unit}}
}

// verdict colors what a condition says.
func verdict() []dashboard.DynamicConfigValue {
	colors := map[string]any{}
	for i, word := range []struct{ status, color string }{{"True", "green"}, {"False", "red"}, {"Unknown", "orange"}, {"None", "text"}} {
		colors[word.status] = map[string]any{"color": word.color, "index": i}
	}
	return []dashboard.DynamicConfigValue{
		{Id: "mappings", Value: []any{map[string]any{"type": "value", "options": colors}}},
		{Id: "custom.cellOptions", Value: map[string]any{"type": "color-text"}},
	}
}

// linked leads from a run's ID to its dashboard.
func linked() []dashboard.DynamicConfigValue {
	return []dashboard.DynamicConfigValue{{Id: "links", Value: []any{map[string]any{
		"title": "Show the run", "url": "/d/kvbench-run?${datasource:queryparam}&var-run=${__value.text:percentencode}&${__url_time_range}",
	}}}}
}

// arranged puts the columns of a table in order, under their titles.
func arranged(columns []column) dashboard.DataTransformerConfig {
	hidden, places, titles := map[string]bool{"Time": true}, map[string]int{}, map[string]string{}
	for i, c := range columns {
		if c.title == "" {
			hidden[c.of] = true
			continue
		}
		places[c.of], titles[c.of] = i, c.title
	}
	return dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{
		"excludeByName": hidden, "indexByName": places, "renameByName": titles,
	}}
}
