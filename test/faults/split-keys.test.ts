import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { redactPayload } from '../../src/platform/redactors.ts'
import { allTools } from '../../src/mcp/tool-list.ts'
import type { Route } from '../../src/api/route.ts'
import { ROUTES } from '../../src/api/route-table.ts'
import { type Filled, filledByExample, filledBySchema } from '../support/list-fields.ts'
import { McpClient } from '../support/mcp-client.ts'
import { Product } from '../support/product.ts'
import { SplitKeys } from '../support/split-keys.ts'
import { ask } from './support/daemon.ts'

const SEED = process.env['FAULT_SEED'] ?? 'split-keys'

interface Setup extends AsyncDisposable {
  readonly product: Product
  readonly project: string
  readonly keys: SplitKeys
  readonly keyOf: (label: string) => readonly string[]
  /** What an honest caller would put into a member of that name. */
  readonly examples: Readonly<Record<string, unknown>>
  /** Answers and outputs that held a part of a key. */
  readonly echoes: string[]
  hear(from: string, answer: string): void
}

async function createSetup(): Promise<Setup> {
  const product = new Product()
  const project = await product.aProject('app')
  writeFileSync(join(project, 'CHECKLIST.md'), '# List\n\n- [ ] words to do\n- [ ] another thing\n')
  const keys = new SplitKeys(SEED)
  const echoes: string[] = []
  await product.json(['daemon', 'start'], { cwd: project })
  for (const words of [
    ['task', 'new', 'walk-task', '--title', 'Walk'],
    ['session', 'start', '--task', 'walk-task'],
  ])
    expect(await product.cli(words, { cwd: project })).toMatchObject({ code: 0 })
  return {
    product,
    project,
    keys,
    keyOf: (label) => keys.lines(label),
    examples: {
      cwd: project,
      harness: 'claude-code',
      sessionKey: 'walk',
      session_id: 'walk',
      slug: 'walk-task',
      task: 'walk-task',
      item: 'words to do',
      item_text: 'words to do',
      name: 'walk-name',
      status: 'done',
      door: 'api',
    },
    echoes,
    hear(from, answer) {
      for (const label of keys.foundIn(answer)) echoes.push(`${from} said ${label}`)
    },
    [Symbol.asyncDispose]: () => product[Symbol.asyncDispose](),
  }
}

/** Nothing of any key in a file or an answer; and the same search sees what is planted. */
async function expectNoLeak({ product, project, keys, keyOf, echoes }: Setup): Promise<void> {
  expect([...echoes, ...keys.leaksBelow(product.dir)]).toEqual([])
  await product.cli(['daemon', 'stop'], { cwd: project })
  expect(keys.leaksBelow(product.dir)).toEqual([])
  const planted = keyOf('planted')
  writeFileSync(join(product.home, 'planted'), `x${planted[3]}\\n`)
  expect(keys.leaksBelow(product.dir)).toEqual(['home/planted: planted'])
  expect(keys.foundIn(`"${planted[2]?.slice(9, 50)}…`)).toEqual(['planted'])
}

function withParams(path: string, params: unknown): string {
  const given = new Map(Object.entries(params ?? {}))
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(given.get(name) ?? 'words')))
}

function withQuery(path: string, query: unknown): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}

type Part = 'params' | 'query' | 'body'

/** A request of a route for each way to put a key into one part of it; the other parts are as an honest caller has them. */
function requestsOf(name: string, route: Route, { keyOf, examples }: Setup) {
  const parts: readonly Part[] = ['params', 'query', 'body']
  const honest = (part: Part): unknown => {
    const schema = route[part]
    return schema === undefined
      ? undefined
      : (filledBySchema(schema, '', { keyOf: () => ['words'], examples })[0]?.value ?? {})
  }
  const plain: Readonly<Record<Part, unknown>> = {
    params: honest('params'),
    query: honest('query'),
    body: honest('body'),
  }
  return parts.flatMap((part) => {
    const schema = route[part]
    if (schema === undefined) return []
    return filledBySchema(schema, `${name}/${part}`, { keyOf, examples }).map(({ label, value }: Filled) => {
      const { params, query, body }: Readonly<Record<Part, unknown>> = { ...plain, [part]: value }
      const path = withQuery(withParams(route.path, params), query)
      return { label, method: route.method, path, ...(route.body !== undefined && { body: body ?? {} }) }
    })
  })
}

