#!/bin/sh
# What a harness runs: hands one hook payload to the Holdfast daemon and prints its answer.
#
#   launcher.sh <harness> <hook>        payload on stdin
#
# Run it as `/bin/bash -p launcher.sh …` where bash 4 or newer is there (launcher-command.ts chooses): bash speaks TCP by
# itself, so the whole exchange starts no further process. Under any other shell curl asks the daemon's Unix socket.
# Whatever is missing, late or strange is left to the Node client (hook.cjs beside this file), which knows how to start
# the daemon and to spool. Prints nothing but the answer, and exits 0 always.
#
# Reads: HOLDFAST_HOME, HOLDFAST_PID (the harness's process), HOLDFAST_NODE (the Node to fall back to),
# HOLDFAST_HOOK_BUDGET_MS (see budget.ts), HOLDFAST_DEBUG (lets the Node client speak on stderr).

if [ -n "${BASH_VERSION-}" ]; then set +o posix; fi
# Bytes, not characters: lengths below are Content-Lengths.
LC_ALL=C
# A reader or a daemon that went away is not our end.
trap '' PIPE

harness=${1-} hook=${2-}
here=${0%/*}
[ "$here" = "$0" ] && here=.
run_dir=${HOLDFAST_HOME:-${HOME-}/.holdfast}/run
payload='' id='' tried='' started_us=''
payload_limit=65536
output_limit=9500

# Of the whole budget (see budget.ts), what is left for the daemon when the Node client must still get its turn.
case $hook in
  [Ss]ession[Ss]tart* | session-start* | *.session-start* | [Pp]re[Cc]ompact*) wait_ms=400 ;;
  *[Pp]rompt*) wait_ms=160 ;;
  *) wait_ms=200 ;;
esac
case ${HOLDFAST_HOOK_BUDGET_MS-} in
  '' | *[!0-9]* | ??????*) ;;
  *) wait_ms=$((HOLDFAST_HOOK_BUDGET_MS * 2 / 3)) ;;
esac
wait_s=$((wait_ms / 1000)).$((wait_ms % 1000 + 1000))
# 0.160, not 0.1160: the thousand above only keeps the leading zeros.
wait_s=${wait_s%.*}.${wait_s#*.1}

node_client() {
  node=${HOLDFAST_NODE:-${node_path:-}}
  [ -n "$node" ] && [ -x "$node" ] || node=node
  export HOLDFAST_EVENT_ID="$id" HOLDFAST_TRIED="$tried"
  if [ -n "$started_us" ]; then
    export HOLDFAST_ELAPSED_MS=$(((${EPOCHREALTIME/[.,]/} - started_us) / 1000))
  fi
  # Node 20 parses this file at every start, which takes longer than everything else here.
  unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
  # What was read comes first, then whatever a larger payload still has to say.
  { printf '%s' "$payload"; [ -n "$is_whole" ] || cat; } 2>/dev/null | "$node" "$here/hook.cjs" "$harness" "$hook" 2>"$errors"
  exit 0
}

errors=/dev/null
[ -n "${HOLDFAST_DEBUG-}" ] && errors=/dev/stderr
is_whole='' is_unkept=''

# The daemon's own lines, see launcher-file.ts.
read_target() {
  [ ! -e "$run_dir/late" ] || return 1
  { read -r format && read -r port && read -r token && read -r socket && read -r pid && read -r start_ticks && read -r node_path; } 2>/dev/null <"$run_dir/launcher" || return 1
  [ "$format" = 'holdfast 1' ] || return 1
  # A port outlives its daemon: without this a stranger who got it next would be told the prompt.
  kill -0 "$pid" 2>/dev/null || return 1
  if [ -n "$start_ticks" ]; then
    read -r stat 2>/dev/null <"/proc/$pid/stat" || return 1
    set -- ${stat##*) }
    [ "${20-}" = "$start_ticks" ] || return 1
  fi
}

print_answer() {
  size=${#body}
  if [ "$size" -gt "$output_limit" ] && [ -n "${BASH_VERSION-}" ]; then
    # The limit counts characters: leave out the bytes that continue one.
    heads=${body//[$'\x80'-$'\xbf']/}
    size=${#heads}
  fi
  [ "$size" -gt "$output_limit" ] || printf '%s' "$body" 2>/dev/null
  finish
}

# An answer to an event that was not kept ends nothing: the Node client has still to spool it.
finish() {
  [ -n "$is_unkept" ] || exit 0
  tried=failed
  return 1
}

# Sets `left` to seconds until the deadline; fails once it has passed.
time_left() {
  if [ -n "$started_us" ]; then
    left_us=$((started_us + wait_ms * 1000 - ${EPOCHREALTIME/[.,]/}))
    [ "$left_us" -gt 0 ] || return 1
    printf -v left '%d.%06d' $((left_us / 1000000)) $((left_us % 1000000))
  else
    # Before bash 5 there is no clock but whole seconds: each read gets the budget, and two seconds more end them all.
    [ "$SECONDS" -lt $((wait_ms / 1000 + 2)) ] || return 1
    left=$wait_s
  fi
}

# Called with descriptor 3 open to the daemon.
ask_by_bash() {
  printf 'POST /hook/%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\nHoldfast-Client: launcher\r\nHoldfast-Event-Id: %s\r\nHoldfast-Deadline-Ms: %s\r\nHoldfast-Pid: %s\r\nConnection: close\r\n\r\n%s' \
    "$harness" "$hook" "$port" "$token" "${#payload}" "$id" "$((wait_ms - 20))" "${HOLDFAST_PID-}" "$payload" >&3 2>/dev/null || return 1
  tried=late
  time_left && IFS= read -r -t "$left" status <&3 || return 1
  tried=''
  case $status in
    HTTP/1.[01]\ 20[04]*) ;;
    HTTP/1.[01]\ 5*) tried=failed ;;
    HTTP/1.[01]\ 400* | HTTP/1.[01]\ 413* | HTTP/1.[01]\ 422*) exit 0 ;;
    *) return 1 ;;
  esac
  length='' is_chunked='' lines=0
  while :; do
    time_left && IFS= read -r -t "$left" line <&3 || { tried=${tried:-late}; return 1; }
    line=${line%$'\r'}
    [ -n "$line" ] || break
    case $line in
      [Cc]ontent-[Ll]ength:*) length=${line#*:} length=${length//[!0-9]/} ;;
      [Tt]ransfer-[Ee]ncoding:*chunked*) is_chunked=yes ;;
      [Hh]oldfast-[Uu]nkept:*) is_unkept=yes ;;
    esac
    lines=$((lines + 1))
    [ "$lines" -lt 64 ] || return 1
  done
  case $status in *\ 204*) exit 0 ;; HTTP/1.[01]\ 5*) [ -n "$is_unkept" ] || return 1 ;; esac
  if [ -n "$is_chunked" ]; then read_chunks; return 1; fi
  [ -n "$length" ] && [ "${#length}" -lt 9 ] || return 1
  # Kept, whatever it says: an answer too large for the host is only not shown.
  [ "$length" -gt 0 ] && [ "$length" -le $((output_limit * 4)) ] || { finish; return 1; }
  time_left && IFS= read -r -t "$left" -N "$length" body <&3 || { tried=late; return 1; }
  [ "${#body}" -eq "$length" ] || return 1
  print_answer
}

read_chunks() {
  whole=''
  while :; do
    time_left && IFS= read -r -t "$left" line <&3 || { tried=late; return 1; }
    line=${line%%[!0-9A-Fa-f]*}
    [ -n "$line" ] && [ "${#line}" -lt 7 ] || return 1
    length=$((16#$line))
    [ "$length" -gt 0 ] || break
    [ $((${#whole} + length)) -le $((output_limit * 4)) ] || { finish; return 1; }
    time_left && IFS= read -r -t "$left" -N "$length" body <&3 || { tried=late; return 1; }
    [ "${#body}" -eq "$length" ] || return 1
    whole=$whole$body
    time_left && IFS= read -r -t "$left" line <&3 || { tried=late; return 1; }
  done
  body=$whole
  print_answer
}

ask_by_curl() {
  command -v curl >/dev/null 2>&1 || return 1
  # -q first: what the user's .curlrc adds to every output is not for the agent.
  # Headers and all: without the empty line behind them the answer is not whole, which curl does not mind.
  answer=$(
    printf '%s' "$payload" | curl -q --silent --include --unix-socket "$socket" --max-time "$wait_s" --max-filesize 40000 \
      -H 'Content-Type: application/json' -H 'Expect:' -H 'Holdfast-Client: launcher' -H "Holdfast-Event-Id: $id" \
      -H "Holdfast-Deadline-Ms: $((wait_ms - 20))" -H "Holdfast-Pid: ${HOLDFAST_PID-}" \
      --data-binary @- "http://localhost/hook/$harness/$hook" 2>/dev/null
    printf '%s' "/$?"
  )
  outcome=${answer##*/}
  answer=${answer%/*}
  head_end=$(printf '\r\n\r\n.')
  head_end=${head_end%.}
  body=${answer#*"$head_end"}
  case $outcome in
    0) [ "$body" != "$answer" ] || return 1 ;;
    28) tried=late; return 1 ;;
    63) exit 0 ;;
    *) return 1 ;;
  esac
  case $answer in
    HTTP/1.[01]\ 20[04]*) print_answer ;;
    HTTP/1.[01]\ 400* | HTTP/1.[01]\ 413* | HTTP/1.[01]\ 422*) exit 0 ;;
    HTTP/1.[01]\ 5*) tried=failed ;;
    *) return 1 ;;
  esac
  case ${answer%%"$head_end"*} in *[Hh]oldfast-[Uu]nkept:*) is_unkept=yes; print_answer ;; esac
  return 1
}

make_id() {
  { read -r id </proc/sys/kernel/random/uuid; } 2>/dev/null && return
  id="${EPOCHREALTIME-}${SECONDS-}-$$-${RANDOM-}${RANDOM-}${RANDOM-}"
  id=${id/[.,]/-}
}

if [ -n "${BASH_VERSION-}" ] && [ "${BASH_VERSINFO[0]}" -ge 4 ]; then
  [ -n "${EPOCHREALTIME-}" ] && started_us=${EPOCHREALTIME/[.,]/}
  # Fails at the end of the payload, which is how it should end; succeeds when there is more than we take.
  IFS= read -r -t 2 -N $((payload_limit + 1)) payload 2>/dev/null
  read_status=$?
  if [ "$read_status" -eq 0 ]; then read_target; node_client; fi
  # Above 128 the sender went silent in the middle. What came is no payload, and waiting for more could take for ever.
  is_whole=yes
  if read_target; then
    make_id
    if [ -n "$payload" ] && { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then
      # bash itself complains of a connection that is reset while it reads.
      ask_by_bash 2>/dev/null
      exec 3>&-
    fi
  fi
else
  # A little more than the Node client takes: it then says that it was too much.
  payload=$(head -c 1100000 2>/dev/null)
  is_whole=yes
  if [ "${#payload}" -le "$payload_limit" ] && [ -n "$payload" ] && read_target; then
    { read -r id </proc/sys/kernel/random/uuid; } 2>/dev/null || id="$$-$(date +%s 2>/dev/null)-$PPID"
    ask_by_curl
  fi
fi
node_client
