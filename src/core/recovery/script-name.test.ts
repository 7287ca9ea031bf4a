import { expect, test } from 'vitest'
import { scriptNameOf } from './script-name.ts'

const packageJson = JSON.stringify({ scripts: { test: 'vitest', build: 'tsc' } })
const justfile = 'version := "1"\nalias b := build\n@build target="all": lint\n  cc\nlint:\n  x\n'
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
  ['just build', justfile, true],
  ['just b', justfile, true],
  ['just version', justfile, false],
  ['deno task dev', '{"tasks":{"dev":"x"}}', true],
  ['deno task gone', '{"tasks":{"dev":"x"}}', false],
  ['composer run lint', '{"scripts":{"lint":"x"}}', true],
  ['composer run-script lint', '{}', false],
  ['node scripts/check.mjs --all', 'anything', true],
  ['./tools/run.sh', '', true],
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
  'just --list',
  'deno run x.ts',
  'composer install',
  'node -e 1',
  'node ../elsewhere.mjs',
  'python3 /usr/lib/x.py',
])('nothing can be told about %s', (command) => {
  expect(scriptNameOf(command)).toBeUndefined()
})

test('a command of a folder is defined by the manifest there', () => {
  expect(scriptNameOf('(cd packages/a && npm test)')).toMatchObject({ manifest: 'packages/a/package.json' })
  expect(scriptNameOf('(cd "my app" && make all)')).toMatchObject({ manifest: 'my app/Makefile' })
  expect(scriptNameOf('(cd /elsewhere && npm test)')).toBeUndefined()
})
