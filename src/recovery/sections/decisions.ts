import type { WorkSummary } from '../../kernel/checkpoint.ts'
import { getCommandHead, stripCommandFolder } from '../../kernel/shell/command.ts'
import { clip } from '../../kernel/text/text.ts'
import type { Item } from '../items/item.ts'
import type { RecoveryView } from '../merge/merge-checkpoints.ts'

const MAX_DECISIONS = 4
const MAX_TRIED = 3
const MAX_BLOCKERS = 3
const MAX_MEMORIES = 2
const MAX_FAILURE_CHARS = 240

/** The newest command that failed, unless one of the same program succeeded since; a check has a section of its own. */
function findOpenFailure({ commands, checks = [], errors }: WorkSummary): string | undefined {
  const failed = commands
    .filter(({ ok, purpose, command }) => !ok && purpose !== 'vcs' && !checks.some((run) => run.command === command))
    .toSorted((a, b) => b.lastOrder - a.lastOrder)[0]
  if (failed === undefined) return undefined
  const getProgram = (command: string) => getCommandHead(stripCommandFolder(command)).split(' ')[0]
  const isOvertaken = commands.some(
    ({ ok, lastOrder, command }) =>
      ok && lastOrder > failed.lastOrder && getProgram(command) === getProgram(failed.command),
  )
  const error = errors.find(({ lastOrder, resolution }) => lastOrder === failed.lastOrder && resolution === undefined)
  return isOvertaken || error === undefined ? undefined : `\`${failed.command}\` failed: ${error.text}`
}

/** A command that failed again and again, and succeeded since, is not what did not work. */
function isOvercome(text: string, { commands, checks = [] }: WorkSummary): boolean {
  const [, command = ''] = /^`([^`]+)`/.exec(text) ?? []
  return (
    commands.some((run) => run.ok && run.command === command) ||
    // A check has a line of its own.
    checks.some((run) => run.command === command)
  )
}

/** Decisions that were recorded as such, approaches that failed, blockers, and what was remembered. */
export function decisionItems({ work, remembers }: RecoveryView): readonly Item[] {
  const openFailure = findOpenFailure(work)
  return [
    ...work.blockers.slice(-MAX_BLOCKERS).map(
      (text): Item => ({
        section: 'next',
        content: { kind: 'blocker', text },
        origin: 'blockers',
        reason: 'said to be in the way',
      }),
    ),
    ...work.decisions
      .slice(-MAX_DECISIONS)
      .toReversed()
      .map(
        (decision): Item => ({
          section: 'decisions',
          content: { kind: 'decision', decision },
          origin: 'decisions',
          reason: `decision, ${decision.evidence}`,
        }),
      ),
    ...(openFailure === undefined || work.failedApproaches.length > 0
      ? []
      : [
          {
            section: 'tried',
            content: { kind: 'text', text: clip(openFailure, MAX_FAILURE_CHARS) },
            origin: 'errors',
            reason: 'failed when it last ran',
          } satisfies Item,
        ]),
    ...work.failedApproaches
      .filter((text) => !isOvercome(text, work))
      .slice(-MAX_TRIED)
      .toReversed()
      .map(
        (text): Item => ({
          section: 'tried',
          content: { kind: 'text', text },
          origin: 'failedApproaches',
          reason: 'tried and failed',
        }),
      ),
    ...remembers.slice(-MAX_MEMORIES).map(
      (text): Item => ({
        section: 'decisions',
        content: { kind: 'memory', text },
        origin: 'remembers',
        reason: 'remembered in that session',
      }),
    ),
  ]
}
