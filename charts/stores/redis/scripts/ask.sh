# Sourced by those that are run. Nothing but a POSIX shell, the store's programs, mkdir, mv, rm and sleep is assumed.
#
# POD_NAME is this pod, RELEASE the part of it before the number, DOMAIN what follows a pod's
# name in its host name, NODES the number of pods, PROGRAMS what the names of the store's programs
# begin with.

. /scripts/security.sh

me=$POD_NAME.$DOMAIN

# The first process of a container has to say that it ends when it is told to.
trap 'exit 143' TERM

# ask_one prints what a Sentinel knows of the primary: names and values by turns, one to a line,
# and as the last pair its host and port. The epoch is asked for first, so that a host is never
# older than the epoch that it comes with.
ask_one() {
    cli -h "$1" -p 26379 <<END
$password
SENTINEL MASTER mymaster
SENTINEL GET-MASTER-ADDR-BY-NAME mymaster
END
}

# read_answer takes what ask_one printed, and fails when it is no answer.
read_answer() {
    said_epoch=0 said_replicas=0 said_host= said_port=
    while read -r name && read -r value; do
        case $name in
        config-epoch) said_epoch=$value ;;
        num-slaves) said_replicas=$value ;;
        esac
        said_host=$name said_port=$value
    done <"$1"
    [ "$said_port" = 6379 ]
}

# ask_members runs a function with each pod's host, all at once, and waits a second at most: one
# that is cut off would take minutes to fail. What they print is in the files 0, 1 and so on of the
# folder answers, which is of this call alone, since one that is late may still write.
asked=0
ask_members() {
    asked=$((asked + 1))
    answers=$work/$asked
    mkdir -p "$answers"
    member=0
    while [ "$member" -lt "$NODES" ]; do
        host=$RELEASE-$member.$DOMAIN
        # A pod's own name may not be in DNS yet, or be its address of before.
        [ "$host" != "$me" ] || host=127.0.0.1
        { "$1" "$host" >"$answers/$member" || :; : >"$answers/$member.done"; } 2>/dev/null &
        member=$((member + 1))
    done
    rounds=0 open=1
    while [ "$open" -gt 0 ] && [ "$rounds" -lt 10 ]; do
        sleep 0.1
        rounds=$((rounds + 1)) open=0 member=0
        while [ "$member" -lt "$NODES" ]; do
            [ -e "$answers/$member.done" ] || open=1
            member=$((member + 1))
        done
    done
}

# ask_all asks the Sentinels of all pods. It sets primary to the host that the highest epoch names,
# replicas to the most that anybody knows of, own to the word of this pod's Sentinel, and answered to how
# many there were; all are empty or 0 where nobody answers.
ask_all() {
    ask_members ask_one
    primary= replicas=0 own= answered=0 epoch=-1 member=0
    while [ "$member" -lt "$NODES" ]; do
        if read_answer "$answers/$member"; then
            answered=$((answered + 1))
            [ "$RELEASE-$member" != "$POD_NAME" ] || own=$said_host
            [ "$said_replicas" -le "$replicas" ] || replicas=$said_replicas
            if [ "$said_epoch" -gt "$epoch" ]; then
                epoch=$said_epoch primary=$said_host
            fi
        fi
        member=$((member + 1))
    done
    rm -rf "$answers"
}
