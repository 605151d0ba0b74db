package main

import (
	"log/slog"
	"testing"
)

func TestSizesAreReadAsKubernetesWritesThem(t *testing.T) {
	for _, c := range []struct {
		keep, run, reserve string
		bytes              int64
		ok                 bool
	}{
		{"5Gi", "4Gi", "256Mi", 5 << 30, true},
		{"0", "1G", "0", 0, true},
		{"5 GB", "4Gi", "256Mi", 0, false},
		{"-1", "4Gi", "256Mi", 0, false},
		{"5Gi", "", "256Mi", 0, false},
	} {
		o := resultsOptions{keepBytes: c.keep, runBytes: c.run, reserveBytes: c.reserve}
		config, err := o.config(slog.New(slog.DiscardHandler))
		if (err == nil) != c.ok || err == nil && config.KeepBytes != c.bytes {
			t.Errorf("%+v: %d, %v", c, config.KeepBytes, err)
		}
	}
}

func TestFiguresAreSentWhereTheFlagSays(t *testing.T) {
	for _, c := range []struct {
		url  string
		sent bool
		ok   bool
	}{
		{"", false, true},
		{"https://prometheus.example/api/v1/write", true, true},
		{"prometheus.example", false, false},
	} {
		o := resultsOptions{keepBytes: "0", runBytes: "1Gi", reserveBytes: "0"}
		o.remoteWrite.URL = c.url
		config, err := o.config(slog.New(slog.DiscardHandler))
		if (err == nil) != c.ok || (config.RemoteWrite != nil) != c.sent || c.sent && config.RemoteWrite.URL != c.url {
			t.Errorf("%q: %v, %v", c.url, config.RemoteWrite, err)
		}
	}
}
