// bench: what a megabyte appended to a long transcript costs, against reading that megabyte alone
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SessionKey } from '../src/kernel/id.ts'
import { createTranscripts } from '../src/harness/transcripts.ts'
import { benchArguments } from './arguments.ts'

const LIMIT = 1.25
const MEGABYTE = 1_000_000

/** A turn of a session: an answer with its usage, a tool call and what it said. */
function turn(number: number): string {
  const base = {
    sessionId: 's',
    cwd: '/project',
    version: '2.1.325',
    isSidechain: false,
    timestamp: '2026-01-01T00:00:00.000Z',
  }
  const usage = { input_tokens: 10, cache_read_input_tokens: 1_000 + number, output_tokens: 40 }
  const call = {
    type: 'tool_use',
    id: `toolu_${number}`,
    name: 'Bash',
    input: { command: `npm test -- part-${number}` },
  }
  const lines = [
    {
      ...base,
      uuid: `a${number}`,
      type: 'assistant',
      message: { id: `msg_${number}`, role: 'assistant', content: [call], usage },
    },
    {
      ...base,
      uuid: `r${number}`,
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `toolu_${number}`, content: 'ok line\n'.repeat(200) }],
      },
      toolUseResult: { stdout: 'ok line\n'.repeat(200), stderr: '', interrupted: false },
    },
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function turns(from: number, bytes: number): string {
  const parts: string[] = []
  for (let size = 0, number = from; size < bytes; number += 1) {
    const text = turn(number)
    parts.push(text)
    size += text.length
  }
  return parts.join('')
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

async function main(): Promise<number> {
  const { values } = benchArguments({
    options: { rounds: { type: 'string', default: '15' }, megabytes: { type: 'string', default: '40' } },
  })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const long = join(folder, 'long.jsonl')
    const alone = join(folder, 'alone.jsonl')
    writeFileSync(long, turns(0, Number(values.megabytes) * MEGABYTE))
    const transcripts = createTranscripts()
    const read = async (path: string, offset: number) => {
      const startedMs = performance.now()
      const { items, nextOffset } = await transcripts.readFrom(
        { harness: 'claude-code', path, sessionKey: SessionKey('s') },
        offset,
      )
      return { tookMs: performance.now() - startedMs, count: items.length, nextOffset }
    }
    const appended: number[] = []
    const reference: number[] = []
    let number = 1_000_000
    for (let round = -3; round < Number(values.rounds); round += 1) {
      const offset = statSync(long).size
      const text = turns(number, MEGABYTE)
      number += 10_000
      appendFileSync(long, text)
      writeFileSync(alone, text)
      const first = await read(long, offset)
      const second = await read(alone, 0)
      if (first.count !== second.count || first.nextOffset !== statSync(long).size)
        throw new Error(`read ${first.count} items of what was appended, ${second.count} of the same alone`)
      if (round < 0) continue
      appended.push(first.tookMs)
      reference.push(second.tookMs)
    }
    const ratio = median(appended) / median(reference)
    console.log(
      `budget: 1 MB appended to ${values.megabytes} MB read in p50 ${median(appended).toFixed(1)} ms, alone ${median(reference).toFixed(1)} ms: ${ratio.toFixed(2)}x (limit ${LIMIT}): ${ratio <= LIMIT ? 'met' : 'MISSED'}`,
    )
    return ratio <= LIMIT ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
