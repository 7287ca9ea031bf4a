import { html } from 'hono/html'
import type * as z from 'zod'
import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { StoreCounts } from '../../kernel/ports/ports.ts'
import { redactOutput } from '../../redaction/redact-input.ts'
import type { Session } from '../../kernel/session.ts'
import type { HealthReply } from '../../wire/daemon.ts'
import { formatAge } from '../../kernel/text/text.ts'

type Markup = ReturnType<typeof html>

function toText(markup: Markup): string {
  if (markup instanceof Promise) throw new Error('unreachable: no part of a page is a promise')
  return markup.toString()
}

export function formatLastSeen(at: string | undefined, now: string): string {
  return at === undefined ? 'never' : formatAge(at, now, 1_000)
}

export interface DashboardData {
  readonly now: string
  readonly health: z.output<typeof HealthReply>
  readonly pageToken: string | undefined
  /** Undefined while the store does not answer. */
  readonly work:
    | {
        readonly counts: StoreCounts
        readonly sessions: readonly Session[]
        readonly checkpoints: readonly StoredCheckpoint[]
      }
    | undefined
}

function page(title: string, main: Markup, head: Markup = html``): string {
  return toText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><h1>Holdfast</h1></header>
<main>
${main}
</main>
</body>
</html>
`)
}

function nextStep({ health, work }: DashboardData): Markup {
  if (health.store === 'read-only') {
    return html`<p class="notice">The store can be read and not written: the disk may be full. Sessions that start still get a recovery from what is stored; run <code>holdfast doctor</code> for details.</p>`
  }
  if (health.store !== 'ok') {
    return html`<p class="notice">The store does not answer at the moment. Hooks spool their events until it does. Run <code>holdfast daemon logs</code> to see why.</p>`
  }
  if (work !== undefined && work.counts.sessions === 0) {
    return html`<p class="notice">No session has been seen yet. Connect a harness with <code>holdfast init</code>, then start it in a project.</p>`
  }
  return html`<p>All events are stored. <code>holdfast doctor</code> checks the hooks; <code>holdfast explain</code> shows what was injected into the last session and why.</p>`
}

function sessionRow(session: Session, now: string): Markup {
  return html`<tr><td><span class="phase ${session.phase}">${session.phase}</span></td><td>${session.place?.project ?? session.cwd ?? 'unknown location'}</td><td>${session.place?.branch ?? ''}</td><td>${session.harness}</td><td class="number">${session.promptCount}</td><td>${formatLastSeen(session.lastEventAt, now)}</td><td>${formatLastSeen(session.lastCheckpointAt, now)}</td></tr>
`
}

function checkpointRow({ checkpoint }: StoredCheckpoint, now: string): Markup {
  return html`<tr><td>${formatLastSeen(checkpoint.createdAt, now)}</td><td>${checkpoint.trigger}</td><td>${checkpoint.place.project}</td><td>${checkpoint.summary}</td></tr>
`
}

function workSections({ work, now }: DashboardData): Markup {
  if (work === undefined) return html``
  const { counts, sessions, checkpoints } = work
  return html`<section><h2>Sessions</h2>
${
  sessions.length === 0
    ? html`<p>None yet.</p>`
    : html`<table><thead><tr><th>Phase</th><th>Project</th><th>Branch</th><th>Harness</th><th>Prompts</th><th>Last event</th><th>Last checkpoint</th></tr></thead><tbody>
${sessions.map((session) => sessionRow(session, now))}</tbody></table>`
}
</section>
<section><h2>Latest checkpoints</h2>
${
  checkpoints.length === 0
    ? html`<p>None yet. The first comes after ten prompts, fifteen minutes of work, a compaction or the session's end.</p>`
    : html`<table><thead><tr><th>When</th><th>Why</th><th>Project</th><th>About</th></tr></thead><tbody>
${checkpoints.map((checkpoint) => checkpointRow(checkpoint, now))}</tbody></table>`
}
</section>
<section><h2>Stored</h2><dl><dt>Events</dt><dd>${counts.events}</dd><dt>Sessions</dt><dd>${counts.sessions}</dd><dt>Checkpoints</dt><dd>${counts.checkpoints}</dd><dt>Memories</dt><dd>${counts.memories}</dd></dl></section>
`
}

/** Plain tables without scripts. Redacted again, because a stored row may be older than a redaction rule. */
export function renderDashboard(data: DashboardData): string {
  const { health, now } = data
  const main = html`<section><h2>Daemon</h2><dl><dt>State</dt><dd><span class="phase ${health.status}">${health.status}</span></dd><dt>Version</dt><dd>${health.version}</dd><dt>Started</dt><dd>${formatLastSeen(health.startedAt, now)}</dd><dt>Store</dt><dd>${health.store}</dd><dt>Live sessions</dt><dd>${health.liveSessions}</dd><dt>Waiting in the spool</dt><dd>${health.spoolBacklog}</dd></dl>
${nextStep(data)}
</section>
${workSections({ ...data, work: redactOutput(data.work) })}`
  const head =
    data.pageToken === undefined
      ? html``
      : html`<meta name="holdfast-page" content="${data.pageToken}">
`
  return page('Holdfast', main, head)
}

/** For a browser without a session, and for a link that was used already. */
export function loginPage(problem?: string): string {
  return page(
    'Holdfast: log in',
    html`<section><h2>This page needs a link</h2>
${problem === undefined ? html`` : html`<p class="notice">${problem}</p>`}
<p>Run <code>holdfast dashboard</code> and open the link that it prints. The link works once, within a minute.</p>
</section>`,
  )
}

export const STYLE = `:root { color-scheme: light dark; --text: #1f2933; --quiet: #6b7780; --line: #dfe4e8; --page: #fbfcfc; --good: #2f7d5b; --wait: #a06a10; --bad: #b03a3a }
@media (prefers-color-scheme: dark) { :root { --text: #dfe5ea; --quiet: #93a0aa; --line: #2e373e; --page: #161b1f; --good: #6cc29b; --wait: #d9a94e; --bad: #e58a8a } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1.5rem 4rem; background: var(--page); color: var(--text); font: 15px/1.55 system-ui, sans-serif }
h1 { font-size: 1.25rem; margin: 0 0 1.5rem }
h2 { font-size: .95rem; margin: 0 0 .6rem; color: var(--quiet); font-weight: 600 }
section { margin-bottom: 2.25rem; overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { color: var(--quiet); font-weight: 500; white-space: nowrap }
td.number { font-variant-numeric: tabular-nums }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; margin: 0 0 1rem }
dt { color: var(--quiet) }
dd { margin: 0 }
code { font: .92em ui-monospace, monospace; padding: .1em .35em; border: 1px solid var(--line); border-radius: 4px }
.phase { color: var(--quiet) }
.phase.working, .phase.ok, .phase.idle { color: var(--good) }
.phase.compacting, .phase.degraded { color: var(--wait) }
.phase.interrupted { color: var(--bad) }
.notice { border-left: 3px solid var(--wait); padding-left: .8rem }
`
