# Starts the Sentinel beside a server. The arguments are its options and their values by turns.
# What it learns it writes into its file, which is made once, and has the password, too: a Sentinel
# writes all that it knows.
set -eu
umask 077
. /scripts/ask.sh

work=/data/asking/sentinel
rm -rf "$work"
file=/data/sentinel.conf

if [ ! -e "$file" ]; then
    # One that lost its data learns from the others; at the first start of all there are none.
    ask_all
    {
        listen 26379
        echo "dir /data"
        echo "protected-mode no"
        echo "sentinel resolve-hostnames yes"
        echo "sentinel announce-hostnames yes"
        echo "sentinel announce-ip $me"
        echo "sentinel announce-port 26379"
        echo "sentinel monitor mymaster ${primary:-$RELEASE-0.$DOMAIN} 6379 $((NODES / 2 + 1))"
        [ "$SECURITY" = None ] || echo "sentinel auth-pass mymaster \"$password\""
        while [ $# -gt 0 ]; do
            echo "sentinel $1 mymaster $2"
            shift 2
        done
    } >"$file.new"
    mv "$file.new" "$file"
fi
exec "$PROGRAMS-server" "$file" --sentinel
