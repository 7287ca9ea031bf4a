import type { Session } from '../kernel/session.ts'
import type { ContentEntry } from './session-content.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Control characters and marks that reorder text; a tab and a line break are harmless. */
const ACTIVE =
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)
    .replace(ACTIVE, (char) => `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
article{border-top:1px solid #8886;padding:.75rem 0}h2{font-size:1rem;margin:0}time{font-weight:400;opacity:.8;font-size:.875rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0 0}.failed h2::after{content:" (failed)"}dt{font-weight:600}dd{margin:0 0 .25rem}`

function renderEntry({ seq, at, kind, text, ok }: ContentEntry): string {
  const state = ok === false ? ' class="failed"' : ''
  return `<article id="event-${seq}"${state}><h2>${kind} <time datetime="${escape(at)}">${escape(at)}</time></h2><pre dir="auto">${escape(text)}</pre></article>`
}

/** One HTML document without script and without references to anything else. The entries must be redacted already. */
export function renderSessionPage(session: Session, entries: readonly ContentEntry[]): string {
  const title = escape(session.labels?.title ?? session.place?.project ?? session.cwd ?? session.key)
  const facts = [
    ['Harness', `${session.harness} ${session.harnessVersion ?? ''}`],
    ['Session', session.key],
    ['Branch', session.place?.branch ?? 'unknown'],
    ['Started', session.startedAt],
    ['Last event', session.lastEventAt],
    ['Prompts, tool calls', `${session.promptCount}, ${session.toolCount}`],
  ].map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escape(value.trim())}</dd>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1><dl>${facts.join('')}</dl>
${entries.map(renderEntry).join('\n')}
<p>Exported by Holdfast. Secrets were removed before the text was stored, and again for this file.</p></body></html>
`
}
