#!/bin/sh
# Chaos Mesh calls nsexec, which no package registry has; nsenter does the same.
# Options: -n, -m, -p, -i FILE name a namespace to enter; -l (keep the caller's
# mounts) is what nsenter does anyway; -- ends the options.
set -e
nsenter=
keep=
mount=
while [ $# -gt 0 ]; do
	case "$1" in
	-l) keep=1; shift ;;
	-n) nsenter="$nsenter --net=$2"; shift 2 ;;
	-m) mount="--mount=$2"; shift 2 ;;
	-p) nsenter="$nsenter --pid=$2"; shift 2 ;;
	-i) nsenter="$nsenter --ipc=$2"; shift 2 ;;
	--) shift; break ;;
	*) break ;;
	esac
done
[ -n "$keep" ] || nsenter="$nsenter $mount"
exec nsenter $nsenter -- "$@"
