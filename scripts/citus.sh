#!/usr/bin/env bash
# Builds Citus from its source and starts a coordinator and two workers, for tests and benchmarks:
#
#   scripts/citus.sh <folder>
#
# It needs PostgreSQL 15 to 17 of Debian or Ubuntu with its headers (postgresql-server-dev-15 libcurl4-openssl-dev
# liblz4-dev libzstd-dev libssl-dev libxml2-dev libkrb5-dev flex bison gcc make cmake), changes nothing outside <folder>,
# and builds only once. It prints TEST_CITUS_URL and runs until it is interrupted.
#
# PG_CONFIG    the PostgreSQL to build for (pg_config)
# CITUS_REF    the release of Citus (v13.2.2)
# CITUS_SOURCE a checkout or an unpacked archive of it, instead of what GitHub has
# CITUS_PORT   the coordinator's port; the workers have the next two (9700)
# CITUS_SHARDS of a table that is distributed (4)
set -euo pipefail

folder=$(mkdir -p "${1:?the folder to build and run in}" && cd "$1" && pwd)
pg_config=${PG_CONFIG:-pg_config}
port=${CITUS_PORT:-9700}
root=$folder/root
bin=$root$("$pg_config" --bindir)

build() {
  local source=$folder/source
  if [ ! -e "$source" ]; then
    if [ -n "${CITUS_SOURCE:-}" ]; then cp -a "$CITUS_SOURCE" "$source"
    else git clone --depth 1 --branch "${CITUS_REF:-v13.2.2}" https://github.com/citusdata/citus "$source"; fi
  fi
  cd "$source"
  # PostgreSQL has exported a function of this name since 15.19; Citus 13.2 brings its own for 15.
  if "$pg_config" --version | grep -q ' 15\.'; then
    sed -i 's/^have_createdb_privilege(void)/citus_&/' src/include/pg_version_compat.h
    sed -i 's/!have_createdb_privilege()/!citus_have_createdb_privilege()/' \
      src/backend/distributed/commands/serialize_distributed_ddls.c
  fi
  ./configure PG_CONFIG="$(command -v "$pg_config")" --without-libcurl
  nice make with_llvm=no extension
  # PostgreSQL finds its files relative to its programs: a copy of both takes the extension.
  local place
  for place in "$("$pg_config" --pkglibdir)/.." "$("$pg_config" --sharedir)"; do
    place=$(realpath "$place")
    mkdir -p "$root$place" && cp -a "$place/." "$root$place/"
  done
  make with_llvm=no DESTDIR="$root" install-extension
  touch "$folder/built"
}

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then as() { HOME=$folder setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
else as() { "$@"; }; fi

start() {
  local data=$1 port=$2
  as "$bin/initdb" --pgdata="$data" --auth=trust --username=postgres --encoding=UTF8 --no-locale --no-sync > /dev/null
  as tee -a "$data/postgresql.conf" > /dev/null <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = $port
max_connections = 300
max_worker_processes = 64
citus.shard_count = ${CITUS_SHARDS:-4}
CONF
  as "$bin/postgres" -D "$data" > "$data.log" 2>&1 &
}

query() { "$bin/psql" --no-psqlrc --quiet --host=127.0.0.1 --port="$1" --username=postgres --command="$2" postgres > /dev/null; }

[ -e "$folder/built" ] || build > "$folder/build.log" 2>&1 || { tail -20 "$folder/build.log" >&2; exit 1; }
cluster=$(mktemp -d "${TMPDIR:-/tmp}/notes-citus-XXXXXX")
chmod 755 "$cluster"
if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$cluster"; fi
cd "$cluster"
stop() {
  for n in 0 1 2; do kill -INT "$(head -1 "$cluster/node$n/postmaster.pid")" || true; done 2> /dev/null
  wait
  rm -rf "$cluster"
}
trap stop EXIT
trap exit INT TERM
for n in 0 1 2; do start "$cluster/node$n" $((port + n)); done
for n in 0 1 2; do
  until "$bin/pg_isready" --quiet --host=127.0.0.1 --port=$((port + n)); do
    [ -n "$(jobs -rp)" ] || { cat "$cluster"/*.log >&2; exit 1; }
    sleep 0.2
  done
  query $((port + n)) 'CREATE EXTENSION citus'
done
query "$port" "SELECT citus_set_coordinator_host('127.0.0.1', $port)"
for n in 1 2; do query "$port" "SELECT citus_add_node('127.0.0.1', $((port + n)))"; done
echo "TEST_CITUS_URL=postgres://postgres@127.0.0.1:$port/postgres"
wait
