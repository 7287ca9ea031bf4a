import { useEffect, useState } from 'preact/hooks'
import { onLiveState, readLiveState } from '../data/live.ts'
import { formatClock, formatNumber } from '../parts/format.ts'

/** Shown above the page while its content may be outdated. */
export function AwayNotice() {
  const [{ status, since }, setState] = useState(readLiveState)
  useEffect(() => onLiveState(() => setState(readLiveState())), [])
  if (status !== 'away') return null
  return (
    <p class="notice" role="alert">
      The daemon does not answer: what is shown is from before {formatClock(new Date(since).toISOString())}. It starts
      again with the next hook; then run <code>holdfast dashboard</code> and open the link that it prints.
    </p>
  )
}

/** Whether the page is up to date, and since when it is not. */
export function LiveSign() {
  const [state, setState] = useState(readLiveState)
  useEffect(() => onLiveState(() => setState(readLiveState())), [])
  const { status, since, lastSeq = 0, headSeq } = state
  if (status === 'logged-out')
    return (
      <div class="overlay" role="alertdialog" aria-labelledby="login-title">
        <div class="overlay-box">
          <h2 id="login-title">This page is logged out</h2>
          <p>
            You logged out, twelve hours passed, or the daemon was restarted. Run <code>holdfast dashboard</code> and
            open the link that it prints.
          </p>
        </div>
      </div>
    )
  const text = {
    connecting: 'Connecting',
    live: 'Live',
    behind: `Catching up: ${formatNumber(headSeq - lastSeq)} events behind`,
    away: `Not connected since ${formatClock(new Date(since).toISOString())}`,
  }[status]
  return (
    <span class={`live-sign ${status}`} role="status" title={`Last event: ${formatNumber(lastSeq)}`}>
      <span class="live-dot" aria-hidden="true" />
      {text}
    </span>
  )
}
