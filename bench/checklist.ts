// bench: items found in real task lists against labelled ones, and time on long and odd ones
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseChecklist } from '../src/agent-api/checklist/parse.ts'
import { benchArguments } from './arguments.ts'

const USAGE =
  'usage: bench/checklist --data DIR [--split NAME] [--misses]   for example --data ../shared/eval --split open'

const TARGET_F1 = 0.99
const TARGET_GROWTH = 3

const Expected = z.array(
  z.object({
    file: z.string(),
    items: z.array(z.object({ line: z.number(), std: z.string() })),
    // Bullets and table cells that begin with an emoji: an item to some, an ornament to others, so they count for nothing.
    soft: z.array(z.object({ line: z.number() })),
  }),
)

function stdOf(status: string): string {
  return status === 'pending' ? 'todo' : status === 'done' ? 'done' : 'other'
}

interface Tally {
  hits: number
  found: number
  expected: number
  sameStatus: number
  soft: number
}

function score(folder: string, showMisses: boolean): Tally {
  const tally: Tally = { hits: 0, found: 0, expected: 0, sameStatus: 0, soft: 0 }
  for (const list of Expected.parse(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')))) {
    const soft = new Set(list.soft.map(({ line }) => line))
    const wanted = new Map(list.items.map(({ line, std }) => [line, std]))
    const items = parseChecklist(readFileSync(join(folder, 'files', list.file), 'utf8'))
    const counted = items.filter(({ line }) => !soft.has(line))
    const hits = counted.filter(({ line }) => wanted.has(line))
    tally.hits += hits.length
    tally.found += counted.length
    tally.soft += items.length - counted.length
    tally.expected += list.items.length
    tally.sameStatus += hits.filter(({ line, status }) => wanted.get(line) === stdOf(status)).length
    if (!showMisses) continue
    for (const { line, text } of counted) if (!wanted.has(line)) console.log(`  + ${list.file}:${line} ${text}`)
    const lines = new Set(counted.map(({ line }) => line))
    for (const line of wanted.keys()) if (!lines.has(line)) console.log(`  - ${list.file}:${line}`)
  }
  return tally
}

const ODD: Readonly<Record<string, (chars: number) => string>> = {
  'flat list': (chars) => '- [ ] do the thing in `src/a.ts` with care\n'.repeat(chars / 43),
  'list in list': (chars) => Array.from({ length: chars / 40 }, (_, n) => `${'  '.repeat(n % 20)}- [x] x\n`).join(''),
  'check lines': (chars) => '✅ a b c\n'.repeat(chars / 9),
  'open fences': (chars) => '```\n- [ ] a\n'.repeat(chars / 12),
  'open brackets': (chars) => '- [ [ '.repeat(chars / 6),
  quotes: (chars) => '>'.repeat(chars),
  table: (chars) => `| a | b |\n|---|---|\n${'| ✅ | x |\n'.repeat(chars / 10)}`,
}

function cpuMs(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round += 1) {
    const from = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(from)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

/** The worst growth of the time when the text doubles; 2 is linear. */
function worstGrowth(): number {
  return Math.max(
    ...Object.entries(ODD).map(([name, make]) => {
      const [quarter, whole] = [make(100_000), make(400_000)]
      const ms = cpuMs(() => parseChecklist(whole))
      // Below a few milliseconds the measurement says more about the machine.
      const growth = ms < 5 ? 1 : Math.sqrt(ms / cpuMs(() => parseChecklist(quarter)))
      console.log(`  ${name.padEnd(16)} ${ms.toFixed(0).padStart(5)} ms for 400 KB, t(2n)/t(n) ${growth.toFixed(2)}`)
      return growth
    }),
  )
}

export function main(argv: readonly string[]): number {
  const { values } = benchArguments({
    args: [...argv],
    options: {
      data: { type: 'string' },
      split: { type: 'string', default: 'open' },
      misses: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const folder = values.data === undefined ? undefined : join(values.data, values.split, 'checklists')
  if (values.help || folder === undefined) {
    console.log(USAGE)
    return values.help ? 0 : 2
  }
  if (!existsSync(folder)) {
    console.error(`There is no ${folder}.\n${USAGE}`)
    return 2
  }
  const growth = worstGrowth()
  const { hits, found, expected, sameStatus, soft } = score(folder, values.misses)
  const f1 = found + expected === 0 ? 0 : (2 * hits) / (found + expected)
  const isMet = f1 >= TARGET_F1 && growth <= TARGET_GROWTH
  console.log(
    `checklist: F1 ${f1.toFixed(4)} (${hits} of ${expected} items, ${found - hits} too many, ${soft} emoji bullets uncounted), status right ${(sameStatus / Math.max(1, hits)).toFixed(4)}, growth ${growth.toFixed(2)}${isMet ? '' : ` - MISSED: F1 at least ${TARGET_F1}, growth at most ${TARGET_GROWTH}`}`,
  )
  return isMet ? 0 : 1
}

process.exitCode = main(process.argv.slice(2))
