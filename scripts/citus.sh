#!/usr/bin/env bash
# Starts a Citus cluster on this machine, a coordinator and two workers, for tests and benchmarks:
#
#   scripts/citus.sh
#
# It needs PostgreSQL with the extension installed (https://docs.citusdata.com). It prints TEST_CITUS_URL and runs until it
# is interrupted; its data goes with it. A node that ends is started again.
#
# PG_CONFIG    names the PostgreSQL (pg_config)
# CITUS_PORT   the coordinator's port; the workers have the next two (9700)
# CITUS_SHARDS of a table that is distributed (4)
set -euo pipefail

pg_config=$(command -v "${PG_CONFIG:-pg_config}")
bin=$("$pg_config" --bindir)
port=${CITUS_PORT:-9700}

if [ ! -e "$("$pg_config" --sharedir)/extension/citus.control" ]; then
  echo "$("$pg_config" --version) has no Citus extension: see https://docs.citusdata.com" >&2
  exit 1
fi

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then as() { HOME=/nonexistent setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
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
wal_level = logical
max_replication_slots = 64
max_wal_senders = 64
citus.shard_count = ${CITUS_SHARDS:-4}
CONF
  while as "$bin/postgres" -D "$data" || true; [ -e "$cluster/running" ]; do sleep 0.1; done >> "$data.log" 2>&1 &
}

query() { "$bin/psql" --no-psqlrc --quiet --host=127.0.0.1 --port="$1" --username=postgres --command="$2" postgres > /dev/null; }

cluster=$(mktemp -d "${TMPDIR:-/tmp}/notes-citus-XXXXXX")
chmod 755 "$cluster"
if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$cluster"; fi
cd "$cluster"
stop() {
  rm -f "$cluster/running"
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
touch "$cluster/running"
echo "TEST_CITUS_URL=postgres://postgres@127.0.0.1:$port/postgres"
wait
