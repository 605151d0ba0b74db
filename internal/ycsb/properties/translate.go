package properties

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

// synonym is a property of YCSB's or go-ycsb's client for a store. Here it has another name, or its value has
// another form. value returns "" for a value that is the default here.
type synonym struct {
	name, here string
	value      func(text string, all map[string]string, store *stores.Entry) string
}

// synonyms are by store; those of "" are of all stores.
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

// translate gives properties the names and forms that they have here. If a property is given under both
// names, the other tool's name is refused. A name that several stores have, such as hosts, is left as it is.
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

// ifTrue translates "true" to the value, and "false" to the default.
func ifTrue(value string) func(string, map[string]string, *stores.Entry) string {
	return func(text string, _ map[string]string, _ *stores.Entry) string {
		switch strings.ToLower(text) {
		case "true":
			return value
		case "false":
			return ""
		}
		return text // it is refused later, under its name here
	}
}

// unless translates the value to the default, and leaves any other as it is.
func unless(value string) func(string, map[string]string, *stores.Entry) string {
	return func(text string, _ map[string]string, _ *stores.Entry) string {
		if text == value {
			return ""
		}
		return text
	}
}

// addresses translates a list of hosts to addresses with ports. YCSB separates hosts with commas, go-ycsb
// with semicolons. A host without a port gets the store's usual one. With Cassandra it gets the one of the
// property port, which is then removed.
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
