#!/bin/sh
# Starts one member: the first is the primary, the others are its standbys. Whatever ends it
# at any moment, the next start goes on from there.
set -eu
umask 077
trap 'exit 143' TERM INT # as the first process of a container the shell would not hear them

say() { echo "start.sh: $*" >&2; }
there() { [ -e "$PGDATA/PG_VERSION" ]; }

# keep makes $PGDATA of what is complete now.
keep() {
  sync "$PGDATA.new"
  mv "$PGDATA.new" "$PGDATA"
  sync "${PGDATA%/*}"
}

serve() {
  chmod 0700 "$PGDATA" # or a volume's owner has changed it, and PostgreSQL refuses it
  exec postgres -D "$PGDATA" -c config_file=/etc/postgresql/postgresql.conf -c hba_file=/etc/postgresql/pg_hba.conf "$@"
}

credentials=/etc/postgresql-credentials
ordinal=${POD_NAME##*-}
if [ "$ordinal" = 0 ]; then
  if ! there; then
    rm -rf "$PGDATA" "$PGDATA.new"
    # Who may come in pg_hba.conf says, and not what initdb writes.
    case $SECURITY in
    None) set -- --auth=trust ;;
    *) set -- --auth=scram-sha-256 --pwfile="$credentials/password" ;;
    esac
    initdb --pgdata="$PGDATA.new" --username=postgres "$@" --data-checksums --encoding=UTF8 --locale=C
    keep
  fi
  serve
fi

slot=member_$ordinal
primary="host=$PRIMARY_HOST port=5432 user=postgres dbname=postgres connect_timeout=2 tcp_user_timeout=10000"
if [ "$SECURITY" != None ]; then
  # libpq reads a password file that its user alone may read, so not the Secret's own.
  passfile=/run/postgresql-passfile/pgpass
  printf '*:*:*:*:%s\n' "$(cat "$credentials/password")" >$passfile
  primary="$primary passfile=$passfile"
fi
if [ "$SECURITY" = TLS ]; then
  primary="$primary sslmode=verify-full sslrootcert=$credentials/ca.crt"
fi

ask() { psql --no-psqlrc --quiet --tuples-only --no-align --dbname="$primary" --command="$1"; }

# system is what tells the data of one initdb from all others.
system() {
  LC_ALL=C pg_controldata "$PGDATA" | while IFS=: read -r name value; do
    case $name in "Database system identifier") echo $value ;; esac
  done
}

usable="(SELECT count(*) FROM pg_replication_slots WHERE slot_name = '$slot' AND wal_status <> 'lost')"
if there; then
  # It goes on from its data, also while the primary is away, unless that is another one, or
  # has no log any more from where this one ends.
  said=$(ask "SELECT system_identifier || ' ' || $usable FROM pg_control_system()") || said=
  case $said in
  "" | "$(system) 1") ;;
  *)
    say "the primary has no log for the data that is here, and a new base backup is made"
    rm -rf "$PGDATA"
    ;;
  esac
fi

# backup copies the primary, which keeps its log for this member from then on.
backup() {
  rm -rf "$PGDATA" "$PGDATA.new"
  ask "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '$slot' AND wal_status = 'lost'" &&
    ask "SELECT pg_create_physical_replication_slot('$slot', true) WHERE $usable = 0" &&
    pg_basebackup --dbname="$primary" --pgdata="$PGDATA.new" --wal-method=stream --slot="$slot" --checkpoint=fast
}

if ! there; then
  until backup; do
    say "the primary can't be copied yet"
    sleep 1
  done
  : >"$PGDATA.new/standby.signal"
  keep
fi
serve -c "primary_conninfo=$primary application_name=$POD_NAME" -c "primary_slot_name=$slot"
