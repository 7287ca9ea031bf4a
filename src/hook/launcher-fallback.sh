# The part of launcher.sh, which reads this file, for everything but an answered call in bash: a payload that is late, large or cut
# off, a daemon that is late or stopped, an unusual reply, and other shells, in which curl asks the daemon's Unix socket.
# While the daemon does not answer, a stand-in (stand-in.cjs) spools for every launcher. All other cases are left to the Node
# client (hook.cjs beside this file), which starts the daemon or spools.

errors=/dev/null
[ -n "${HOLDFAST_DEBUG-}" ] && errors=/dev/stderr
is_unkept=''

# A line for the hook log, where HOLDFAST_DEBUG asks for it: installed hooks discard stderr.
log_debug() {
  [ -n "${HOLDFAST_DEBUG-}" ] || return 0
  umask 077
  [ -d "${run_dir%/run}/logs" ] || mkdir "${run_dir%/run}/logs"
  printf '{"at":"%s","level":"info","message":"launcher","harness":"%s","hook":"%s","detail":"%s"}\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$harness" "$hook" "$1" 2>/dev/null >>"${run_dir%/run}/logs/hook.log"
}

# A busy daemon is waited for until then: with fifty hooks at once, fifty starts of Node would take longer.
# Claude Code gives all that runs at a session's end 1.5 seconds, and other hooks at least five.
case $hook in *[Ee]nd | *[Ee]nded) wall_ms=$((wait_ms + 800)) ;; *) wall_ms=$((wait_ms + 2300)) ;; esac

# The Node client needs functions that older versions do not have: they would lose the event without an error.
is_supported() {
  version=$(
    unset NODE_OPTIONS NODE_EXTRA_CA_CERTS
    PATH=$user_path
    "$node" --version </dev/null 2>/dev/null 3>&-
  )
  case $version in
    v20.[0-9].* | v20.1[0-8].* | v21.* | v22.[0-2].*) return 1 ;;
    v2[0-9].* | v[3-9][0-9].*) return 0 ;;
  esac
  return 1
}

