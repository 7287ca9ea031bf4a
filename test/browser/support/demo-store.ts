import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionEvent, ToolCall } from '../../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../../src/kernel/id.ts'
import { DEFAULT_CONFIG } from '../../../src/kernel/config.ts'
import type { MemoryType } from '../../../src/kernel/memory.ts'
import { FAKE_SECRET } from '../../support/daemon-setup.ts'
import type { Product } from '../../support/product.ts'
import { openSeedApp, type SeedApp } from './seed-app.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** One piece of the work that the sessions of the demo do. */
interface Story {
  readonly ask: string
  readonly files: readonly string[]
  readonly check: string
  readonly decision?: string
  readonly answer: string
}

const STORIES: readonly Story[] = [
  {
    ask: 'Retry failed payments with exponential backoff, at most five times.',
    files: ['src/payments/retry.ts', 'src/payments/queue.ts', 'test/payments/retry.test.ts'],
    check: 'npm test -- payments',
    decision: 'Retries run in the worker, not in the request: a request must answer within 2 s.',
    answer: 'The retry loop is in place. Two of the five tests still fail: the backoff is not reset after a success.',
  },
  {
    ask: 'Store the idempotency key with the order, so that no payment is made twice.',
    files: ['src/orders/order.ts', 'src/payments/provider.ts', 'test/payments/provider.test.ts'],
    check: 'npm test -- provider',
    decision: 'The idempotency key is a column of the order, not a table of its own.',
    answer: 'The key is stored when the order is created. All tests of the provider pass.',
  },
  {
    ask: 'The cart shows the wrong total after a coupon. Find out why and fix it.',
    files: ['src/cart/total.ts', 'src/cart/coupon.ts', 'test/cart/total.test.ts'],
    check: 'npm test -- cart',
    answer: 'Rounding happened before the coupon was applied. Fixed, and the test covers it.',
  },
  {
    ask: 'Export the invoices of a month as CSV. Always write amounts in cents.',
    files: ['src/invoices/export.ts', 'src/invoices/csv.ts', 'test/invoices/export.test.ts'],
    check: 'npm test -- invoices',
    decision: 'The export streams rows; it does not hold a month in memory.',
    answer: 'The export works for small months. The next step is to stream rows instead of joining them.',
  },
  {
    ask: 'Make the search of the catalogue tolerate typing errors.',
    files: ['src/catalogue/search.ts', 'src/catalogue/index.ts', 'test/catalogue/search.test.ts'],
    check: 'npm test -- catalogue',
    decision: 'Trigrams, not edit distance: the index stays a plain table.',
    answer: 'Searching by trigrams finds "headfones". Ranking is still by name; next it should be by similarity.',
  },
]

const MEMORIES: readonly (readonly [MemoryType, string, number])[] = [
  ['decision', 'Retries run in the worker, not in the request: a request must answer within 2 s.', 9],
  [
    'fact',
    'The payment provider answers 409 for a repeated idempotency key, and 429 from the 20th call a second on.',
    8,
  ],
  ['preference', 'Use the fake clock of test/clock.ts in tests; a test that sleeps is not merged.', 7],
  [
    'lesson',
    'Raising the timeout of the provider client did not fix the flaky test; src/payments/queue.ts polled too early.',
    8,
  ],
  ['fact', 'Amounts are integers in cents everywhere; src/cart/total.ts is the only place that rounds.', 6],
  ['decision', 'The idempotency key is a column of the order, not a table of its own.', 7],
  ['preference', 'Commit messages name the module first: "payments: reset the backoff".', 5],
  ['fact', 'The catalogue has 80,000 products; the test data has 40.', 4],
]

export interface DemoFolders {
  readonly shop: string
  readonly other: string
}

let count = 0
const nextId = (): EventId => {
  count += 1
  return EventId(`demo-${count}`)
}

/** Plays one session of the past into the use cases: what it asked, read, ran and edited, and the texts it was given. */
class PastSession {
  readonly #seed: SeedApp
  readonly #base: Pick<SessionEvent, 'harness' | 'harnessVersion' | 'sessionKey' | 'cwd' | 'transcriptPath'>
  readonly #isWarm: boolean
  #messages = 0

