import { expect, test } from 'vitest'
import { coversCommand } from './command-key.ts'

test.each([
  ['go test ./...', 'go test ./cmd/cli -run TestA'],
  ['go test ./cmd/cli', 'go test ./cmd/cli -run TestA'],
  ['npm test', 'npm test'],
  ['(cd web && npm test)', '(cd web && npm test -- a.test.ts)'],
])('%s leaves out nothing that %s was about', (wider, narrower) => {
  expect(coversCommand(wider, narrower)).toBe(true)
})

test.each([
  ['go test ./cmd/cli -run TestA', 'go test ./...'],
  ['go test ./cmd/other', 'go test ./cmd/cli -run TestA'],
  ['go build ./...', 'go test ./...'],
  ['npm test', '(cd web && npm test)'],
])('%s says nothing of %s', (wider, narrower) => {
  expect(coversCommand(wider, narrower)).toBe(false)
})
