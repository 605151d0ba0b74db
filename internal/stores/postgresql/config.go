package postgresql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
)

// The properties, by go-ycsb's names.
const (
	propertyUser     = "user"
	propertyPassword = "password"
	propertyDB       = "db"
	propertySSLMode  = "sslmode"
)

// sslModes are those of libpq without a silent way back to another connection.
var sslModes = []string{"disable", "require", "verify-ca", "verify-full"}

// dialTimeout bounds the connecting to one member, authentication included.
const dialTimeout = time.Second

// maxAnswerBytes bounds a message of a server: it holds the largest row, and what is around it.
const maxAnswerBytes = maxRowBytes + 1<<20

// settings of the sessions. All statements go by the primary key: a plan that was made before
// the table had statistics, and is kept with the prepared statement, must not read all of it.
var settings = map[string]string{
	"application_name": "kvbench",
	"enable_seqscan":   "off", "enable_bitmapscan": "off", "enable_sort": "off", "jit": "off",
}

// configsOf are how to connect to each member, in their order. No error has the password.
func configsOf(cfg stores.Config) ([]*pgconn.Config, error) {
	own := map[string]string{propertyUser: "postgres", propertyDB: "postgres", propertySSLMode: "disable"}
	for name, value := range cfg.Properties {
		if !slices.Contains(Entry().Properties, name) {
			return nil, fmt.Errorf("postgresql: property pg.%s is not one of the store's", name)
		}
		own[name] = value
	}
	if !slices.Contains(sslModes, own[propertySSLMode]) {
		return nil, fmt.Errorf("postgresql: property pg.sslmode=%q: must be one of %s", own[propertySSLMode], strings.Join(sslModes, ", "))
	}
	if len(cfg.Addresses) == 0 {
		return nil, errors.New("postgresql: no member is named")
	}
	var configs []*pgconn.Config
	for _, address := range cfg.Addresses {
		config, err := configOf(address, own)
		if err != nil {
			return nil, fmt.Errorf("postgresql: %s: %w", address, err)
		}
		secure(config, cfg)
		configs = append(configs, config)
	}
	return configs, nil
}

func configOf(address string, own map[string]string) (*pgconn.Config, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	pairs := []string{"host=" + quoteSetting(host), "port=" + quoteSetting(port), "user=" + quoteSetting(own[propertyUser]),
		"dbname=" + quoteSetting(own[propertyDB]), "sslmode=" + own[propertySSLMode]}
	if password := own[propertyPassword]; password != "" {
		pairs = append(pairs, "password="+quoteSetting(password))
	}
	config, err := pgconn.ParseConfig(strings.Join(pairs, " "))
	if err != nil {
		return nil, errors.New("the properties pg.user, pg.db and pg.sslmode make no connection: correct them")
	}
	config.Fallbacks, config.ConnectTimeout, config.RuntimeParams = nil, dialTimeout, maps.Clone(settings)
	dialer := &net.Dialer{Timeout: dialTimeout}
	config.DialFunc, config.MaxProtocolMessageBodyLen = dialer.DialContext, maxAnswerBytes
	return config, nil
}

// secure sets what the members were deployed with, over the properties. It is libpq's
// verify-full: the certificate has to be of the run's authority, and of the member's name.
func secure(config *pgconn.Config, cfg stores.Config) {
	if cfg.Credentials == nil {
		return
	}
	config.Password = cfg.Credentials.Password
	if cfg.Credentials.User != "" {
		config.User = cfg.Credentials.User
	}
	if config.TLSConfig = cfg.ClientTLS(); config.TLSConfig != nil {
		config.TLSConfig.ServerName = config.Host
	}
}

// quoteSetting makes one word of a connection string of any text.
func quoteSetting(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

var errStandby = errors.New("it is a standby")

// primaryOf tries the members in turn, and takes the first that is no standby.
func primaryOf(configs []*pgconn.Config) *pgconn.Config {
	config := configs[0].Copy()
	for _, other := range configs[1:] {
		config.Fallbacks = append(config.Fallbacks, &pgconn.FallbackConfig{Host: other.Host, Port: other.Port, TLSConfig: other.TLSConfig})
	}
	config.ValidateConnect = validatePrimary
	return config
}

// validatePrimary refuses a standby. Before version 14 a server doesn't say what it is, unless it is asked.
func validatePrimary(ctx context.Context, conn *pgconn.PgConn) error {
	switch conn.ParameterStatus("in_hot_standby") {
	case "off":
		return nil
	case "on":
		return errStandby
	}
	results, err := conn.Exec(ctx, "SELECT pg_is_in_recovery()").ReadAll()
	switch {
	case err != nil:
		return err
	case len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 1:
		return errAnswer
	case string(results[0].Rows[0][0]) != "f":
		return errStandby
	}
	return nil
}
