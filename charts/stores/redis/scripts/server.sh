# Starts the server in the role that the Sentinels have for it. The arguments are the server's.
set -eu
. /scripts/ask.sh

work=/data/asking/server
rm -rf "$work"

serve() {
    become --replica-announce-ip "$me" --replica-announce-port 6379 "$@"
}

[ "$NODES" -gt 1 ] || serve "$@"

# A primary that comes back without data, and before the Sentinels have missed it, would be
# copied by its replicas: all would be empty. It waits until they have chosen another one. That
# most Sentinels know of no replicas tells the first start of all from it: the one beside it may have
# lost what it knew, too, and those that don't answer may know better.
may_lead() {
    [ "$replicas" -gt 0 ] || [ "$answered" -le $((NODES / 2)) ] || return 0
    [ "$RESUME" = true ] && [ -e /data/appendonlydir ]
}

why_not() {
    if [ "$replicas" -gt 0 ]; then
        echo "The Sentinels name this server the primary, which has just ended: waiting until they choose another one."
    else
        echo "$answered of $NODES Sentinels answer, too few to know whether this server has replicas: waiting for more."
    fi
}

# Too few may be left to choose: then an empty store is better than none.
patience=60
while :; do
    ask_all
    # The Sentinel in this pod is started beside the server, and knows what it knew before.
    if [ -n "$own" ]; then
        if [ "$primary" != "$me" ]; then
            echo "The Sentinels name $primary the primary, in epoch $epoch: following it."
            serve "$@" --replicaof "$primary" 6379
        fi
        if may_lead; then
            echo "The Sentinels name this server the primary, in epoch $epoch."
            serve "$@"
        fi
        patience=$((patience - 1))
        if [ "$patience" -eq 0 ]; then
            echo "No other primary was chosen: starting as one."
            serve "$@"
        fi
        [ "$patience" -ne 59 ] || why_not
    fi
    sleep 1
done
