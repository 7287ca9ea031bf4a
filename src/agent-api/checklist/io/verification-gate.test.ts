import { describe, expect, test } from 'vitest'
import { createVerificationGate } from './verification-gate.ts'

const configFile = '/home/u/.holdfast/config.json'
const createGate = (allowed: readonly string[], degraded?: string) =>
  createVerificationGate({ allowed, configFile, findDegradedTask: async () => degraded })

describe('a command that the user did not list is refused', () => {
  test.each([
    'npm test; touch /tmp/x',
    'npm test && touch /tmp/x',
    'npm test\ntouch /tmp/x',
    'npm  test',
    'npm',
    'NPM TEST',
    'xnpm test',
    '',
    'constructor',
    ' npm test',
    'npm test\n',
    '\u00a0npm test',
    '\ufeffnpm test',
    'npm test\u2028',
  ])('%j', async (command) => {
    await expect(createGate(['npm test'])(command)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('a listed command is allowed', async () => {
  await expect(createGate(['npm test', 'make check'])('make check')).resolves.toBeUndefined()
})

test('a refusal says what is off, what to do instead, and where the user would allow it', async () => {
  await expect(createGate([])('npm test')).rejects.toMatchObject({
    message: expect.stringContaining('verify_command is off'),
    hint: expect.stringMatching(/holdfast checklist mark <item> verified --run[\s\S]*checklist[\s\S]*verifyOverMcp/),
  })
  await expect(createGate([])('npm test')).rejects.toMatchObject({ hint: expect.stringContaining(configFile) })
})

test('nothing runs while a session is degraded to read-only', async () => {
  await expect(createGate(['npm test'], 'feat-x')('npm test')).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('feat-x'),
    hint: expect.stringContaining('holdfast session sandbox --task feat-x --leave'),
  })
})
