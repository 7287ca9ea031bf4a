// bench: memories stored, searched and deleted through `holdfast mcp`: right answers of seven kinds, and characters paid
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { z } from 'zod'
import { resolveHome } from '../src/platform/base/home.ts'
import { benchArguments } from './arguments.ts'
import { type Client, connect, endClient, startClient } from './mcp-client.ts'
import { stopDaemon } from './stop-daemon.ts'

const HELP = `Usage: npm run bench -- memory [--split open|held|all] [--root DIR] [--failures]

Stores the memories of bench/memory/*.json through the MCP server of the built product in DIR (default: this tree), each
group in a folder of its own, deletes some, sets the days on which they were stored, restarts the daemon, and asks. The
tools are found by their names, as a client does that does not know the product. A question is answered when the first
\`top\` memories (3) contain what is expected and nothing that must not be there; \`empty\` when nothing is found or every
score is below 0.1. \`open\` was used to choose the rules, \`held\` was not; --failures prints those of \`open\` only.`

const LIMITS = { overall: 0.85, semantic: 0.7, temporal: 0.8 } as const
const TOP = 3
const MIN_SCORE = 0.1
const DAY_MS = 86_400_000

const Group = z.object({
  kind: z.string(),
  /** Stores every memory in a process, and so a session, of its own. */
  sessions: z.boolean().default(false),
  /** `at`: days ago, `last-week`, `last-month`, or the latest MM-DD in the past. */
  memories: z.array(
    z.union([
      z.string().transform((text) => ({ text, at: undefined })),
      z.object({ text: z.string(), at: z.union([z.number(), z.string()]) }),
    ]),
  ),
  forget: z.array(z.number()).default([]),
  questions: z.array(
    z.object({
      ask: z.string(),
      expect: z.array(z.string()).default([]),
      not: z.array(z.string()).default([]),
      empty: z.boolean().default(false),
      top: z.number().default(TOP),
      maxChars: z.number().default(Number.POSITIVE_INFINITY),
    }),
  ),
})
type Group = z.infer<typeof Group>
type Question = Group['questions'][number]
const Stored = z.object({ id: z.string() })
const Found = z.object({ memories: z.array(z.object({ content: z.string(), score: z.number().optional() })) })
const ToolAnswer = z.object({
  result: z.object({ isError: z.boolean().optional(), content: z.array(z.object({ text: z.string() })) }),
})
const Listed = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) })

const { values } = benchArguments({
  options: {
    split: { type: 'string', default: 'all' },
    root: { type: 'string', default: process.env['HOLDFAST_ROOT'] ?? process.cwd() },
    failures: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const root = resolve(values.root)
const data = join(process.env['HOLDFAST_ROOT'] ?? process.cwd(), 'bench', 'memory')

interface MemoryTools {
  readonly store: string
  readonly search: string
  readonly remove: string
}

const NAMES: Readonly<Record<keyof MemoryTools, RegExp>> = {
  store: /remember|store|save|add_memory|create_memory|memorize/,
  search: /recall|search|query|find|retrieve|get_memories/,
  remove: /forget|delete|remove/,
}

/** The first listed tool of each purpose, by its name alone. */
async function findTools(client: Client): Promise<MemoryTools> {
  const { tools } = Listed.parse(await client.ask('tools/list', {})).result
  const first = (purpose: keyof MemoryTools) => {
    const found = tools.find(({ name }) => NAMES[purpose].test(name))
    if (found === undefined) throw new Error(`no tool to ${purpose}: ${tools.map(({ name }) => name).join(', ')}`)
    return found.name
  }
  return { store: first('store'), search: first('search'), remove: first('remove') }
}

async function call(client: Client, name: string, args: object): Promise<string> {
  const { isError, content } = ToolAnswer.parse(await client.ask('tools/call', { name, arguments: args })).result
  const text = content[0]?.text ?? ''
  if (isError === true) throw new Error(`${name}: ${text}`)
  return text
}

/** A moment of the day that is meant, in the local calendar. */
function momentOf(at: number | string, now = new Date()): Date {
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12)
  if (typeof at === 'number') return at === 0 ? now : new Date(noon.getTime() - at * DAY_MS)
  if (at === 'last-week') return new Date(noon.getTime() - (((noon.getDay() + 6) % 7) + 5) * DAY_MS)
  if (at === 'last-month') return new Date(noon.getFullYear(), noon.getMonth() - 1, 15, 12)
  const [month = 1, day = 1] = at.split('-').map(Number)
  const thisYear = new Date(noon.getFullYear(), month - 1, day, 12)
  return thisYear < now ? thisYear : new Date(noon.getFullYear() - 1, month - 1, day, 12)
}

interface StoredGroup {
  readonly group: Group
  readonly cwd: string
  readonly split: string
  readonly dates: readonly (readonly [id: string, at: string])[]
}

async function withClient<Value>(
  env: NodeJS.ProcessEnv,
  cwd: string,
  use: (client: Client, tools: MemoryTools) => Promise<Value>,
): Promise<Value> {
  const client = startClient(env, cwd, root)
  try {
    await connect(client)
    return await use(client, await findTools(client))
  } finally {
    await endClient(client)
  }
}

async function storeGroup(env: NodeJS.ProcessEnv, cwd: string, group: Group, split: string): Promise<StoredGroup> {
  const ids: string[] = []
  const storeAll = (memories: Group['memories']) =>
    withClient(env, cwd, async (client, tools) => {
      for (const { text } of memories)
        ids.push(Stored.parse(JSON.parse(await call(client, tools.store, { content: text }))).id)
      if (group.sessions) return
      for (const index of group.forget) await call(client, tools.remove, { id: ids[index] })
    })
  if (group.sessions) for (const memory of group.memories) await storeAll([memory])
  else await storeAll(group.memories)
  const dates = group.memories.flatMap(({ at }, index) =>
    at === undefined ? [] : [[ids[index] ?? '', momentOf(at).toISOString()] as const],
  )
  return { group, cwd, split, dates }
}

interface Answer {
  readonly kind: string
  readonly split: string
  readonly question: Question
  readonly isRight: boolean
  readonly chars: number
  readonly ms: number
  readonly found: readonly string[]
}

async function askGroup(env: NodeJS.ProcessEnv, { group, cwd, split }: StoredGroup): Promise<readonly Answer[]> {
  return await withClient(env, cwd, async (client, tools) => {
    const answers: Answer[] = []
    for (const question of group.questions) {
      const start = performance.now()
      const text = await call(client, tools.search, { query: question.ask, limit: question.top })
      const ms = performance.now() - start
      const { memories } = Found.parse(JSON.parse(text))
      const said = memories.map(({ content }) => content).join('\n')
      const isEmpty = memories.every(({ score }) => score !== undefined && score < MIN_SCORE)
      const isRight =
        (!question.empty || isEmpty) &&
        question.expect.every((part) => said.includes(part)) &&
        !question.not.some((part) => said.includes(part)) &&
        text.length <= question.maxChars
      const found = memories.map(({ content, score }) => `${score ?? ''} ${content.slice(0, 90)}`)
      answers.push({ kind: group.kind, split, question, isRight, chars: text.length, ms, found })
    }
    return answers
  })
}

function share(answers: readonly Answer[]): number {
  return answers.filter(({ isRight }) => isRight).length / Math.max(1, answers.length)
}

function quantile(numbers: readonly number[], at: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * at)] ?? Number.NaN
}

