import { expect, test } from 'vitest'
import { scriptNameOf } from './script-name.ts'

const packageJson = JSON.stringify({ scripts: { test: 'vitest', build: 'tsc' } })
const makefile = 'PREFIX := /usr\nall build: main.o\n\tcc\n.PHONY: all\n'

test.each([
  ['npm test', packageJson, true],
  ['npm run build -- --watch', packageJson, true],
  ['npm run deploy', packageJson, false],
  ['pnpm run toString', packageJson, false],
  ['npm run build', 'not json', false],
  ['make build', makefile, true],
  ['make PREFIX', makefile, false],
  ['make clean', makefile, false],
])('%s is defined: %s', (command, manifest, isDefined) => {
  expect(scriptNameOf(command)?.isDefinedIn(manifest)).toBe(isDefined)
})

test.each([
  'yarn tsc',
  'npm install',
  'npm run',
  'npm run x --prefix sub',
  'make',
  'make -j4',
  'go test ./...',
  'bun test',
])('nothing can be told about %s', (command) => {
  expect(scriptNameOf(command)).toBeUndefined()
})
