// bench: what Holdfast adds to the first request of each real client, as the model receives it
import { ClaudeSetup } from '../test/clients/support/claude-setup.ts'
import type { ClientSetup } from '../test/clients/support/client-setup.ts'
import { CodexSetup } from '../test/clients/support/codex-setup.ts'
import { GeminiSetup } from '../test/clients/support/gemini-setup.ts'
import { say } from '../test/clients/support/model-script.ts'
import { OpenCodeSetup } from '../test/clients/support/opencode-setup.ts'
import { listTools } from '../src/mcp/tool-list.ts'
import { isObject } from '../src/kernel/json-shape.ts'

const LIMIT_CHARS = 1_200
const PROMPT = 'Reply with one word.'

interface OpenedClient {
  readonly setup: ClientSetup
  readonly environment: Readonly<Record<string, string>>
  readonly run: () => Promise<unknown>
}

interface MeasuredClient {
  readonly id: string
  readonly open: () => Promise<OpenedClient>
}

const clients: readonly MeasuredClient[] = [
  {
    id: 'claude-code',
    async open() {
      const setup = await ClaudeSetup.unconnected()
      return { setup, environment: { CLAUDE_CONFIG_DIR: setup.claude.configDir }, run: () => setup.claude.run(PROMPT) }
    },
  },
  {
    id: 'codex',
    async open() {
      const setup = await CodexSetup.withPlugins()
      return { setup, environment: setup.places, run: () => setup.client.run(PROMPT) }
    },
  },
  {
    id: 'gemini-cli',
    async open() {
      const setup = await GeminiSetup.unconnected()
      return { setup, environment: setup.places, run: () => setup.client.run(PROMPT) }
    },
  },
  {
    id: 'opencode',
    async open() {
      const setup = await OpenCodeSetup.unconnected()
      return { setup, environment: setup.places, run: () => setup.client.run(PROMPT) }
    },
  },
]

/** Texts of a request that name Holdfast, by where they are. */
function findMentions(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string')
    return value.split('\n').flatMap((line) => (/holdfast/i.test(line) ? [`${path}: ${line.slice(0, 300)}`] : []))
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => findMentions(item, `${path}[${index}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => findMentions(item, `${path}.${key}`))
}

/**
 * What the client writes by itself, in characters, because there is an MCP server: its own tools to read resources (Codex),
 * and an argument of its own in each tool (Gemini CLI). A user with another server pays the former already.
 */
function measureClientText(withHoldfast: unknown, without: unknown): number {
  const known = JSON.stringify(without)
  const ours = new Set(listTools().flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})))
  return findDefinitions(withHoldfast).reduce((sum, definition) => {
    const text = JSON.stringify(definition)
    if (!/holdfast/.test(String(definition['name']))) return known.includes(text) ? sum : sum + text.length + 1
    const schema = definition['parameters'] ?? definition['parametersJsonSchema']
    const properties = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : []
    const added = properties.filter(([name]) => !ours.has(name))
    return sum + added.reduce((chars, entry) => chars + JSON.stringify(entry).length, 0)
  }, 0)
}

/** Every definition of a tool in a request. */
function findDefinitions(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(findDefinitions)
  if (!isObject(value)) return []
  const isDefinition = typeof value['name'] === 'string' && (value['parameters'] ?? value['parametersJsonSchema'])
  return isDefinition === undefined || isDefinition === false ? Object.values(value).flatMap(findDefinitions) : [value]
}

async function measure({ id, open }: MeasuredClient, args: readonly string[], isVerbose: boolean) {
  const { setup, environment, run } = await open()
  await using world = setup
  const firstRequest = async () => {
    const since = world.model.turns.length
    world.model.script.onPrompt(PROMPT, [say('Done.')])
    await run()
    const turn = world.turnsSince(since)[0]
    if (turn === undefined) throw new Error(`${id} asked the model nothing.`)
    return turn.body
  }
  // The project is new, so nothing is injected. The first run is without Holdfast, and also fills the client's own caches.
  await firstRequest()
  const without = await firstRequest()
  await world.holdfast.cli(['init', '--harness', id, '--yes', ...args], environment)
  const withHoldfast = await firstRequest()
  const said: unknown = JSON.parse(await world.holdfast.cli(['cost', '--harness', id, '--json'], environment))
  if (isVerbose) for (const line of findMentions(withHoldfast, '')) console.log(line)
  return {
    id,
    chars: JSON.stringify(withHoldfast).length - JSON.stringify(without).length,
    clients: measureClientText(withHoldfast, without),
    said: isObject(said) ? Number(said['totalChars']) : Number.NaN,
  }
}

const [only] = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const isVerbose = process.argv.includes('--verbose')
let isWithin = true
for (const client of clients.filter(({ id }) => only === undefined || id === only)) {
  const light = await measure(client, [], isVerbose)
  const full = await measure(client, ['--with', 'skills,snippet'], isVerbose)
  isWithin &&= light.chars - light.clients <= LIMIT_CHARS
  const describe = ({ chars, clients: own, said }: typeof light) =>
    `${chars} characters, ${own} of them the client's own for MCP (holdfast cost: ${said})`
  console.log(`${client.id}: ${describe(light)}\n  with skills and snippet: ${describe(full)}`)
}
console.log(`Holdfast's own text: ${isWithin ? 'at most' : 'more than'} ${LIMIT_CHARS} characters in each`)
process.exitCode = isWithin ? 0 : 1