test('no field of any HTTP route lets a part of a private key reach a disk or an answer', async () => {
  await using setup = await createSetup()
  const { product } = setup
  const left = new Set(['shutdown', 'hook', 'mcp', 'mcpStream', 'login'])
  const requests = Object.entries(ROUTES).flatMap(([name, route]) =>
    left.has(name) ? [] : requestsOf(name, route, setup),
  )
  expect(requests.length).toBeGreaterThan(200)
  let accepted = 0
  for (const { label, ...request } of requests) {
    const { status, body } = await ask(product.home, request)
    if (status === 200) accepted += 1
    setup.hear(label, body.toString('utf8'))
  }
  // Refusing everything would not test what is stored.
  expect(accepted).toBeGreaterThan(requests.length / 3)
  await expectNoLeak(setup)
})

test('no argument of any MCP tool lets a part of a private key reach a disk or an answer', async () => {
  await using setup = await createSetup()
  const { product, project, keyOf, examples } = setup
  {
    await using client = await McpClient.connect(product, { transport: 'http', revision: '2025-11-25', cwd: project })
    const calls = allTools.flatMap((tool) =>
      filledBySchema(tool.input, tool.name, { keyOf, examples }).map((filled) => ({ tool, ...filled })),
    )
    expect(calls.length).toBeGreaterThan(80)
    let accepted = 0
    for (const { tool, label, value } of calls) {
      const { text, isError } = await client.call(tool.name, { ...Object(value) })
      if (!isError) accepted += 1
      setup.hear(label, text)
    }
    expect(accepted).toBeGreaterThan(calls.length / 3)
    const meta = await client.call('session_briefing', {}, { sessionId: setup.keys.text('meta') })
    setup.hear('meta', meta.text)
  }
  await expectNoLeak(setup)
})

const HARNESSES = join(import.meta.dirname, '..', '..', 'src', 'harness')

interface Recorded {
  readonly harness: string
  readonly hook: string
  readonly payload: unknown
}

/** What real harnesses sent, as it was recorded. */
function recordedPayloads(): readonly Recorded[] {
  return readdirSync(HARNESSES).flatMap((harness) => {
    const folder = join(HARNESSES, harness, 'fixtures')
    const files = (() => {
      try {
        return readdirSync(folder).filter((file) => file.endsWith('.json'))
      } catch {
        // Not a harness, or one of which nothing was recorded.
        return []
      }
    })()
    return files.map((file) => {
      const { hook, payload, ...rest }: { hook?: string; payload?: unknown } = JSON.parse(
        readFileSync(join(folder, file), 'utf8'),
      )
      return { harness, hook: hook ?? file.split(/[.@]/)[0] ?? '', payload: payload ?? rest }
    })
  })
}

/** Of harnesses of which no payload was recorded: the members that their connectors read. */
const WRITTEN: readonly Recorded[] = [
  ...[
    'sessionStart',
    'beforeSubmitPrompt',
    'beforeShellExecution',
    'afterShellExecution',
    'afterFileEdit',
    'postToolUse',
    'afterAgentResponse',
    'preCompact',
    'stop',
    'sessionEnd',
  ].map((hook) => ({
    harness: 'cursor',
    hook,
    payload: {
      hook_event_name: hook,
      conversation_id: 'c-1',
      generation_id: 'g-1',
      model: 'm',
      cursor_version: '2.0',
      workspace_roots: ['/home/dev/proj'],
      cwd: '/home/dev/proj',
      prompt: 'words',
      command: 'npm test',
      output: 'ok',
      file_path: 'src/a.ts',
      edits: [{ old_string: 'a', new_string: 'b' }],
      text: 'words',
      tool_name: 'Shell',
      tool_use_id: 't-1',
      tool_input: { command: 'ls' },
      tool_output: 'ok',
      reason: 'completed',
      transcript_path: '/home/dev/t.jsonl',
    },
  })),
  ...[
    'pre_user_prompt',
    'post_write_code',
    'post_read_code',
    'post_run_command',
    'post_mcp_tool_use',
    'post_cascade_response',
  ].map((hook) => ({
    harness: 'windsurf',
    hook,
    payload: {
      agent_action_name: hook,
      trajectory_id: 't-1',
      execution_id: 'e-1',
      timestamp: '2026-01-01T00:00:00Z',
      model_name: 'm',
      tool_info: {
        user_prompt: 'words',
        file_path: '/home/dev/a.ts',
        edits: [{ old_string: 'a', new_string: 'b' }],
        command_line: 'ls',
        cwd: '/home/dev',
        mcp_server_name: 's',
        mcp_tool_name: 't',
        mcp_tool_arguments: { a: 'words' },
        mcp_result: 'words',
        response: 'words',
      },
    },
  })),
]

