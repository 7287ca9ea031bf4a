import type { WorkSummary } from '../../kernel/checkpoint.ts'
import { getCommandHead, stripCommandFolder } from '../../kernel/shell/command.ts'
import type { Item } from '../items/item.ts'
import { ROOMS } from '../passages/scoring.ts'

/** A command counts half after so many events. */
const RECENCY = 60
const RECENT = 3
/** What any session runs: it looks at files and at the repository. */
const COMMON =
  /^(?:git|gh|ls|cat|cd|rg|grep|find|echo|head|tail|sed|wc|pwd|mkdir|rm|cp|mv|which|sleep|awk|touch|chmod|python3?|node|curl|pgrep|pkill|kill|lsof|ps|xargs|base64|jq|test|for|while|diff|sort|export|source|set|sh|bash|date|env|open|nohup|timeout|true)(?:\s|$)/

const MAX_COMMAND_CHARS = 60

/** The command's head as it was typed; with the options between its words and the word after, without which it would not run. */
function getRunnable(head: string, command: string): string {
  if (command.startsWith(head)) return head
  const last = head.split(' ').at(-1) ?? head
  const at = command.indexOf(last)
  if (at < 0 || at + last.length > MAX_COMMAND_CHARS) return head
  const end = at + last.length
  const [script = ''] = /^ [\w:.-]+/.exec(command.slice(end)) ?? []
  return command.slice(0, end) + script
}

/** The project's own commands that the checks do not name, without arguments. */
export function commandItems({ commands, lastOrder }: WorkSummary, checks: readonly Item[]): readonly Item[] {
  const shown = checks.flatMap(({ content }) => (content.kind === 'check' ? [content.run.command] : []))
  const weights = new Map<string, number>()
  const newest = new Map<string, { readonly order: number; readonly ok: boolean }>()
  for (const { command, runs, lastOrder: order, ok } of commands) {
    const plain = stripCommandFolder(command)
    const head = getRunnable(getCommandHead(plain), plain)
    if (COMMON.test(head) || head.length < 4 || shown.some((check) => check.includes(head))) continue
    const weight = Math.log1p(runs) + RECENT * Math.exp(-(lastOrder - order) / RECENCY)
    weights.set(head, Math.max(weights.get(head) ?? 0, weight))
    if (order >= (newest.get(head)?.order ?? 0)) newest.set(head, { order, ok })
  }
  let left: number = ROOMS.commands
  return [...weights]
    .toSorted((a, b) => b[1] - a[1])
    .flatMap(([command]): readonly Item[] => {
      left -= command.length + 4
      if (left < 0) return []
      return [
        {
          section: 'commands',
          content: { kind: 'command', command, hasFailed: newest.get(command)?.ok === false },
          origin: 'commands',
          reason: 'run in this session',
        },
      ]
    })
}
