import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRecordFile } from '../../../transfer/records/io/record-file.ts'
import type { ExportInput } from '../../../transfer/records/export-records.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { count, printJson, printLine } from '../../shared/output.ts'

function toSelection({ options, context }: CommandInput): Omit<ExportInput, 'position'> {
  const session = textOption(options, 'session')
  const { project } = options
  if ([session, project, isSet(options, 'all') || undefined].filter((given) => given !== undefined).length > 1)
    throw new HoldfastError('invalid-input', 'Give only one of --project, --session and --all.')
  if (session !== undefined) return { session: SessionKey(session) }
  if (isSet(options, 'all')) return { isAll: true }
  return { cwd: typeof project === 'string' ? resolve(context.cwd, project) : context.cwd }
}

export const exportCommand: CliCommand = {
  configure(command) {
    command
      .argument('<file>', 'the file to write')
      .option('--project [path]', 'export one project (default: this one)')
      .option('--session <key>', 'export one session', sessionKey)
      .option('--all', 'export all projects, and the memories that apply to all of them')
      .option('-y, --yes', 'replace the file if it exists')
      .addHelpText(
        'after',
        '\nThe file has one JSON document in each line, with a hash, and no secrets.\n`holdfast import FILE` stores it again, here or on another machine.\n\nExample:\n  $ holdfast export --all ~/holdfast-backup.jsonl',
      )
  },
  async run(input) {
    const { args, options, context } = input
    const { io, cwd } = context
    const path = resolve(cwd, args[0] ?? '')
    if (existsSync(path) && !isSet(options, 'yes'))
      throw new HoldfastError('conflict', `${path} already exists.`, { hint: 'Use `--yes` to replace it.' })
    if (!existsSync(dirname(path)))
      throw new HoldfastError('not-found', `The folder ${dirname(path)} does not exist.`, {
        hint: 'Create it, or give another file.',
      })
    const selection = toSelection(input)
    const continuity = await context.continuity()
    const unfinished = `${path}.unfinished`
    const file = await createRecordFile(unfinished, { madeAt: systemClock.now(), machine: hostname() })
    const counts: Record<string, number> = {}
    try {
      let position: string | undefined
      do {
        const page = await continuity.exportRecords({ ...selection, ...(position !== undefined && { position }) })
        await file.add(page.records)
        for (const { kind } of page.records) counts[kind] = (counts[kind] ?? 0) + 1
        position = page.position
      } while (position !== undefined)
      const end = await file.finish()
      await rename(unfinished, path)
      if (isSet(options, 'json')) printJson(io, { file: path, ...end, counts })
      else {
        const parts = Object.entries(counts).map(([kind, amount]) => count(amount, kind, toPlural(kind)))
        printLine(io, `Wrote ${path}: ${parts.length === 0 ? 'nothing is stored' : parts.join(', ')}.`)
        printLine(io, `SHA-256 of its content: ${end.sha256}`)
      }
    } finally {
      await file.close()
      await rm(unfinished, { force: true })
    }
    return 0
  },
}

function toPlural(kind: string): string {
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`
}
