import type { ObservedEdit } from '../../../kernel/agent-records.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { openCheckoutTop } from '../../../platform/git/git-dir.ts'
import { forecastMerges, type ForecastWorktree, type MergeForecast } from '../../../platform/git/merge-forecast.ts'
import { withScratchDir } from '../../../platform/scratch-dir.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, formatAge, printableName, printJson, printLine } from '../../shared/output.ts'

const NO_MERGES: MergeForecast = { worktrees: [], left: 0, conflicts: [] }

interface SharedFile {
  readonly file: string
  readonly sessions: readonly Omit<ObservedEdit, 'file'>[]
}

/** Files that more than one live session edited, latest edit first. */
function findShared(edits: readonly ObservedEdit[]): readonly SharedFile[] {
  const byFile = new Map<string, Omit<ObservedEdit, 'file'>[]>()
  for (const { file, ...session } of edits) byFile.set(file, [...(byFile.get(file) ?? []), session])
  return [...byFile].flatMap(([file, sessions]) => (sessions.length > 1 ? [{ file, sessions }] : []))
}

const nameWorktree = ({ path, branch, commit, hasUncommitted }: ForecastWorktree): string =>
  printableName(`${branch ?? commit.slice(0, 8)}${hasUncommitted ? ' with uncommitted changes' : ''} (${path})`)

export const conflictsCommand: CliCommand = {
  configure(command) {
    command.addHelpText(
      'after',
      '\nMerges are forecast with `git merge-tree` from the files on disk, committed or\nnot; the repository is only read. Edits of sessions are known from their hooks.',
    )
  },
  async run({ options, context }) {
    const { io, cwd } = context
    const agentApi = await context.agentApi()
    const project = await agentApi.resolveProject({ cwd })
    const files = findShared(await agentApi.listObservedEdits({ cwd }))
    const isRepository = (await openCheckoutTop(project.worktree)).kind !== 'none'
    const forecast = isRepository
      ? await withScratchDir((dir) => forecastMerges(project.worktree, dir), context.home)
      : NO_MERGES
    if (isSet(options, 'json')) {
      printJson(io, { ...forecast, files })
      return 0
    }
    const worktrees = new Map(forecast.worktrees.map((one) => [one.path, nameWorktree(one)]))
    for (const { between, files: conflicting } of forecast.conflicts) {
      const [one, other] = between.map((path) => worktrees.get(path) ?? path)
      printLine(io, one)
      printLine(io, `and ${other ?? ''}`)
      printLine(io, `would conflict in ${count(conflicting.length, 'file')}:`)
      for (const file of conflicting) printLine(io, `  ${printableName(file)}`)
    }
    if (forecast.conflicts.length === 0 && isRepository)
      printLine(
        io,
        forecast.worktrees.length < 2
          ? 'The repository has one worktree: nothing to merge.'
          : `The ${forecast.worktrees.length} worktrees would merge without conflicts.`,
      )
    if (forecast.left > 0) printLine(io, `${count(forecast.left, 'more worktree')} not compared.`)
    const now = systemClock.now()
    for (const { file, sessions } of files) {
      printLine(io, `${printableName(file)} was edited by ${sessions.length} live sessions:`)
      for (const { harness, sessionKey, branch, worktree, lastEditAt } of sessions)
        printLine(
          io,
          `  ${harness} ${printableName(sessionKey.slice(0, 8))}, ${formatAge(lastEditAt, now)}, ${printableName(branch ?? worktree)}`,
        )
    }
    if (files.length === 0) printLine(io, 'No file was edited by more than one live session.')
    return 0
  },
}
