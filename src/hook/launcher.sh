#!/bin/sh
# What a harness runs: hands one hook payload to the Holdfast daemon and prints its answer.
#
#   launcher.sh <harness> <hook>        payload on stdin
#
# Run it as `/bin/bash -p launcher.sh …` where bash 4 or newer is there (launcher-command.ts chooses): bash speaks TCP by
# itself, so the whole exchange starts no further process. Under any other shell curl asks the daemon's Unix socket.
# While the daemon does not answer, a stand-in (stand-in.cjs) spools for every launcher. All other cases are left to the
# Node client (hook.cjs beside this file), which starts the daemon or spools. Prints only the reply, and always exits 0.
#
# Reads: HOLDFAST_HOME, HOLDFAST_PID (the harness's process), HOLDFAST_NODE (the Node to fall back to),
# HOLDFAST_HOOK_BUDGET_MS (see budget.ts), HOLDFAST_DEBUG (the Node client logs to stderr).

if [ -n "${BASH_VERSION-}" ]; then set +o posix; fi
# Bytes, not characters: lengths below are Content-Lengths.
LC_ALL=C
# Continue when a reader or the daemon goes away.
trap '' PIPE
# A harness started by npm searches the project's node_modules/.bin first: no program started here may come from there.
user_path=${PATH-}
PATH=/usr/bin:/bin:/run/current-system/sw/bin

