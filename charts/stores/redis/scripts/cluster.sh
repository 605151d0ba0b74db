# Starts the server as a member of a Redis Cluster. The arguments are the server's. Who has which
# slots, and who follows whom, the run's observer tells the members, once, and they remember it.
#
# POD_IP is this pod's address.
set -eu
. /scripts/ask.sh

work=/data/asking/server
rm -rf "$work"

ask_nodes() {
    cli -h "$1" -p 6379 CLUSTER NODES <<END
$password
END
}

# note_answer notes that anybody said anything.
note_answer() { heard=1; }

# each_node runs a function with each line of all answers.
each_node() {
    member=0
    while [ "$member" -lt "$NODES" ]; do
        if [ -e "$answers/$member" ]; then
            while read -r id address flags primary ping pong epoch link slots; do
                "$1"
            done <"$answers/$member"
        fi
        member=$((member + 1))
    done
}

# note_own notes what this pod was, where it has slots to the others' knowledge.
note_own() {
    case $address in
    *",$me" | *",$me,"*) [ -z "$slots" ] || owners="$owners $id" ;;
    esac
}

# note_follower notes that somebody who is there follows it.
note_follower() {
    case $flags in
    *fail*) ;;
    *) case " $owners " in *" $primary "*) followed=1 ;; esac ;;
    esac
}

# still_followed says whether the others have this pod for a primary, and it has replicas: they
# would copy what it has now. Where nobody answers, it may be the first start of all, or a network that
# isn't there yet: so that counts once it was so three times.
silence=0
still_followed() {
    ask_members ask_nodes
    owners= followed= heard=
    each_node note_answer
    each_node note_own
    [ -z "$owners" ] || each_node note_follower
    rm -rf "$answers"
    if [ -z "$heard" ] && [ "$silence" -lt 2 ]; then
        silence=$((silence + 1))
        return 0
    fi
    [ -n "$followed" ]
}

# A primary that comes back without data, and before the others have missed it, would be copied by
# its replicas: all would be empty. It waits until one of them has its place.
if [ "$RESUME" != true ] || [ ! -e /data/appendonlydir ]; then
    patience=60
    while still_followed; do
        [ "$patience" -ne 60 ] || [ -z "$followed" ] || echo "This member, which has just ended, is a primary still: waiting until a replica takes its place."
        patience=$((patience - 1))
        # Too few may be left to choose: then an empty member is better than none.
        if [ "$patience" -eq 0 ]; then
            echo "No replica took its place: starting all the same."
            break
        fi
        sleep 1
    done
fi

# Without its data it is another member: with its old name it would have the slots, and no records.
[ -e /data/appendonlydir ] || rm -f /data/nodes.conf

become --cluster-enabled yes --cluster-config-file nodes.conf --cluster-announce-ip "$POD_IP" \
    --cluster-announce-hostname "$me" --cluster-preferred-endpoint-type hostname "$@"
