import { expect, test } from 'vitest'
import { AgentApiSetup, type EventBody, ROOT } from '../../../test/support/agent-api-setup.ts'
import { anEvent } from '../../../test/support/events.ts'
import { SessionKey, toSessionId } from '../../kernel/id.ts'
import { createPromptMemories } from './prompt-memories.ts'

const ID = toSessionId('claude-code', SessionKey('me'))
const PROMPT = 'Which port does the staging database listen on?'

async function aSession() {
  const setup = await AgentApiSetup.open()
  const memories = createPromptMemories(setup.deps(setup.store))
  const happen = (event: EventBody) => setup.happen('me', event)
  await happen({ kind: 'session-started', source: 'startup' })
  await setup.engine.remember({ content: 'The staging database listens on port 5433.', source: 'cli', cwd: ROOT })
  const findSession = async () => {
    const session = await setup.store.findSession(ID)
    if (session === undefined) throw new Error('The session is not stored.')
    return session
  }
  return {
    happen,
    async ask(said = '') {
      setup.time.advance(1_000)
      await happen({ kind: 'prompt-submitted', prompt: PROMPT })
      const event = anEvent('prompt-submitted', { sessionKey: SessionKey('me'), cwd: ROOT, prompt: PROMPT })
      if (event.kind !== 'prompt-submitted') throw new Error('It is not a prompt.')
      const session = await findSession()
      const found = await memories.forPrompt(session, event, { maxChars: 9_500, given: new Set(), said })
      if (found !== undefined) await setup.engine.confirmInjection(found.injection)
      return found?.text.includes('5433') ?? false
    },
    explain: async () =>
      (await memories.listConsidered(await findSession())).flatMap(({ memories: all }) =>
        all.map(({ outcome }) => outcome),
      ),
    [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
  }
}

test('a memory is injected once, stays known to a resumed session, and is injected again after a compaction', async () => {
  await using session = await aSession()
  expect([await session.ask(), await session.ask()]).toEqual([true, false])
  await session.happen({ kind: 'session-started', source: 'resume' })
  expect(await session.ask()).toBe(false)
  await session.happen({ kind: 'compaction-finished' })
  await session.happen({ kind: 'session-started', source: 'compact' })
  expect([await session.ask(), await session.ask()]).toEqual([true, false])
  expect(await session.explain()).toEqual(['already-shown', 'shown', 'already-shown'])
})

test('a memory that the recovery says is not said again before the prompt', async () => {
  await using session = await aSession()
  expect(await session.ask('- remembered: The staging database listens on port 5433.')).toBe(false)
  expect(await session.ask()).toBe(true)
})