harness=${1-} hook=${2-}
here=${0%/*}
[ "$here" = "$0" ] && here=.
case ${HOLDFAST_HOME-} in '' | /* | [A-Za-z]:[\\/]*) ;; *) unset HOLDFAST_HOME ;; esac # as home.ts has it
run_dir=${HOLDFAST_HOME:-${HOME-}/.holdfast}/run
payload='' id='' tried='' started_us='' node_path='' state='' is_unread='' rest_fd=''
payload_limit=65536
output_limit=9500

# The table of budget.ts; budget.test.ts compares them. wait_ms is for the daemon, the rest for the stand-in or the Node client.
case $hook in
  [Ss]ession[Ss]tart* | [Ss]ession[_-][Ss]tart* | *.[Ss]ession[_-][Ss]tart*) budget_ms=500 wait_ms=400 ;;
  [Pp]re[Cc]ompact* | [Pp]re_[Cc]ompact*) budget_ms=500 wait_ms=400 ;;
  *[Pp]rompt*) budget_ms=250 wait_ms=160 ;;
  *) budget_ms=300 wait_ms=200 ;;
esac
case ${HOLDFAST_HOOK_BUDGET_MS-} in
  '' | *[!0-9]* | ??????* | 0?*) ;; # a leading zero would mean octal
  *) budget_ms=$HOLDFAST_HOOK_BUDGET_MS wait_ms=$((HOLDFAST_HOOK_BUDGET_MS * 2 / 3)) ;;
esac
# A busy daemon is waited for until then: with fifty hooks at once, fifty starts of Node would take longer.
# Claude Code gives all that runs at a session's end 1.5 seconds, and other hooks at least five.
case $hook in *[Ee]nd | *[Ee]nded) wall_ms=$((wait_ms + 800)) ;; *) wall_ms=$((wait_ms + 2300)) ;; esac

# 160 is 0.160: the thousand only keeps the leading zeros.
to_seconds() {
  seconds=$(($1 / 1000)).$(($1 % 1000 + 1000))
  seconds=${seconds%.*}.${seconds#*.1}
}

# Sets `node`: the one recorded at the install, the daemon's, or the first in the user's PATH outside of projects.
find_node() {
  for node in "${HOLDFAST_NODE-}" "$node_path"; do
    case $node in /*) [ ! -x "$node" ] || return 0 ;; esac
  done
  search=$user_path:
  while [ -n "$search" ]; do
    node=${search%%:*}/node search=${search#*:}
    case $node in
      */node_modules/*) ;;
      /*) [ ! -x "$node" ] || return 0 ;;
    esac
  done
  return 1
}

node_client() {
  find_node || exit 0
  export HOLDFAST_EVENT_ID="$id" HOLDFAST_TRIED="$tried" HOLDFAST_REST_FD="$rest_fd"
  if [ -n "$started_us" ]; then
    export HOLDFAST_ELAPSED_MS=$(((${EPOCHREALTIME/[.,]/} - started_us) / 1000))
  fi
  # Node 20 parses this file at every start, which takes longer than everything else here.
  unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
  PATH=$user_path
  if [ -n "$is_unread" ]; then
    "$node" "$here/hook.cjs" "$harness" "$hook" 2>"$errors"
  else
    # Passes on what was read; Node reads the rest of a larger payload from another descriptor, with a deadline.
    printf '%s' "$payload" 2>/dev/null | "$node" "$here/hook.cjs" "$harness" "$hook" 2>"$errors"
  fi
  exit 0
}

errors=/dev/null
[ -n "${HOLDFAST_DEBUG-}" ] && errors=/dev/stderr
is_unkept=''

# Lines of the daemon, or of a stand-in, in the file that is named: see launcher-file.ts.
read_target() {
  [ -e "$1" ] || return 1
  { read -r format && read -r port && read -r token && read -r socket && read -r pid && read -r start_ticks && read -r node_path; } 2>/dev/null <"$1" || return 1
  [ "$format" = 'holdfast 1' ] || return 1
  # Another process may get the port later: without this check it would receive the prompt.
  kill -0 "$pid" 2>/dev/null || return 1
  state=''
  if [ -n "$start_ticks" ]; then
    read -r stat 2>/dev/null <"/proc/$pid/stat" || return 1
    set -- ${stat##*) }
    [ "${20-}" = "$start_ticks" ] || return 1
    state=$1
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

# A reply for an event that was not recorded is not the end: the Node client still has to spool it.
finish() {
  [ -n "$is_unkept" ] || exit 0
  tried=failed
  return 1
}

# Sets `left` to seconds until `limit_ms` after the start; fails once that has passed.
time_left() {
  if [ -n "$started_us" ]; then
    now_us=${EPOCHREALTIME/[.,]/}
    left_us=$((started_us + limit_ms * 1000 - now_us))
    # More than the limit means that the clock was set back: count from now, or the deadline would be as far away as that.
    [ "$left_us" -le $((limit_ms * 1000)) ] || started_us=$now_us left_us=$((limit_ms * 1000))
    [ "$left_us" -gt 0 ] || return 1
    printf -v left '%d.%06d' $((left_us / 1000000)) $((left_us % 1000000))
  else
    # Before bash 5 the clock has only whole seconds: each read gets the budget, and two seconds more end them all.
    [ "$SECONDS" -lt $((limit_ms / 1000 + 2)) ] || return 1
    to_seconds "$wait_ms"
    left=$seconds
  fi
}

# Only to a process that is not stopped: connecting has no deadline, and a stopped process does not accept.
connect() {
  [ "$state" != T ] && { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null
}

# Instead of a stopped daemon, waits on a silent pipe. By eval, because other shells cannot parse it.
open_silent_pipe() {
  { eval 'exec 3<> <(:)'; } 2>/dev/null
}

send_request() {
  printf 'POST /hook/%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\nHoldfast-Client: launcher\r\nHoldfast-Event-Id: %s\r\nHoldfast-Deadline-Ms: %s\r\nHoldfast-Pid: %s\r\nConnection: close\r\n\r\n%s' \
    "$harness" "$hook" "$port" "$token" "${#payload}" "$id" "$((wait_ms - 20))" "${HOLDFAST_PID-}" "$payload" >&3 2>/dev/null
}

# The one that creates run/late starts the stand-in; the others wait for it, and for the daemon.
start_stand_in() {
  has_started=yes
  set -C
  if ! { printf 'starting\n%s\n' "$$" >"$run_dir/late"; } 2>/dev/null; then
    set +C
    { read -r format && read -r pid; } 2>/dev/null <"$run_dir/late" || return 1
    [ "$format" = starting ] && kill -0 "$pid" 2>/dev/null && return
    # Left by a process that is gone. Two launchers may both start a stand-in; the later one withdraws.
    { printf 'starting\n%s\n' "$$" >"$run_dir/late"; } 2>/dev/null || return 1
  fi
  set +C
  find_node || return 1
  # In a process group of its own: a harness that ends its hooks' group leaves it alone.
  set -m
  NODE_EXTRA_CA_CERTS='' NODE_OPTIONS='' HOLDFAST_RUN_ID='' PATH=$user_path \
    "$node" "$here/stand-in.cjs" </dev/null >/dev/null 2>&1 3>&- 4>&- &
  set +m
}

# Hands the payload to the stand-in whose lines were just read; returns when it did not take it.
hand_over() {
  exec 3>&-
  tried=''
  connect && send_request || return 1
  tried=late
  limit_ms=$wall_ms
  time_left && IFS= read -r -t "$left" status <&3 || return 1
  case $status in HTTP/1.[01]\ 20[04]*) exit 0 ;; esac
  return 1
}

# Sets `status` to the first line of the daemon's answer. Once it is late, a stand-in gets the payload instead.
await_status() {
  status='' has_started='' poll_ms=20
  limit_ms=$wait_ms
  # A stopped daemon was not asked: descriptor 3 is then a silent pipe.
  if [ "$state" != T ] && time_left; then wait_at_most "$left" && return; fi
  while [ "$code" -gt 128 ]; do
    limit_ms=$wall_ms
    time_left || break
    # A stopped stand-in is replaced by the next launcher.
    if read_target "$run_dir/late" && [ "$state" != T ]; then
      hand_over
      return 1
    fi
    # Where none can be started, as on a full disk, there is nothing to wait for.
    [ -n "$has_started" ] || start_stand_in || break
    # At growing intervals: a reply ends the wait at once, and a hundred launchers that poll would use up the CPU.
    to_seconds "$poll_ms"
    [ "$poll_ms" -gt 300 ] || poll_ms=$((poll_ms * 3 / 2))
    wait_at_most "$seconds" && return
  done
  tried=late
  [ "$code" -gt 128 ] || tried=''
  return 1
}

# Adds to `status` what comes within the time; succeeds once it is a whole line.
wait_at_most() {
  IFS= read -r -t "$1" part <&3
  code=$?
  status=$status$part
  return "$code"
}

# Called with descriptor 3 open to the daemon, or to a silent pipe where it is stopped.
ask_by_bash() {
  code=142
  [ "$state" = T ] || send_request || return 1
  await_status || return 1
  tried=''
  limit_ms=$wall_ms
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
  # The event is recorded: a reply too large for the harness is not printed.
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

# Asks whoever listens on `socket`, for at most as many milliseconds.
ask_by_curl() {
  command -v curl >/dev/null 2>&1 || return 1
  to_seconds "$1"
  # -q first: output that the user's .curlrc adds is not for the agent.
  # With headers: without the empty line after them the reply is incomplete, which curl does not report.
  answer=$(
    printf '%s' "$payload" | curl -q --silent --include --unix-socket "$socket" --max-time "$seconds" --max-filesize 40000 \
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

# Other shells cannot read with a deadline, so a program does. Sets `payload`.
read_by_program() {
  to_seconds "$budget_ms"
  # cat hands on what it has read at once; head, killed by the deadline, would take it along. A dot says that the end was reached.
  # A little more than the Node client accepts, so that it reports the excess.
  payload=$({ cat_in_time 2>/dev/null && printf .; } | head -c 1100001)
  case $payload in *.) payload=${payload%.} ;; *) leave_rest ;; esac
}

cat_in_time() {
  if command -v timeout >/dev/null; then
    timeout "$seconds" cat
  elif command -v perl >/dev/null; then
    perl -e 'use Time::HiRes "ualarm"; ualarm(1000 * shift); exec "cat"' "$budget_ms"
  else
    false
  fi
}

# The Node client reads the rest; it has a deadline too and reads everything that has arrived.
leave_rest() {
  if [ -z "$payload" ]; then is_unread=yes; else exec 4<&0; rest_fd=4; fi
}

# Succeeds once there is something to read; fails when the sender says nothing for the whole budget. Takes nothing: when a timer
# ends a `read` of a process that waits for its turn, bash has taken a byte and drops it. A connection to a stand-in or the
# daemon, which is silent until it is asked, is something to wait at; where there is none, the Node client is needed anyway.
await_payload() {
  read -r -t 0 && return
  { read_target "$run_dir/late" && connect; } || { read_target "$run_dir/launcher" && connect; } || return 1
  limit_ms=$budget_ms
  while time_left; do
    read -r -t 0.01 status <&3
    [ $? -gt 128 ] || break
    read -r -t 0 && { exec 3>&-; return; }
  done
  exec 3>&-
  return 1
}

# What the sender took is not taken from the daemon's time, but still from the time of the whole hook.
start_waiting() {
  [ -n "$started_us" ] || return
  now_us=${EPOCHREALTIME/[.,]/}
  read_ms=$(((now_us - started_us) / 1000)) started_us=$now_us
  [ "$read_ms" -lt 0 ] || wall_ms=$((wall_ms - read_ms))
  [ "$wall_ms" -ge "$wait_ms" ] || wall_ms=$wait_ms
}

if [ -n "${BASH_VERSION-}" ] && [ "${BASH_VERSINFO[0]}" -ge 4 ]; then
  [ -n "${EPOCHREALTIME-}" ] && started_us=${EPOCHREALTIME/[.,]/}
  await_payload || { is_unread=yes; read_target "$run_dir/launcher"; node_client; }
  # 1 is the end of the payload, which is how it should end; 0 means that there is more than we take, and above 128 that the
  # sender paused: what is still to come is left to the Node client, and whether it was all, its JSON tells.
  IFS= read -r -t 1 -N $((payload_limit + 1)) payload 2>/dev/null
  code=$?
  start_waiting
  if [ "$code" -eq 0 ] || [ "$code" -gt 128 ]; then
    leave_rest
    read_target "$run_dir/launcher"
    node_client
  fi
  [ -n "$payload" ] || exit 0
  make_id
  ! read_target "$run_dir/late" || [ "$state" = T ] || hand_over
  if [ -z "$tried" ] && read_target "$run_dir/launcher" && { if [ "$state" = T ]; then open_silent_pipe; else connect; fi; }; then
    # bash prints an error when the connection is reset while it reads.
    ask_by_bash 2>/dev/null
  fi
  exec 3>&-
else
  read_by_program
  if [ -z "$rest_fd" ] && [ "${#payload}" -le "$payload_limit" ] && [ -n "$payload" ]; then
    { read -r id </proc/sys/kernel/random/uuid; } 2>/dev/null || id="$$-$(date +%s 2>/dev/null)-$PPID"
    # A stand-in only spools: a second copy by the Node client would cost more than waiting for it.
    ! read_target "$run_dir/late" || [ "$state" = T ] || ask_by_curl "$wall_ms"
    if [ -z "$tried" ] && read_target "$run_dir/launcher"; then
      if [ "$state" = T ]; then tried=late; else ask_by_curl "$wait_ms"; fi
    fi
  fi
fi
node_client
