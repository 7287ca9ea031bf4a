#!/bin/sh
# What a harness runs: hands one hook payload to the Holdfast daemon and prints its answer.
#
#   launcher.sh <harness> <hook>        payload on stdin
#
# Run it as `/bin/bash -p launcher.sh …` where bash 4 or newer is there (launcher-command.ts chooses): bash speaks TCP by
# itself, so the whole exchange starts no further process. Anything else, another shell included, is left to
# launcher-fallback.sh beside this file. Prints only the reply, and always exits 0.
#
# Reads: HOLDFAST_HOME, HOLDFAST_PID (the harness's process), HOLDFAST_NODE (the Node to fall back to),
# HOLDFAST_HOOK_BUDGET_MS (see budget.ts), HOLDFAST_DEBUG (more lines in the hook log, and on stderr), HOLDFAST_OFF (do nothing: the
# harness was started by Holdfast itself, see presets.ts).

[ -z "${HOLDFAST_OFF-}" ] || exit 0
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
payload='' id='' tried='' started_us='' read_us='' node_path='' state='' is_unread='' rest_fd='' code='' reply=''
payload_limit=65536
output_limit=9500
reply_limit=$((output_limit * 4 + 4096))

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

# 160 is 0.160: the thousand only keeps the leading zeros.
to_seconds() {
  seconds=$(($1 / 1000)).$(($1 % 1000 + 1000))
  seconds=${seconds%.*}.${seconds#*.1}
}

# Bash parses a file at every start: what an answered call does not need is in another one.
load_fallback() {
  [ -r "$here/launcher-fallback.sh" ] || exit 0
  . "$here/launcher-fallback.sh"
}

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

# Only to a process that is not stopped: connecting has no deadline, and a stopped process does not accept.
connect() {
  [ "$state" != T ] && { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null
}

send_request() {
  printf 'POST /hook/%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\nHoldfast-Client: launcher\r\nHoldfast-Event-Id: %s\r\nHoldfast-Deadline-Ms: %s\r\nHoldfast-Pid: %s\r\nConnection: close\r\n\r\n%s' \
    "$harness" "$hook" "$port" "$token" "${#payload}" "$id" "$((wait_ms - 20))" "${HOLDFAST_PID-}" "$payload" >&3 2>/dev/null
}

# Adds to `reply` what comes within as many seconds. `code` is 1 at its end, because the daemon closes the connection; above 128
# when the time is over; 0 for more than is ever printed. With -N, because bash reads lines of a socket byte by byte.
read_reply() {
  IFS= read -r -t "$1" -N "$reply_limit" part <&3
  code=$?
  reply=$reply$part
}

# Prints a usual reply and ends; returns for any other.
print_usual_reply() {
  head=${reply%%$'\r\n\r\n'*}
  case $head in
    *[Uu]nkept:* | *[Cc]hunked*) return ;;
    HTTP/1.[01]\ 200*) ;;
    *) return ;;
  esac
  length=${head##*[Cc]ontent-[Ll]ength: } length=${length%%$'\r'*}
  body=${reply:${#head}+4}
  [ "${#body}" = "$length" ] && [ "$length" -le "$output_limit" ] || return
  printf %s "$body" 2>/dev/null
  [ -z "${HOLDFAST_DEBUG-}" ] || { load_fallback; log_debug "answered with ${#body} bytes" 2>/dev/null; }
  exit 0
}

if [ -n "${BASH_VERSION-}" ] && [ "${BASH_VERSINFO[0]}" -ge 4 ]; then
  started_us=${EPOCHREALTIME/[.,]/}
  read -r -t 0 || { load_fallback; await_payload; }
  # 1 is the end of the payload, which is how it should end; 0 means that there is more than we take, and above 128 that the
  # sender paused: what is still to come is left to the Node client, and whether it was all, its JSON tells.
  IFS= read -r -t 1 -N $((payload_limit + 1)) payload 2>/dev/null
  [ $? -eq 1 ] || { load_fallback; pass_on_rest; }
  [ -n "$payload" ] || exit 0
  read_us=${EPOCHREALTIME/[.,]/}
  { read -r id </proc/sys/kernel/random/uuid; } 2>/dev/null || { load_fallback; make_id; }
  if [ ! -e "$run_dir/late" ] && read_target "$run_dir/launcher" && connect && send_request; then
    to_seconds "$wait_ms"
    # bash prints an error when the connection is reset while it reads.
    read_reply "$seconds" 2>/dev/null
    [ "$code" -ne 1 ] || print_usual_reply
  fi
  load_fallback
  ask_by_bash 2>/dev/null
else
  load_fallback
  ask_by_program
fi
node_client
