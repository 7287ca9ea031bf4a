import { html } from 'hono/html'
import type * as z from 'zod'
import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { StoreCounts } from '../../kernel/ports/ports.ts'
import { redactOutput } from '../../redaction/redact-input.ts'
import type { Session } from '../../kernel/session.ts'
import type { HealthReply } from '../../wire/daemon.ts'
import { formatAge } from '../../kernel/text/text.ts'
import type { PageFiles } from './assets.ts'

type Markup = ReturnType<typeof html>

function toText(markup: Markup): string {
  if (markup instanceof Promise) throw new Error('unreachable: no part of a page is a promise')
  return markup.toString()
}

export function formatLastSeen(at: string | undefined, now: string): string {
  return at === undefined ? 'never' : formatAge(at, now, 1_000)
}

export interface FirstView {
  readonly now: string
  readonly files: PageFiles
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

interface PageParts {
  readonly title: string
  readonly main: Markup
  readonly files: PageFiles
  /** Without it, the page runs no script. */
  readonly head?: Markup
}

function renderPage({ title, main, files, head }: PageParts): string {
  return toText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head ?? html``}<title>${title}</title>
${files.styles.map(
  (href) => html`<link rel="stylesheet" href="${href}">
`,
)}${
  head === undefined
    ? html``
    : files.scripts.map(
        (src) => html`<script type="module" src="${src}"></script>
`,
      )
}</head>
<body>
<header><h1>Holdfast</h1></header>
<main id="app">
${main}
</main>
</body>
</html>
`)
}

function nextStep({ health, work }: FirstView): Markup {
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
  return html`<tr><td>${session.phase}</td><td>${session.place?.project ?? session.cwd ?? 'unknown location'}</td><td>${session.place?.branch ?? ''}</td><td>${session.harness}</td><td class="number">${session.promptCount}</td><td>${formatLastSeen(session.lastEventAt, now)}</td><td>${formatLastSeen(session.lastCheckpointAt, now)}</td></tr>
`
}

function checkpointRow({ checkpoint }: StoredCheckpoint, now: string): Markup {
  return html`<tr><td>${formatLastSeen(checkpoint.createdAt, now)}</td><td>${checkpoint.trigger.replaceAll('_', ' ')}</td><td>${checkpoint.place.project}</td><td>${checkpoint.summary}</td></tr>
`
}

function workSections({ work, now }: FirstView): Markup {
  if (work === undefined) return html``
  const { counts, sessions, checkpoints } = work
  return html`<section><h2>Sessions</h2>
${
  sessions.length === 0
    ? html`<p>None yet.</p>`
    : html`<div class="scroll-x"><table><thead><tr><th>Phase</th><th>Project</th><th>Branch</th><th>Harness</th><th>Prompts</th><th>Last event</th><th>Last checkpoint</th></tr></thead><tbody>
${sessions.map((session) => sessionRow(session, now))}</tbody></table></div>`
}
</section>
<section><h2>Latest checkpoints</h2>
${
  checkpoints.length === 0
    ? html`<p>None yet. The first comes after ten prompts, fifteen minutes of work, a compaction or the session's end.</p>`
    : html`<div class="scroll-x"><table><thead><tr><th>When</th><th>Why</th><th>Project</th><th>About</th></tr></thead><tbody>
${checkpoints.map((checkpoint) => checkpointRow(checkpoint, now))}</tbody></table></div>`
}
</section>
<section><h2>Stored</h2><dl class="facts"><dt>Events</dt><dd>${counts.events}</dd><dt>Sessions</dt><dd>${counts.sessions}</dd><dt>Checkpoints</dt><dd>${counts.checkpoints}</dd><dt>Memories</dt><dd>${counts.memories}</dd></dl></section>
`
}

/**
 * The page of the application: tables for readers without script, which the script replaces.
 * Redacted again, because a stored row may be older than a redaction rule.
 */
export function renderShell(data: FirstView): string {
  const { health, now, files, pageToken } = data
  const main = html`<noscript><p class="notice">This browser runs no script here, so every address shows this summary of the latest work. <code>holdfast sessions list</code>, <code>holdfast explain --next</code> and <code>holdfast events removed</code> print in a terminal what the other pages show.</p></noscript>
${workSections({ ...data, work: redactOutput(data.work) })}
<section><h2>Daemon</h2><dl class="facts"><dt>State</dt><dd>${health.status}</dd><dt>Version</dt><dd>${health.version}</dd><dt>Started</dt><dd>${formatLastSeen(health.startedAt, now)}</dd><dt>Store</dt><dd>${health.store}</dd><dt>Live sessions</dt><dd>${health.liveSessions}</dd><dt>Waiting in the spool</dt><dd>${health.spoolBacklog}</dd></dl>
${nextStep(data)}
</section>`
  if (pageToken === undefined) return renderPage({ title: 'Holdfast', main, files })
  const head = html`<meta name="holdfast-page" content="${pageToken}">
`
  return renderPage({ title: 'Holdfast', main, files, head })
}

const LOGIN_TEXT = html`<p>Run <code>holdfast dashboard</code> and open the link that it prints. The link works once, within a minute.</p>`

/** For a copied link: its script continues at the page that this browser opened last, if there is one. */
export function renderLinkPage(files: PageFiles): string {
  const main = html`<section><h2>This page needs a link</h2>
${LOGIN_TEXT}
</section>`
  return renderPage({ title: 'Holdfast', main, files, head: html`` })
}

/** For a browser without a session, and for a link that was used already. */
export function renderLoginPage(files: PageFiles, problem?: string): string {
  return renderPage({
    title: 'Holdfast: log in',
    files,
    main: html`<section><h2>This page needs a link</h2>
${problem === undefined ? html`` : html`<p class="notice">${problem}</p>`}
${LOGIN_TEXT}
</section>`,
  })
}