  constructor(
    seed: SeedApp,
    options: { key: string; harness: string; cwd: string; transcripts: string; isWarm: boolean },
  ) {
    const { key, harness, cwd, transcripts, isWarm } = options
    this.#seed = seed
    this.#isWarm = isWarm
    const transcriptPath = join(transcripts, `${key}.jsonl`)
    if (harness === 'claude-code') {
      mkdirSync(dirname(transcriptPath), { recursive: true })
      writeFileSync(transcriptPath, '')
    }
    this.#base = {
      harness,
      harnessVersion: harness === 'codex' ? '0.150.2' : '2.1.325',
      sessionKey: SessionKey(key),
      cwd,
      ...(harness === 'claude-code' && { transcriptPath }),
    }
  }

  async #record(fields: Readonly<Record<string, unknown>> & { readonly kind: string }, waitMs = 20_000): Promise<void> {
    const { app, clock } = this.#seed
    clock.advance(waitMs)
    const head = { ...this.#base, id: nextId(), at: clock.now(), door: this.#isWarm ? 'hook' : 'transcript' } as const
    const event = { ...head, ...fields } as SessionEvent
    const { session } = await app.continuity.record(event)
    if (!this.#isWarm) return
    const injection = await app.continuity.inject({ event, session, maxChars: 9_500 })
    for (const one of [injection?.injection, ...(injection?.also ?? [])])
      if (one !== undefined) await app.continuity.confirmInjection(one)
  }

  #writeUsage(output: number): void {
    const { transcriptPath } = this.#base
    if (transcriptPath === undefined) return
    this.#messages += 1
    const usage = {
      input_tokens: 900 + output,
      output_tokens: output,
      cache_read_input_tokens: 16_000 + this.#messages * 2_400,
      cache_creation_input_tokens: 2_400,
    }
    const message = { id: `${this.#base.sessionKey}-${this.#messages}`, model: 'opus', content: [], usage }
    const line = JSON.stringify({ type: 'assistant', timestamp: this.#seed.clock.now(), message })
    // A harness writes one line for each part of an answer; they count once.
    appendFileSync(transcriptPath, `${line}\n${line}\n`)
  }

  start(source = 'startup'): Promise<void> {
    return this.#record({ kind: 'session-started', source, model: 'opus' })
  }

  prompt(prompt: string): Promise<void> {
    return this.#record({ kind: 'prompt-submitted', prompt }, MINUTE)
  }

  async call(tool: Partial<ToolCall> & Pick<ToolCall, 'name' | 'kind'>, ok = true, output = ''): Promise<void> {
    const call = { files: [], callId: `call-${count}`, ...tool }
    await this.#record({ kind: 'tool-started', tool: call }, 2_000)
    const durationMs = 3_000 + (count % 9) * 4_000
    const outcome = { ok, ...(call.kind === 'shell' && { exitStatus: ok ? 0 : 1, output }), durationMs }
    await this.#record({ kind: 'tool-finished', tool: call, outcome }, durationMs)
    this.#writeUsage(180 + (count % 7) * 90)
  }

  read = (path: string) => this.call({ name: 'Read', kind: 'read', files: [{ path, action: 'read' }] })
  edit = (path: string) =>
    this.call({ name: 'Edit', kind: 'edit', files: [{ path, action: 'edited' }], fragment: 'attempt = 0' })
  run = (command: string, ok: boolean, output: string) =>
    this.call({ name: 'Bash', kind: 'shell', command }, ok, output)

  async research(question: string): Promise<void> {
    const subagent = { id: `agent-${count}`, type: 'Explore' }
    await this.#record({ kind: 'subagent-started', subagent })
    for (const query of ['enqueue(', 'attempt'])
      await this.#record({
        kind: 'tool-finished',
        subagent,
        tool: { name: 'Grep', kind: 'search', query, files: [] },
        outcome: { ok: true },
      })
    await this.#record({
      kind: 'subagent-finished',
      subagent,
      lastMessage: `${question}: two callers, both in the worker.`,
    })
  }

  async compact(): Promise<void> {
    await this.#record({ kind: 'compaction-started', trigger: 'auto' })
    await this.#record({
      kind: 'compaction-finished',
      trigger: 'auto',
      summary: 'The retry loop exists; two tests fail.',
      tokensBefore: 168_000,
      tokensAfter: 21_000,
    })
    await this.start('compact')
  }

  decide(decision: string): Promise<void> {
    return this.#record({ kind: 'decision-made', decision, rationale: 'It is simpler to test.' })
  }

  answer(lastMessage: string): Promise<void> {
    return this.#record({ kind: 'turn-ended', lastMessage })
  }

  end(): Promise<void> {
    return this.#record({ kind: 'session-ended', reason: 'exit' }, 5 * MINUTE)
  }
}

