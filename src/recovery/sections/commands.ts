import type { CheckRun, CommandRun, WorkSummary } from '../../kernel/checkpoint.ts'
import { getCommandHead, stripCommandFolder } from '../../kernel/shell/command.ts'
import { labelCommand } from '../../kernel/shell/label-command.ts'
import { settlesCommand } from '../../kernel/shell/whole-suite.ts'
import { isDisputed } from '../dialogue/disputed.ts'
import type { Item } from '../items/item.ts'
import { ROOMS } from '../passages/scoring.ts'

/** A command counts half after so many events. */
const RECENCY = 60
const RECENT = 3
/** What any session runs: it looks at files and at the repository. */
const COMMON =
  /^(?:git|gh|ls|cat|cd|rg|grep|find|echo|head|tail|sed|wc|pwd|mkdir|rm|cp|mv|which|sleep|awk|touch|chmod|python3?|node|curl|pgrep|pkill|kill|lsof|ps|xargs|base64|jq|test|for|while|diff|sort|export|source|set|sh|bash|date|env|open|nohup|timeout|true)(?:\s|$)/

const MAX_LABEL_CHARS = 60
/** A word was cut: the command cannot be run from its label. */
const IS_CUT = /[^\s(]…|…[^/\s)]/

interface LastRun {
  readonly run: CommandRun
  readonly weight: number
}

/** A check that a later green run includes, a program that failed at the only try and a command that does not fit are of no use. */
function isUseful(
  { command, purpose, ok, runs, lastOrder }: CommandRun,
  { commands, dialogue }: Pick<WorkSummary, 'commands' | 'dialogue'>,
): boolean {
  // One bare word is a program of the system, or says too little.
  if (purpose === 'other' && !stripCommandFolder(command).includes(' ')) return false
  if (ok && isDisputed({ order: lastOrder, purpose, command }, dialogue)) return false
  if (IS_CUT.test(labelCommand(command, MAX_LABEL_CHARS)) || (purpose === 'other' && runs < 2 && !ok)) return false
  return (
    ok || !commands.some((later) => later.ok && later.lastOrder > lastOrder && settlesCommand(later.command, command))
  )
}

/** Of each command of the project, by its head, the newest run that is of use. */
function listLastRuns({ commands, lastOrder, dialogue }: WorkSummary): readonly LastRun[] {
  const last = new Map<string, LastRun>()
  for (const run of commands) {
    const head = getCommandHead(run.command)
    if (head.length < 4 || COMMON.test(head) || !isUseful(run, { commands, dialogue })) continue
    const known = last.get(head)
    const weight = Math.log1p(run.runs) + RECENT * Math.exp(-(lastOrder - run.lastOrder) / RECENCY)
    last.set(head, {
      run: known !== undefined && known.run.lastOrder > run.lastOrder ? known.run : run,
      weight: Math.max(known?.weight ?? 0, weight),
    })
  }
  return [...last.values()].toSorted((a, b) => b.weight - a.weight)
}

function getVerdict(
  { command, ok, lastOrder }: CommandRun,
  checks: readonly CheckRun[],
): CheckRun['verdict'] | undefined {
  const check = checks.find((one) => one.command === command && one.order === lastOrder)
  return check?.verdict ?? (ok ? undefined : 'failed')
}

/** The project's own commands that no check names and that do not run now, each as it was run last. */
export function commandItems(work: WorkSummary, shown: readonly Item[]): readonly Item[] {
  const named = shown.flatMap(({ content }) =>
    content.kind === 'check' ? [content.run.command] : content.kind === 'in-flight' ? [content.work.what] : [],
  )
  let left: number = ROOMS.commands
  return listLastRuns(work).flatMap(({ run }): readonly Item[] => {
    if (named.some((one) => one.includes(getCommandHead(run.command)) || one.includes(run.command))) return []
    if (getVerdict(run, work.checks ?? []) === 'nothing-ran') return []
    const command = labelCommand(run.command, MAX_LABEL_CHARS)
    left -= command.length + 4
    if (left < 0) return []
    const verdict = getVerdict(run, work.checks ?? [])
    const isOutdated = verdict === 'passed' && run.lastOrder < (work.lastEditOrder ?? 0)
    return [
      {
        section: 'commands',
        content: {
          kind: 'command',
          command,
          ...(verdict === undefined ? {} : { verdict }),
          ...(isOutdated ? { isOutdated: true } : {}),
        },
        origin: 'commands',
        reason: 'run in this session',
      },
    ]
  })
}
