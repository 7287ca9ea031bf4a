import { describe, expect, test } from 'vitest'
import { createVerificationGate } from './verification-gate.ts'

const configFile = '/home/u/.holdfast/config.json'
const gateOf = (allowed: readonly string[], degraded?: string) =>
  createVerificationGate({ allowed, configFile, findDegradedTask: async () => degraded })

describe('a command that the user did not write down does not pass', () => {
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
    await expect(gateOf(['npm test'])(command)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('one that they did passes', async () => {
  await expect(gateOf(['npm test', 'make check'])('make check')).resolves.toBeUndefined()
})

test('a refusal says what is off, what to do instead, and where the user would allow it', async () => {
  await expect(gateOf([])('npm test')).rejects.toMatchObject({
    message: expect.stringContaining('verify_command is off'),
    hint: expect.stringMatching(/holdfast checklist mark <item> verified --run[\s\S]*checklist[\s\S]*verifyOverMcp/),
  })
  await expect(gateOf([])('npm test')).rejects.toMatchObject({ hint: expect.stringContaining(configFile) })
})

test('nothing runs while a session is degraded to reading', async () => {
  await expect(gateOf(['npm test'], 'feat-x')('npm test')).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('feat-x'),
    hint: expect.stringContaining('holdfast session sandbox --task feat-x --leave'),
  })
})