function show(name: string, answers: readonly Answer[]): boolean {
  const kinds = [...new Set(answers.map(({ kind }) => kind))]
  const byKind = new Map(kinds.map((kind) => [kind, share(answers.filter((answer) => answer.kind === kind))]))
  const overall = [...byKind.values()].reduce((sum, value) => sum + value, 0) / byKind.size
  const isMet =
    overall >= LIMITS.overall &&
    (byKind.get('semantic') ?? 0) >= LIMITS.semantic &&
    (byKind.get('temporal') ?? 0) >= LIMITS.temporal
  const parts = [...byKind].map(([kind, value]) => `${kind} ${value.toFixed(2)}`).join(', ')
  const chars = answers.reduce((sum, answer) => sum + answer.chars, 0) / answers.length
  const p50 = quantile(
    answers.map(({ ms }) => ms),
    0.5,
  )
  console.log(
    `memory ${name}: mean of the kinds ${overall.toFixed(3)} (${parts}), ${answers.length} questions, ` +
      `${chars.toFixed(0)} characters an answer, p50 ${p50.toFixed(1)} ms: ${isMet ? 'met' : 'MISSED'}`,
  )
  return isMet
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const home = resolveHome({ HOLDFAST_HOME: join(folder, 'home') })
  const env = { ...process.env, HOME: folder, HOLDFAST_HOME: home.root, HOLDFAST_ROOT: undefined }
  const splits = values.split === 'all' ? ['open', 'held'] : [values.split]
  try {
    const stored: StoredGroup[] = []
    for (const split of splits) {
      const groups = z.array(Group).parse(JSON.parse(readFileSync(join(data, `${split}.json`), 'utf8')))
      for (const [index, group] of groups.entries()) {
        const cwd = join(folder, `${split}-${index}`)
        mkdirSync(cwd)
        stored.push(await storeGroup(env, cwd, group, split))
      }
    }
    await stopDaemon(home)
    const database = new DatabaseSync(home.databaseFile)
    const update = database.prepare('update memories set created_at = ? where id = ?')
    for (const [id, at] of stored.flatMap(({ dates }) => dates)) update.run(at, id)
    database.close()
    const answers: Answer[] = []
    for (const group of stored) answers.push(...(await askGroup(env, group)))
    for (const { split, kind, question, isRight, found, chars } of answers) {
      if (values.failures !== true || isRight || split !== 'open') continue
      console.log(`${kind}: ${question.ask} (${chars} characters)\n  ${found.join('\n  ')}`)
    }
    const results = splits.map((split) => {
      return show(
        split,
        answers.filter((answer) => answer.split === split),
      )
    })
    if (splits.length > 1) show('all', answers)
    return results.every(Boolean) ? 0 : 1
  } finally {
    if (existsSync(home.endpointFile)) await stopDaemon(home)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

if (values.help === true) console.log(HELP)
else process.exitCode = await main()
