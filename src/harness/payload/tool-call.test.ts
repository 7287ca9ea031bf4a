import { expect, test } from 'vitest'
import { MAX_FILES } from './bounds.ts'
import { readForeignCall } from './tool-call.ts'

const others = Array.from({ length: MAX_FILES }, (_, at) => `*** Update File: src/${at}.ts\n@@\n-x\n+y`).join('\n')

test.each([
  ['one more than an event names', `${others}\n*** Add File: .env\n+DB_PIN=correctHorse`],
  ['one that it is moved to', '*** Update File: settings.txt\n*** Move to: .env.local\n+DB_PIN=correctHorse'],
])('nothing is kept of what a patch writes to an env file: %s', (_, body) => {
  const patch = `*** Begin Patch\n${body}\n${'+\n'.repeat(5_000)}*** End Patch`
  const call = readForeignCall({ name: 'apply_patch', input: { input: patch } })
  expect([call.fragment, call.names]).toEqual([undefined, undefined])
})

test('a search in an env file names the file, so that its lines are not kept', () => {
  const searched = (path: string) => readForeignCall({ name: 'grep', input: { pattern: 'DB_', path } }).files
  expect(searched('/app/.env')).toEqual([{ path: '/app/.env', action: 'read' }])
  expect(searched('/app/src')).toEqual([])
})
