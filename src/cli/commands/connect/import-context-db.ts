import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { isSqliteFile, readContextDb } from '../../../transfer/import/io/context-db.ts'
import { importContext } from '../../../transfer/import/io/import-context.ts'
import type { CliContext, ExitCode } from '../../shared/command.ts'
import type { createProgress } from '../../shared/progress.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'

/** A context.db: given with `--from`, or named by `CONTEXT_DB_PATH` when nothing is given. */
export function findContextDb(from: string | undefined, { cwd, env }: CliContext): string | undefined {
  const named = from ?? (env.CONTEXT_DB_PATH || undefined)
  if (named === undefined) return undefined
  const path = resolve(cwd, named)
  if (from === undefined && !existsSync(path))
    throw new HoldfastError('not-found', `CONTEXT_DB_PATH names ${path}, which does not exist.`, {
      hint: 'Correct or unset CONTEXT_DB_PATH, or give `--from`.',
    })
  return isSqliteFile(path) && !/\.(?:vscdb|cblite)/.test(path) && /context[^/]*$|\.db$/.test(path) ? path : undefined
}

interface ContextImportOptions {
  readonly isJson: boolean
  readonly progress: ReturnType<typeof createProgress>
}

export async function runContextImport(
  path: string,
  context: CliContext,
  { isJson, progress }: ContextImportOptions,
): Promise<ExitCode> {
  const { io } = context
  const taken = await importContext(readContextDb(path), await context.agentApi(), (done, total) =>
    progress.show(done, total),
  ).finally(() => progress.end())
  if (isJson) printJson(io, { from: path, ...taken })
  else {
    const parts = [
      count(taken.projects, 'project'),
      count(taken.intents, 'intent'),
      count(taken.summaries, 'summary', 'summaries'),
      count(taken.entities, 'entity', 'entities'),
    ]
    printLine(io, `Imported ${parts.join(', ')} from ${path}.`)
    for (const one of taken.skipped) printLine(io, `  not imported: ${oneLine(one, 160)}`)
  }
  return 0
}
