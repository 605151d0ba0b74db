package properties

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// mostEndpoints is how many members a plan may name.
const mostEndpoints = 16

// ParseEndpoints reads addresses HOST:PORT with commas between them. Users of go-ycsb write http:// before
// an address, which changes nothing. Its error says which address is wrong.
func ParseEndpoints(text string) ([]string, error) {
	var addresses []string
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if strings.HasPrefix(item, "https://") {
			return nil, errors.New("write host:port without https://; a store's own properties ask for TLS, such as etcd.cacert_file")
		}
		item = strings.TrimSuffix(strings.TrimPrefix(item, "http://"), "/")
		host, port, err := net.SplitHostPort(item)
		if err != nil || host == "" {
			return nil, fmt.Errorf("%q is not host:port", item)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("%q has no port from 1 to 65535", item)
		}
		addresses = append(addresses, item)
	}
	if len(addresses) > mostEndpoints {
		return nil, fmt.Errorf("%d endpoints, and there can be %d", len(addresses), mostEndpoints)
	}
	return addresses, nil
}