const FAILED =
  ' FAIL  test/payments/retry.test.ts\n  × the backoff is reset after a success\n  AssertionError: expected 1 to be 0\nTests  2 failed | 3 passed (5)'
const PASSED = ' PASS\nTests  5 passed (5)'

/** Without a recovery, a session first reads and runs again what an earlier one did. */
async function playSession(session: PastSession, story: Story, number: number, isWarm: boolean): Promise<void> {
  await session.start()
  await session.prompt(number % 2 === 0 ? story.ask : `Go on: ${story.ask}`)
  const [first = '', second = '', third = ''] = story.files
  const again = isWarm ? number % 2 : 2 + (number % 3)
  for (const path of [first, second, third].slice(0, again)) await session.read(path)
  if (!isWarm) await session.run(story.check, false, FAILED)
  if (number % 4 === 1) await session.research('Who calls the queue')
  await session.edit(first)
  await session.run(story.check, false, FAILED)
  if (number % 5 === 2) await session.compact()
  if (story.decision !== undefined) await session.decide(story.decision)
  if (number % 6 === 3) await session.run('env | grep TOKEN', true, `DEPLOY_TOKEN=${FAKE_SECRET}`)
  await session.edit(second)
  await session.edit(third)
  const isDone = number % 3 === 2
  await session.run(story.check, isDone, isDone ? PASSED : FAILED)
  await session.prompt(number % 3 === 0 ? 'Never call the real payment provider from a test.' : 'What is left?')
  await session.read(third)
  await session.run('git status --short', true, ` M ${first}\n M ${second}`)
  await session.answer(story.answer)
  await session.end()
}

async function fillMemories({ app }: SeedApp, cwd: string): Promise<void> {
  const saved = []
  for (const [type, content, importance] of MEMORIES)
    saved.push(await app.continuity.remember({ cwd, type, content, importance, source: 'cli' }))
  const [, , pinned, lesson] = saved
  if (pinned !== undefined) await app.continuity.editMemory({ id: pinned.id, cwd, isPinned: true })
  if (lesson !== undefined)
    await app.continuity.editMemory({
      id: lesson.id,
      cwd,
      content: 'The flaky payment test was not fixed by a longer timeout: src/payments/queue.ts polled too early.',
    })
}

async function fillTask({ app, clock }: SeedApp, cwd: string): Promise<void> {
  const criteria = ['A failed payment is retried at most five times', 'No payment is made twice']
  await app.tasks.create({ cwd, slug: 'payment-retry', title: 'Retry of failed payments', criteria })
  clock.advance(HOUR)
  await app.tasks.block({ cwd, slug: 'payment-retry', reason: 'The sandbox account of the provider is locked' })
  await app.tasks.create({ cwd, slug: 'catalogue-search', title: 'Search that tolerates typing errors', criteria: [] })
}

