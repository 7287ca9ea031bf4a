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

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;line-height:1.3;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.5rem;margin:0 0 1.5rem}
dt{opacity:.8}dd{margin:0;overflow-wrap:anywhere}article{border-top:1px solid #8884;border-left:3px solid #8886;padding:.6rem 1rem}
article.request{border-left-color:#0b8a7c}article.decision{border-left-color:#8a5fd0}article.failed{border-left-color:#c33}
h2{display:flex;justify-content:space-between;gap:1rem;font-size:.875rem;margin:0}time{font-weight:400;opacity:.8}
pre{font-size:.875rem;white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0 0}`
const TITLE_CHARS = 160

function renderEntry({ seq, at, kind, text, ok }: ContentEntry): string {
  const isFailed = ok === false
  return `<article id="event-${seq}" class="${isFailed ? 'failed' : kind}"><h2>${kind}${isFailed ? ' (failed)' : ''} <time datetime="${escape(at)}">${escape(at)}</time></h2><pre dir="auto">${escape(text)}</pre></article>`
}

/** One HTML document without script and without references to anything else. The entries must be redacted already. */
export function renderSessionPage(session: Session, entries: readonly ContentEntry[]): string {
  const project = session.place?.project ?? session.cwd ?? 'unknown'
  const asked = entries
    .find(({ kind }) => kind === 'request')
    ?.text.trim()
    .slice(0, TITLE_CHARS)
  const title = escape(session.labels?.title ?? (asked || project))
  const facts = [
    ['Project', project],
    ['Harness', `${session.harness} ${session.harnessVersion ?? ''}`],
    ['Session', session.key],
    ['Branch', session.place?.branch ?? 'unknown'],
    ['Started', session.startedAt],
    ['Last event', session.lastEventAt],
    ['Work', `${session.promptCount} prompts, ${session.toolCount} tool calls`],
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
