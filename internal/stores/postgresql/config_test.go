package postgresql

import (
	"crypto/tls"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestPropertiesMakeTheConnection(t *testing.T) {
	t.Setenv("PGHOST", "elsewhere")
	t.Setenv("PGOPTIONS", "-c fsync=off")
	const hostile = `it's \ password=x host=evil`
	configs, err := configsOf(stores.Config{Addresses: []string{"a:1", "[::1]:2"}, Properties: map[string]string{"user": hostile, "password": hostile, "db": hostile}})
	if err != nil || len(configs) != 2 {
		t.Fatalf("%v, %v", configs, err)
	}
	for i, host := range []string{"a", "::1"} {
		c := configs[i]
		if c.Host != host || int(c.Port) != i+1 || c.User != hostile || c.Password != hostile || c.Database != hostile || c.TLSConfig != nil || len(c.Fallbacks) > 0 {
			t.Errorf("%s: %+v", host, c)
		}
		if c.RuntimeParams["options"] != "" || c.RuntimeParams["enable_seqscan"] != "off" {
			t.Errorf("settings %v", c.RuntimeParams)
		}
	}
	if primary := primaryOf(configs); primary.Host != "a" || len(primary.Fallbacks) != 1 || primary.Fallbacks[0].Host != "::1" || primary.ValidateConnect == nil {
		t.Errorf("%+v", primary)
	}
}

func TestWhatMakesNoConnectionIsRefusedWithoutThePassword(t *testing.T) {
	for want, properties := range map[string]map[string]string{
		"pg.sslmode": {"sslmode": "prefer"}, "pg.sslmod is not one": {"sslmod": "disable"}, "member": {},
	} {
		properties["password"] = "secret"
		cfg := stores.Config{Addresses: []string{"a:1"}, Properties: properties}
		if want == "member" {
			cfg.Addresses = nil
		}
		if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Open(stores.Config{Addresses: []string{"a:1"}, Mode: "fast"}); err == nil || !strings.Contains(err.Error(), "async-jsonb") {
		t.Error(err)
	}
}

func TestCredentialsWinOverProperties(t *testing.T) {
	cfg := stores.Config{
		Addresses: []string{"a:1", "b:2"}, Properties: map[string]string{"user": "u", "password": "p", "sslmode": "disable"},
		Credentials: &stores.Credentials{User: "somebody", Password: "hidden", TLS: &tls.Config{}},
	}
	configs, err := configsOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, host := range []string{"a", "b"} {
		if c := configs[i]; c.User != "somebody" || c.Password != "hidden" || c.TLSConfig == nil || c.TLSConfig.ServerName != host {
			t.Errorf("%s: %s, %+v", host, c.User, c.TLSConfig)
		}
	}
	if other := primaryOf(configs).Fallbacks[0]; other.Host != "b" || other.TLSConfig.ServerName != "b" {
		t.Errorf("the second member is asked for as %+v", other)
	}
	cfg.Credentials.TLS = nil
	if configs, err = configsOf(cfg); err != nil || configs[0].TLSConfig != nil || configs[0].Password != "hidden" {
		t.Errorf("without TLS: %+v, %v", configs[0].TLSConfig, err)
	}
}