/** Three weeks of a person with two harnesses, written by the use cases themselves; the daemon must not run. */
export async function fillDemo(product: Pick<Product, 'home' | 'dir'>, folders: DemoFolders): Promise<void> {
  const transcripts = join(product.dir, 'transcripts')
  for (const path of STORIES.flatMap(({ files }) => files)) {
    mkdirSync(dirname(join(folders.shop, path)), { recursive: true })
    writeFileSync(join(folders.shop, path), `export const attempt = 0\n// ${path}\n`)
  }
  const [sessions, days] = [30, 21]
  const seed = await openSeedApp(product.home, Date.now() - days * DAY - HOUR)
  for (let number = 0; number < sessions; number += 1) {
    const story = STORIES[(number >> 1) % STORIES.length]
    const targetMs = Date.now() - days * DAY + (number * days * DAY) / sessions
    seed.clock.advance(Math.max(0, targetMs - Date.parse(seed.clock.now())))
    // Like a history that was imported, then sessions with Holdfast.
    const isWarm = number >= 13
    const key = `${(0x5e99_20ab + number * 0x1f3_5a17).toString(16).slice(-8)}-${number % 3 === 1 ? 'c0de' : 'a11c'}`
    const harness = number % 3 === 1 ? 'codex' : 'claude-code'
    const cwd = number % 7 === 6 ? folders.other : folders.shop
    if (story !== undefined)
      await playSession(new PastSession(seed, { key, harness, cwd, transcripts, isWarm }), story, number, isWarm)
    if (number === 14) await fillMemories(seed, folders.shop)
    if (number === 20) await fillTask(seed, folders.shop)
    await seed.app.continuity.tick()
  }
  await seed.app.continuity.drain()
  await seed.app.continuity.tick()
  await seed.app.close()
  const inbox = await openSeedApp(product.home, Date.now() - 2 * HOUR, {
    memory: { ...DEFAULT_CONFIG.memory, review: 'inbox' },
  })
  for (const content of [
    'The worker reads the queue in batches of 50; a larger batch times out.',
    'Coupons are applied before the tax.',
  ])
    await inbox.app.continuity.remember({ cwd: folders.shop, content, type: 'fact', source: 'mcp' })
  await inbox.app.close()
}

/** Two agents that work now, through the hooks as they are installed; both edit one file. */
export async function playLiveSessions(product: Product, folders: DemoFolders): Promise<void> {
  const [one, two] = ['7f3a91c2-live', 'b81d04ee-live']
  const pids = new Map([one, two].map((key) => [key, product.anAgent()]))
  const fire = (session_id: string, cwd: string, hook: string, fields: Readonly<Record<string, unknown>>) =>
    product.hook(
      hook,
      { session_id, cwd, transcript_path: toTranscript(session_id), ...fields },
      { pid: pids.get(session_id) ?? 0 },
    )
  const toTranscript = (key: string) => join(product.claudeDir, 'projects', 'shop', `${key}.jsonl`)
  const measure = (key: string, tokens: number) => {
    mkdirSync(dirname(toTranscript(key)), { recursive: true })
    const usage = { input_tokens: 400, output_tokens: 900, cache_read_input_tokens: tokens }
    const message = { id: `${key}-1`, model: 'opus', content: [], usage }
    const line = { type: 'assistant', sessionId: key, timestamp: new Date().toISOString(), message }
    writeFileSync(toTranscript(key), `${JSON.stringify(line)}\n`)
  }
  const edit = (key: string, cwd: string, id: string, path: string) =>
    fire(key, cwd, 'PostToolUse', {
      tool_name: 'Edit',
      tool_use_id: id,
      tool_input: { file_path: join(cwd, path), old_string: 'attempt', new_string: 'attempts' },
      tool_response: { filePath: join(cwd, path) },
    })
  measure(one, 61_000)
  measure(two, 24_000)
  await fire(one, folders.shop, 'SessionStart', { source: 'startup' })
  await fire(one, folders.shop, 'UserPromptSubmit', { prompt: 'What is left to do for the payments?' })
  await fire(one, folders.shop, 'Stop', { last_assistant_message: 'Two tests of src/payments/retry.ts fail.' })
  await fire(one, folders.shop, 'UserPromptSubmit', {
    prompt: 'The backoff is not reset after a success. Find out why and fix it.',
  })
  await edit(one, folders.shop, 't1', 'src/payments/retry.ts')
  await edit(one, folders.shop, 't2', 'test/payments/retry.test.ts')
  await fire(two, folders.shop, 'SessionStart', { source: 'startup' })
  await fire(two, folders.shop, 'UserPromptSubmit', {
    prompt: 'Write the page about retries, with an example of each error of the provider.',
  })
  await edit(two, folders.shop, 't3', 'docs/retries.md')
  await edit(two, folders.shop, 't4', 'src/payments/retry.ts')
  await fire(two, folders.shop, 'Stop', {
    last_assistant_message: 'Which of the two examples should the page begin with?',
  })
  await fire(one, folders.shop, 'PreToolUse', {
    tool_name: 'Bash',
    tool_use_id: 't5',
    tool_input: { command: 'npm test -- payments' },
  })
}
