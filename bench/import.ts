// bench: what importing a folder of transcripts costs, and whether anything fails or leaks
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Continuity } from '../src/app/continuity.ts'
import { createContinuity } from '../src/app/create-continuity.ts'
import { DEFAULT_CONFIG } from '../src/kernel/config.ts'
import type { TranscriptItem } from '../src/kernel/event.ts'
import { createRedactor } from '../src/redaction/redactor.ts'
import { createLocalPorts } from '../src/daemon/wiring/local-ports.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { resolveHome } from '../src/platform/base/home.ts'
import { importableHarnesses } from '../src/harness/registry.ts'
import { findSources } from '../src/transfer/import/io/find-sources.ts'
import { importSources } from '../src/transfer/import/io/import-sources.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import { benchArguments } from './arguments.ts'

const USAGE =
  'usage: npm run bench -- import --data DIR [--split NAME] [--show]   for example --data ../shared/eval --split open'
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Shaped like a token of a code host, and none. Transcripts that were published hold no secret of their own to find. */
const PLANTED = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

function plant(item: TranscriptItem): TranscriptItem {
  if (item.type === 'note')
    return item.note.kind === 'context-measured'
      ? item
      : { ...item, note: { ...item.note, text: `${item.note.text} ${PLANTED}` } }
  const { event } = item
  if (event.kind === 'prompt-submitted') return { ...item, event: { ...event, prompt: `${event.prompt} ${PLANTED}` } }
  if (event.kind !== 'tool-finished') return item
  return { ...item, event: { ...event, outcome: { ...event.outcome, output: `${event.outcome.output} ${PLANTED}` } } }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

async function measure(from: string): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-bench-import-'))
  const env = { HOME: dir }
  try {
    await using store = await openSqliteStore({ file: join(dir, 'holdfast.db') })
    const redactor = createRedactor()
    const continuity = createContinuity({
      ...createLocalPorts(systemClock),
      store,
      clockTrust: { read: () => undefined, write: () => undefined },
      person: { id: 'bench', name: 'bench' },
      machine: { id: 'bench', hostId: 'bench', name: 'bench', sharesStore: false },
      redactors: { forWorktree: async () => redactor },
      log: quiet,
      configFor: async () => DEFAULT_CONFIG,
    })
    const home = resolveHome({ HOLDFAST_HOME: join(dir, 'home') })
    const world = { env, cwd: dir, home, distDir: dir, skillsDir: dir, platform: process.platform, nodePath: '' }
    const { sources } = await findSources({ harnesses: importableHarnesses, from, isNamed: false }, world)
    const startedMs = performance.now()
    // The control: the same look at what comes in has to find something, or finding nothing later says nothing.
    let foundBefore = 0
    const history: Pick<Continuity, 'importHistory'> = {
      importHistory(batch) {
        const planted = { ...batch, items: batch.items.map(plant) }
        foundBefore += textsIn(planted.items).filter((text) => redactor.findings(text).length > 0).length
        return continuity.importHistory(planted)
      },
    }
    const { results } = await importSources(sources, { store: history, now: Date.now, onDone: () => undefined })
    const ms = performance.now() - startedMs
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    const leaks = new Map<string, number>()
    const look = (value: unknown) => {
      // Each text by itself, as it was redacted: quoted and joined they would read as something else.
      for (const text of textsIn(value))
        for (const kind of [...redactor.findings(text), ...(text.includes(PLANTED) ? ['planted'] : [])]) {
          if (values.show === true) console.log(`  ${kind}: ${text.slice(0, 300)}`)
          leaks.set(kind, (leaks.get(kind) ?? 0) + 1)
        }
    }
    let events = 0
    for (let afterSeq = 0; ; ) {
      const page = await store.listEvents({ afterSeq, limit: 500 })
      for (const { event } of page) look(event)
      events += page.length
      afterSeq = page.at(-1)?.seq ?? afterSeq
      if (page.length < 500) break
    }
    const checkpoints = await store.listCheckpoints({ limit: 10_000 })
    for (const { checkpoint } of checkpoints) look(checkpoint)
    console.log(`transcripts ${results.length}, imported ${results.filter((r) => r.outcome === 'imported').length}`)
    console.log(`events ${events}, checkpoints ${checkpoints.length}, ${Math.round(ms)} ms`)
    console.log(`peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`)
    for (const { source, reason } of failed) console.log(`failed: ${source.path}: ${reason}`)
    for (const [kind, times] of leaks) console.log(`left over: ${kind} in ${times} texts`)
    console.log(`texts with a secret as they came in: ${foundBefore}`)
    console.log(`errors ${failed.length}, kinds of secret left ${leaks.size}`)
    return failed.length === 0 && leaks.size === 0 && foundBefore > 0 ? 0 : 1
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const { values } = benchArguments({
  options: { data: { type: 'string' }, split: { type: 'string', default: 'open' }, show: { type: 'boolean' } },
})
const folder = values.data === undefined ? undefined : join(values.data, values.split, 'transcripts')
if (folder === undefined || !existsSync(folder)) {
  console.log(folder === undefined ? 'This bench needs a folder of transcripts.' : `There is no folder ${folder}.`)
  console.log(USAGE)
} else process.exitCode = await measure(folder)