# Sets `node`: the one recorded at the install, the daemon's, or the first in the user's PATH outside of projects that is supported.
# The recorded one too: a version manager may have put another version at its path.
find_node() {
  for node in "${HOLDFAST_NODE-}" "$node_path"; do
    case $node in /*) if [ -x "$node" ] && is_supported; then return 0; fi ;; esac
  done
  search=$user_path:
  while [ -n "$search" ]; do
    node=${search%%:*}/node search=${search#*:}
    case $node in
      */node_modules/*) ;;
      /*) if [ -x "$node" ] && is_supported; then return 0; fi ;;
    esac
  done
  return 1
}

# Leaves a note that the next command and the next session report: nothing else of Holdfast can run. Its time is that of the first loss.
note_loss() {
  umask 077
  [ -e "$run_dir/no-node" ] || printf '%s\n%s\n' "$harness" "${HOLDFAST_NODE-}" >"$run_dir/no-node"
}

node_client() {
  exec 3>&-
  find_node || { log_debug 'no Node found' 2>/dev/null; note_loss 2>/dev/null; exit 0; }
  log_debug "left to $node" 2>/dev/null
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
  [ -n "$is_unkept" ] || { log_debug 'answered late or by curl' 2>/dev/null; exit 0; }
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

# Instead of a stopped daemon, waits on a silent pipe. By eval, because other shells cannot parse it.
open_silent_pipe() {
  { eval 'exec 3<> <(:)'; } 2>/dev/null
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
  case $status in HTTP/1.[01]\ 20[04]*) log_debug 'spooled by the stand-in' 2>/dev/null; exit 0 ;; esac
  return 1
}

# Waits for the reply of a late daemon. A stand-in gets the payload instead, unless the reply has started.
await_reply() {
  has_started='' poll_ms=20
  while [ "$code" -gt 128 ] && ! is_whole; do
    limit_ms=$wall_ms
    time_left || { tried=late; return 1; }
    if [ -n "$reply" ]; then
      read_reply "$left"
      continue
    fi
    # A stopped stand-in is replaced by the next launcher.
    if read_target "$run_dir/late" && [ "$state" != T ]; then
      hand_over
      return 1
    fi
    # Where none can be started, as on a full disk, there is nothing to wait for.
    [ -n "$has_started" ] || start_stand_in || { tried=late; return 1; }
    # At growing intervals: a reply ends the wait at once, and a hundred launchers that poll would use up the CPU.
    to_seconds "$poll_ms"
    [ "$poll_ms" -gt 300 ] || poll_ms=$((poll_ms * 3 / 2))
    read_reply "$seconds"
  done
}

# Whether the reply is complete although the connection is still open.
is_whole() {
  case $reply in *$'\r\n\r\n'*) ;; *) return 1 ;; esac
  split_reply
  case $status in *\ 204*) return ;; esac
  [ -n "$length" ] && [ "${#body}" -ge "$length" ]
}

# Sets `status`, `length`, `is_chunked`, `is_unkept` and `body`.
split_reply() {
  head=${reply%%$'\r\n\r\n'*} length='' is_chunked=''
  status=${head%%$'\r\n'*} body=${reply:${#head}+4}
  case $head in *$'\n'[Cc]ontent-[Ll]ength:*) length=${head##*$'\n'[Cc]ontent-[Ll]ength:} length=${length%%$'\r'*} length=${length//[!0-9]/} ;; esac
  case $head in *$'\n'[Tt]ransfer-[Ee]ncoding:*chunked*) is_chunked=yes ;; esac
  case $head in *$'\n'[Hh]oldfast-[Uu]nkept:*) is_unkept=yes ;; esac
}

# The daemon has been asked unless it is stopped or a stand-in is there, or it could not be reached.
ask_by_bash() {
  start_waiting
  if [ -z "$code" ]; then
    ! read_target "$run_dir/late" || [ "$state" = T ] || hand_over
    [ -z "$tried" ] && read_target "$run_dir/launcher" || return 1
    if [ "$state" = T ]; then
      open_silent_pipe || return 1
      code=142
    else
      connect && send_request || return 1
      to_seconds "$wait_ms"
      read_reply "$seconds"
    fi
  fi
  await_reply || return 1
  take_reply
}

# Prints what is to be printed and ends when the event is recorded; otherwise sets `tried`.
take_reply() {
  split_reply
  case $status in
    HTTP/1.[01]\ 20[04]*) ;;
    HTTP/1.[01]\ 5*) tried=failed ;;
    HTTP/1.[01]\ 400* | HTTP/1.[01]\ 413* | HTTP/1.[01]\ 422*) exit 0 ;;
    *) return 1 ;;
  esac
  case $reply in *$'\r\n\r\n'*) ;; *) tried=${tried:-late}; return 1 ;; esac
  case $status in *\ 204*) exit 0 ;; HTTP/1.[01]\ 5*) [ -n "$is_unkept" ] || return 1 ;; esac
  # The event is recorded: a reply too large for the harness is not printed.
  [ "$code" -ne 0 ] || { finish; return 1; }
  if [ -n "$is_chunked" ]; then
    join_chunks || { tried=late; return 1; }
  else
    [ -n "$length" ] && [ "${#length}" -lt 9 ] || return 1
    [ "${#body}" -eq "$length" ] || { tried=late; return 1; }
  fi
  print_answer
}

join_chunks() {
  whole=''
  while :; do
    line=${body%%$'\r\n'*} body=${body#*$'\r\n'}
    line=${line%%[!0-9A-Fa-f]*}
    [ -n "$line" ] && [ "${#line}" -lt 7 ] || return 1
    length=$((16#$line))
    [ "$length" -gt 0 ] || break
    [ "${#body}" -ge $((length + 2)) ] || return 1
    whole=$whole${body:0:length} body=${body:length+2}
  done
  body=$whole
}

# Asks the process that listens on `socket`, for at most as many milliseconds.
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

# Where the system gives none.
make_id() {
  id="${EPOCHREALTIME-}${SECONDS-}-$$-${RANDOM-}${RANDOM-}${RANDOM-}"
  id=${id/[.,]/-}
}

# Other shells cannot read with a deadline, so a program does. Sets `payload`.
read_by_program() {
  to_seconds "$budget_ms"
  # cat hands on what it has read at once; head, killed by the deadline, would take it along. A dot says that the end was reached.
  # A little more than the Node client reads, so that it reports the excess.
  payload=$({ cat_in_time 2>/dev/null && printf .; } | head -c 16000002)
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

# Hands what was read, and the rest unread, to the Node client.
pass_on_rest() {
  read_us=${EPOCHREALTIME/[.,]/}
  start_waiting
  leave_rest
  read_target "$run_dir/launcher"
  node_client
}

# Returns once there is something to read; leaves a sender that says nothing for the whole budget to the Node client. Takes nothing:
# when a timer ends a `read` of a process that waits for its turn, bash has taken a byte and drops it. A connection to a stand-in or
# the daemon, which is silent until it is asked, is something to wait at; where there is none, the Node client is needed anyway.
await_payload() {
  if { read_target "$run_dir/late" && connect; } || { read_target "$run_dir/launcher" && connect; }; then
    limit_ms=$budget_ms
    while time_left; do
      read -r -t 0.01 status <&3
      [ $? -gt 128 ] || break
      read -r -t 0 && { exec 3>&-; return; }
    done
  fi
  is_unread=yes
  read_target "$run_dir/launcher"
  node_client
}

# What the sender took is not taken from the daemon's time, but still from the time of the whole hook.
start_waiting() {
  [ -n "$started_us" ] || return
  read_ms=$(((read_us - started_us) / 1000)) started_us=$read_us
  [ "$read_ms" -lt 0 ] || wall_ms=$((wall_ms - read_ms))
  [ "$wall_ms" -ge "$wait_ms" ] || wall_ms=$wait_ms
}

ask_by_program() {
  read_by_program
  [ -z "$rest_fd" ] && [ "${#payload}" -le "$payload_limit" ] && [ -n "$payload" ] || return
  { read -r id </proc/sys/kernel/random/uuid; } 2>/dev/null || id="$$-$(date +%s 2>/dev/null)-$PPID"
  # A stand-in only spools: a second copy by the Node client would cost more than waiting for it.
  ! read_target "$run_dir/late" || [ "$state" = T ] || ask_by_curl "$wall_ms"
  if [ -z "$tried" ] && read_target "$run_dir/launcher"; then
    if [ "$state" = T ]; then tried=late; else ask_by_curl "$wait_ms"; fi
  fi
}
