import { expect, test } from 'vitest'
import type { CheckedEntity, IntentWithLiveness } from '../../kernel/agent-records.ts'
import type { AgentApi } from '../../app/agent-api.ts'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { ProjectId } from '../../kernel/id.ts'
import { fakeAgentApi } from '../../../test/support/daemon-setup.ts'
import { resolveHome } from '../../platform/base/home.ts'
import type { CliCommand } from '../shared/command.ts'
import { briefingCommand } from './inspect/briefing.ts'
import { entitiesForgetCommand } from './project/entities.ts'
import { entitiesListCommand } from './project/entities.ts'
import { entitiesRegisterCommand } from './project/entities.ts'
import { intentsCommand } from './inspect/intents.ts'
import { projectsKeywordCommand } from './project/projects.ts'
import { projectsListCommand } from './project/projects.ts'
import { projectsRegisterCommand } from './project/projects.ts'

const AT = '2026-01-01T00:00:00.000Z'
const projectId = ProjectId('p')
const shop = { name: 'shop', rootPath: '/home/dev/shop', projectId, keywords: ['store'], addedAt: AT }

const intent: IntentWithLiveness = {
  id: 'i',
  projectId,
  worktree: '/home/dev/shop',
  sessionLabel: 'one\u001b[31m',
  intent: 'Fix the cart',
  files: ['src/cart.ts'],
  startedAt: AT,
  standing: 'live',
}

const entity: CheckedEntity = {
  projectId,
  name: 'Cart',
  type: 'class',
  file: 'src/cart.ts',
  line: 3,
  lastSeenAt: AT,
  origin: 'hand',
  state: 'moved',
  foundAt: { file: 'src/cart.ts', line: 9 },
}

interface Run {
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly agentApi?: Partial<AgentApi>
}

async function run(command: CliCommand, { args = [], options = {}, agentApi = {} }: Run): Promise<string> {
  let said = ''
  const unused = () => Promise.reject(new Error('not needed'))
  await command.run({
    args,
    options,
    context: {
      env: {},
      cwd: '/home/dev/shop/src',
      home: resolveHome({ HOME: '/home/dev' }),
      config: DEFAULT_CONFIG,
      io: {
        out: (text) => void (said += text),
        err: () => undefined,
        stdin: process.stdin,
        isInteractive: false,
        hasColor: false,
      },
      continuity: unused,
      sync: () => Promise.reject(new Error('no exchange here')),
      agentApi: async () => fakeAgentApi(agentApi),
    },
  })
  return said
}

test('briefing asks for what was said, and prints it without what a terminal would act on', async () => {
  const asked: unknown[] = []
  const briefing: AgentApi['briefing'] = async (input) => {
    asked.push(input)
    return {
      project: { ...shop, worktree: '/', isRegistered: true, isOnDisk: true, matchedBy: 'name' },
      generatedAt: AT,
      mode: 'full',
      isDegraded: false,
      text: '# Session Briefing\u001b[2J',
      tokens: 5,
      sections: [],
    }
  }
  const options = { project: 'shop', budget: 900, session: 's', phase: 'CODE', afterCompaction: true }
  expect(await run(briefingCommand, { options, agentApi: { briefing } })).toBe('# Session Briefing�[2J\n')
  expect(JSON.parse(await run(briefingCommand, { options: { json: true }, agentApi: { briefing } }))).toMatchObject({
    tokens: 5,
  })
  expect(asked).toEqual([
    {
      cwd: '/home/dev/shop/src',
      project: 'shop',
      budgetTokens: 900,
      sessionLabel: 's',
      phase: 'CODE',
      afterCompaction: true,
    },
    { cwd: '/home/dev/shop/src' },
  ])
})

test('intents and entities are tables, and say when there are none', async () => {
  const told = await run(intentsCommand, { agentApi: { listIntents: async () => [intent] } })
  expect(told).toMatch(/^one�\[31m {2}live {2}\d+ d ago {2}Fix the cart {2}src\/cart\.ts\n$/)
  expect(await run(intentsCommand, {})).toBe('No session has declared an intent here.\n')
  const listed = 'class  Cart  src/cart.ts:3  moved to src/cart.ts:9  by hand, 2026-01-01\n'
  expect(await run(entitiesListCommand, { agentApi: { listEntities: async () => [entity] } })).toBe(listed)
  expect(await run(entitiesListCommand, {})).toBe(
    'No entities are registered, and there is no index; `holdfast index` creates one.\n',
  )
  const two = { agentApi: { listEntities: async () => [entity, entity] }, options: { limit: 1 } }
  expect(await run(entitiesListCommand, two)).toBe(`${listed}There are more: give a name, or use --limit.\n`)
})

test('entities are searched by name, registered with file and line in one word, and forgotten', async () => {
  const heard: unknown[] = []
  const agentApi = {
    listEntities: async (input: unknown) => (heard.push(input), []),
    registerEntity: async (input: unknown) => (heard.push(input), entity),
    forgetEntity: async (input: unknown) => (heard.push(input), 1),
  }
  const cwd = '/home/dev/shop/src'
  expect(await run(entitiesListCommand, { agentApi, args: ['car'], options: { type: 'class', limit: 5 } })).toBe(
    'No registered or indexed entity matches.\n',
  )
  expect(await run(entitiesRegisterCommand, { agentApi, args: ['Cart', 'class', 'src/cart.ts:3'] })).toBe(
    'Registered class Cart at src/cart.ts:3. In the code: moved to src/cart.ts:9.\n',
  )
  expect(await run(entitiesForgetCommand, { agentApi, args: ['Cart'] })).toBe('Forgot Cart: 1 entry.\n')
  expect(heard).toEqual([
    { cwd, type: 'class', name: 'car', limit: 6 },
    { cwd, name: 'Cart', type: 'class', file: 'src/cart.ts', line: 3 },
    { cwd, name: 'Cart' },
  ])
  await expect(
    run(entitiesRegisterCommand, { agentApi, args: ['Cart', 'spell', 'src/cart.ts'] }),
  ).rejects.toMatchObject({
    code: 'invalid-input',
  })
})

test('projects are listed, registered from where one is, and given keywords', async () => {
  const heard: unknown[] = []
  const agentApi: Partial<AgentApi> = {
    listProjects: async () => [{ ...shop, isOnDisk: false }],
    registerProject: async (input) => {
      heard.push(input)
      return shop
    },
    addProjectKeyword: async (input) => {
      heard.push(input)
      return shop
    },
  }
  expect(await run(projectsListCommand, { agentApi })).toBe('shop  /home/dev/shop  not on disk  store\n')
  expect(await run(projectsListCommand, {})).toContain('holdfast projects register <name>')
  expect(await run(projectsRegisterCommand, { args: ['shop', '..'], agentApi })).toBe(
    'Registered shop: /home/dev/shop\n',
  )
  expect(await run(projectsKeywordCommand, { args: ['shop', 'store'], agentApi })).toBe('Keywords of shop: store\n')
  expect(heard).toEqual([
    { name: 'shop', rootPath: '/home/dev/shop' },
    { project: 'shop', cwd: '/home/dev/shop/src', keyword: 'store' },
  ])
})