test('no field of any recorded hook payload lets a part of a private key reach a disk, the spool or an answer', async () => {
  await using setup = await createSetup()
  const { product, keyOf } = setup
  const recorded = [...recordedPayloads(), ...WRITTEN]
  expect(new Set(recorded.map(({ harness }) => harness)).size).toBeGreaterThan(5)
  const calls = recorded.flatMap(({ harness, hook, payload }, at) =>
    filledByExample(payload, `${harness}/${hook}#${at}`, keyOf).map((filled) => ({ harness, hook, ...filled })),
  )
  expect(calls.length).toBeGreaterThan(1_000)
  for (const { harness, hook, label, value } of calls) {
    const { body } = await ask(product.home, { path: `/hook/${harness}/${encodeURIComponent(hook)}`, body: value })
    setup.hear(label, body.toString('utf8'))
    setup.hear(`spool of ${label}`, JSON.stringify(await redactPayload(JSON.stringify(value), systemClock)))
  }
  await product.json(['status'])
  await expectNoLeak(setup)
})

/** What stands for an argument that is not the one in question. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  name: 'walk-name',
  slug: 'walk-task',
  item: 'words to do',
  status: 'done',
  file: 'CHECKLIST.md',
  command: 'true',
  gate: 'plan',
}

/** Those that wait for something, end the daemon in the middle, or open a browser. */
const NOT_RUN = new Set(['daemon run', 'daemon stop', 'daemon logs', 'mcp', 'demo', 'dashboard', 'run'])

async function linesOfCommands({ keyOf }: Setup): Promise<readonly { label: string; words: readonly string[] }[]> {
  const commands = await Promise.all(
    COMMANDS.filter(({ name }) => !NOT_RUN.has(name)).map(async ({ name, load }) => {
      const command = new Command(name)
      ;(await load()).configure(command)
      return { name, command }
    }),
  )
  return commands.flatMap(({ name, command }) => {
    const args = command.registeredArguments
    const honest = args.map((argument) => (argument.required ? (ARGUMENTS[argument.name()] ?? 'words') : undefined))
    const words = (own: readonly (string | undefined)[], options: readonly string[]) => [
      ...name.split(' '),
      ...options,
      ...own.filter((word) => word !== undefined),
    ]
    const text = (label: string) => keyOf(label).join('\n')
    const ofArguments = args.flatMap((argument, at) => {
      const label = `${name} <${argument.name()}>`
      const whole = { label, words: words(honest.with(at, `x ${text(label)}`), []) }
      const lines = `${label} lines`
      const split = keyOf(lines).map((line) => ` ${line}`)
      return argument.variadic
        ? [whole, { label: lines, words: words([...honest.slice(0, at), ...split], []) }]
        : [whole]
    })
    const ofOptions = command.options.flatMap((option) => {
      if (!option.required && !option.optional) return []
      const flag = option.long ?? option.flags
      const label = `${name} ${flag}`
      const lines = `${label} lines`
      return [
        { label, words: words(honest, [`${flag}=${text(label)}`]) },
        {
          label: lines,
          words: words(
            honest,
            keyOf(lines).map((line) => `${flag}=${line}`),
          ),
        },
      ]
    })
    return [...ofArguments, ...ofOptions]
  })
}

test('no argument and no option of any command lets a part of a private key reach a disk or a terminal', async () => {
  await using setup = await createSetup()
  const { product, project } = setup
  const calls = await linesOfCommands(setup)
  expect(calls.length).toBeGreaterThan(150)
  const waiting = [...calls]
  const work = async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const ran = await product.cli(call.words, { cwd: project })
      setup.hear(call.label, `${ran.stdout}${ran.stderr}`)
    }
  }
  await Promise.all([work(), work(), work()])
  await expectNoLeak(setup)
})
