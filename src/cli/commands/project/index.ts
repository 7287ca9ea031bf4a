import { join, resolve } from 'node:path'
import { buildIndex } from '../../../codemap/build-index.ts'
import {
  DEFAULT_MAX_CHARS,
  INDEX_JSON,
  INDEX_MARKDOWN,
  MAX_MAX_CHARS,
  MIN_MAX_CHARS,
} from '../../../codemap/project-index.ts'
import { LEFT_ALONE_BECAUSE, type RefreshResult, refreshPair } from '../../../codemap/pair/refresh-pair.ts'
import { replacePair } from '../../../codemap/pair/index-files.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { requireOneProject } from '../../../platform/files/project-file.ts'
import { createLocator } from '../../../platform/locator.ts'
import { isSet, numberOption, wholeNumber } from '../../shared/arguments.ts'
import { builtFile } from '../../shared/built-files.ts'
import type { CliCommand, CliIo, ExitCode } from '../../shared/command.ts'
import { count, printJson, printLine } from '../../shared/output.ts'
import { createProgress } from '../../shared/progress.ts'

function printRefreshed(
  io: CliIo,
  { root, refreshed, isJson }: { readonly root: string; readonly refreshed: RefreshResult; readonly isJson: boolean },
): ExitCode {
  if (isJson) {
    const { outcome } = refreshed
    const why = refreshed.outcome === 'left-alone' ? { because: refreshed.because } : {}
    const more = refreshed.outcome === 'written' ? { meta: refreshed.index.meta, parsed: refreshed.index.parsed } : {}
    printJson(io, { root, outcome, ...why, ...more })
  } else if (refreshed.outcome === 'written') {
    printLine(io, `Updated the index of ${root}: ${count(refreshed.index.parsed, 'file')} parsed.`)
  } else if (refreshed.outcome === 'unchanged') {
    printLine(io, `The index of ${root} is up to date.`)
  } else {
    const because = LEFT_ALONE_BECAUSE[refreshed.because]
    printLine(io, `Did not update the index of ${root}: ${because}. \`holdfast index\` writes it.`)
  }
  return 0
}

export const indexCommand: CliCommand = {
  configure(command) {
    command
      .argument('[dir]', 'the project or a folder in it (default: the current folder)')
      .option('--stdout', 'print the index instead of writing files')
      .option(
        '--max-chars <count>',
        `maximum length (default ${DEFAULT_MAX_CHARS}, about 3,000 tokens)`,
        wholeNumber(MIN_MAX_CHARS, MAX_MAX_CHARS),
      )
      .option('--refresh', 'update only if Holdfast created the files, git does not track them and they are outdated')
      .option('--full', 'parse every file, not only changed ones')
  },
  async run({ args: [dir = '.'], options, context }) {
    const { io, home, cwd } = context
    const folder = resolve(cwd, dir)
    if (!(await localFiles.isDirectory(folder))) {
      throw new HoldfastError('not-found', `The folder ${folder} does not exist.`, {
        hint: 'Give the folder of a project.',
      })
    }
    const { worktree: root } = await createLocator({ clock: systemClock }).locate(folder)
    if (!isSet(options, 'stdout')) requireOneProject(root)
    const progress = createProgress(io, 'Reading sources')
    const startedMs = systemClock.monotonicMs()
    const request = {
      root,
      cacheDir: join(home.root, 'codemap'),
      parser: { workerFile: builtFile('codemap-worker.js'), grammarsDir: builtFile('grammars') },
      clock: systemClock,
      isFull: isSet(options, 'full'),
      onProgress: (done: number, total: number) => progress.show(done, total),
    }
    if (isSet(options, 'refresh')) {
      // A background refresh uses one core.
      const parser = { ...request.parser, maxWorkers: 1 }
      const refreshed = await refreshPair({ ...request, parser }).finally(() => progress.end())
      return printRefreshed(io, { root, refreshed, isJson: isSet(options, 'json') })
    }
    const maxChars = numberOption(options, 'maxChars') ?? DEFAULT_MAX_CHARS
    const index = await buildIndex({ ...request, maxChars }).finally(() => progress.end())
    if (isSet(options, 'stdout')) {
      if (isSet(options, 'json')) printJson(io, { root, text: index.markdown })
      else io.out(index.markdown)
      return 0
    }
    await replacePair(root, index)
    const durationMs = Math.round(systemClock.monotonicMs() - startedMs)
    if (isSet(options, 'json')) {
      const { meta, parsed, skipped } = index
      const files = [INDEX_MARKDOWN, INDEX_JSON].map((name) => join(root, name))
      printJson(io, { root, files, meta, parsed, skipped, durationMs })
      return 0
    }
    printLine(
      io,
      `Wrote ${INDEX_MARKDOWN} and ${INDEX_JSON} in ${root}: ${count(index.meta.symbols, 'definition')} in ${count(index.meta.files, 'file')}, ${count(index.parsed, 'file')} parsed, ${durationMs} ms.`,
    )
    if (index.skipped > 0) printLine(io, `${count(index.skipped, 'file')} left out: too large or too many.`)
    return 0
  },
}
