# What servers, Sentinels and redis-cli have so that others are asked who they are. Sourced by
# ask.sh. No command line and no environment has the password: programs read it from their input.
#
# SECURITY is None; Auth: with a password; or TLS: that too, and encrypted.

credentials=/etc/redis-credentials
password=
if [ "$SECURITY" != None ]; then
    # The file's only line has no end.
    read -r password <"$credentials/password" || [ -n "$password" ]
fi

# listen prints the lines of a configuration that say how one is reached at this port.
listen() {
    if [ "$SECURITY" = TLS ]; then
        echo "port 0"
        echo "tls-port $1"
        # Whom it connects to itself, it connects to like this as well.
        echo "tls-replication yes"
        echo "tls-ca-cert-file $credentials/ca.crt"
        echo "tls-cert-file $credentials/tls.crt"
        echo "tls-key-file $credentials/tls.key"
    else
        echo "port $1"
    fi
    [ "$SECURITY" = None ] || echo "requirepass \"$password\""
}

# join prints the lines with which a server is one of several.
join() {
    [ "$SECURITY" != TLS ] || echo "tls-cluster yes"
    [ "$SECURITY" = None ] || echo "masterauth \"$password\""
}

# become makes the server of this process. The arguments are the server's. It is as if there were
# no file: what it is told while it runs, it doesn't keep.
become() {
    exec "$PROGRAMS-server" - --dir /data --protected-mode no --save '' "$@" <<END
$(listen 6379)
$(join)
END
}

# cli asks somebody. Its input begins with a line that has the password, or nothing.
cli() {
    case $SECURITY in
    Auth) set -- --askpass "$@" ;;
    TLS)
        set -- --askpass --tls --cacert "$credentials/ca.crt" --cert "$credentials/tls.crt" \
            --key "$credentials/tls.key" "$@"
        ;;
    esac
    "$PROGRAMS-cli" "$@"
}
