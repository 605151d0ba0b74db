package ycsb

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// synonym is a property of YCSB's or go-ycsb's client for a store that has another name here, or another
// form. value is "" where it says what is the default here.
type synonym struct {
	name, here string
	value      func(text string, all map[string]string, store *stores.Entry) string
}

// synonyms are of stores, by name.
var synonyms = map[string][]synonym{
	"cassandra": {
		{"hosts", "cassandra.endpoints", addresses},
		{"cassandra.cluster", "cassandra.endpoints", addresses},
	},
	"etcd": {{"etcd.serializable_reads", "etcd.mode", ifTrue("serializable")}},
	"ignite": {
		{"hosts", "ignite.endpoints", addresses},
	},
	"memcached": {{"memcached.hosts", "memcached.endpoints", addresses}},
	"redis": {
		{"redis.addr", "redis.endpoints", addresses},
		{"redis.cluster", "redis.mode", ifTrue("cluster")},
		{"redis.datatype", "redis.datatype", unless("hash")},
		{"redis.mode", "redis.mode", unless("single")},
	},
	"": {{"measurement.output_file", "measurement.raw.output_file", same}},
}

// translate gives properties the names and forms that they have here. Of two names for one, the other
// clients' is refused, unless it is one for several stores.
func translate(all, places map[string]string, store *stores.Entry) error {
	var wrong []error
	for _, of := range []string{store.Name, ""} {
		for _, s := range synonyms[of] {
			text, given := all[s.name]
			if !given {
				continue
			}
			if _, both := all[s.here]; both && s.name != s.here {
				if _, harmless := withoutEffect[s.name]; !harmless {
					wrong = append(wrong, &workload.PropertyError{Name: s.name, Err: fmt.Errorf("property %q says what %s does: leave it out", s.name, s.here)})
					delete(all, s.name)
				}
				continue
			}
			value := s.value(strings.TrimSpace(text), all, store)
			delete(all, s.name)
			if value != "" {
				all[s.here] = value
				if place, ok := places[s.name]; ok {
					places[s.here] = place
				}
			}
		}
	}
	return errors.Join(wrong...)
}

func same(text string, _ map[string]string, _ *stores.Entry) string { return text }

// ifTrue is the value where it is true.
func ifTrue(value string) func(string, map[string]string, *stores.Entry) string {
	return func(text string, _ map[string]string, _ *stores.Entry) string {
		switch strings.ToLower(text) {
		case "true":
			return value
		case "false":
			return ""
		}
		return text // which is refused under the name here
	}
}

// unless is the text, but for a value that says what is the case here.
func unless(value string) func(string, map[string]string, *stores.Entry) string {
	return func(text string, _ map[string]string, _ *stores.Entry) string {
		if text == value {
			return ""
		}
		return text
	}
}

// addresses are hosts with commas or, as go-ycsb has them, semicolons between them, with or without a
// port. The port of the others is the store's usual one, or of Cassandra the property port, which it takes.
func addresses(text string, all map[string]string, store *stores.Entry) string {
	port := strconv.Itoa(store.ClientPort)
	if store.Name == "cassandra" {
		port = cmp.Or(strings.TrimSpace(all["port"]), port)
		delete(all, "port")
	}
	var list []string
	for host := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
		list = append(list, host)
	}
	return strings.Join(list, ",")
}
