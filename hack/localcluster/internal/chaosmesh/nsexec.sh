#!/bin/sh
# Chaos Mesh calls nsexec, which no package registry has; nsenter does the same.
# Options: -n, -m, -p, -i FILE name a namespace to enter; -l (keep the caller's
# mounts) is what nsenter does anyway; -- ends the options.
#
# To enter a pid namespace nsenter forks, and Chaos Mesh, which knows the parent
# alone, would leave the child (a stress test, say) running for ever when it ends
# the fault. So the child dies with its parent. In another container's mounts
# there may be no setpriv, and nothing that is run there lasts.
set -e
nsenter=
keep=
mount=
tied=
while [ $# -gt 0 ]; do
	case "$1" in
	-l) keep=1; shift ;;
	-n) nsenter="$nsenter --net=$2"; shift 2 ;;
	-m) mount="--mount=$2"; shift 2 ;;
	-p) nsenter="$nsenter --pid=$2"; tied="setpriv --pdeathsig KILL --"; shift 2 ;;
	-i) nsenter="$nsenter --ipc=$2"; shift 2 ;;
	--) shift; break ;;
	*) break ;;
	esac
done
if [ -z "$keep" ] && [ -n "$mount" ]; then
	nsenter="$nsenter $mount"
	tied=
fi
exec nsenter $nsenter -- $tied "$@"
