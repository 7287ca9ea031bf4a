import { expect, test } from 'vitest'
import { findScriptName } from './script-name.ts'

const packageJson = JSON.stringify({ scripts: { test: 'vitest', build: 'tsc' } })
const justfile = 'version := "1"\nalias b := build\n@build target="all": lint\n  cc\nlint:\n  x\n'
const makefile = 'PREFIX := /usr\nall build: main.o\n\tcc\n.PHONY: all\n'

const pyproject = '[tool.poe.tasks]\nlint = "ruff check"\n[tool.poe.tasks.docs]\ncmd = "x"\n[other]\nship = 1\n'

test.each([
  ['npm test', packageJson, 'holds'],
  ['npm run build -- --watch', packageJson, 'holds'],
  ['npm run deploy', packageJson, 'gone'],
  ['pnpm run toString', packageJson, 'gone'],
  ['npm run build', '<<<<<<< HEAD', 'cannot-tell'],
  ['npm run build', packageJson.slice(0, 30), 'cannot-tell'],
  ['npm run build', '[]', 'gone'],
  ['make build', makefile, 'holds'],
  ['make PREFIX', makefile, 'gone'],
  ['make clean', makefile, 'gone'],
  ['make clean', `include rules.mk\n${makefile}`, 'cannot-tell'],
  ['make clean', `-include rules.mk\n${makefile}`, 'cannot-tell'],
  ['make test-fast', 'test-%:\n\tx\n', 'cannot-tell'],
  ['make app', '$(BINS): main.o\n', 'cannot-tell'],
  ['just build', justfile, 'holds'],
  ['just b', justfile, 'holds'],
  ['just version', justfile, 'gone'],
  ['just deploy', `import 'more.just'\n${justfile}`, 'cannot-tell'],
  ['deno task dev', '{"tasks":{"dev":"x"}}', 'holds'],
  ['deno task gone', '{"tasks":{"dev":"x"}}', 'gone'],
  ['deno task dev', '{"tasks":{"dev":"x"}, // more\n}', 'cannot-tell'],
  ['composer run lint', '{"scripts":{"lint":"x"}}', 'holds'],
  ['composer run-script lint', '{}', 'gone'],
  ['poe lint', pyproject, 'holds'],
  ['poe docs', pyproject, 'holds'],
  ['poe ship', pyproject, 'gone'],
  ['cargo test --lib', '[package]', 'holds'],
  ['go test ./...', 'module x', 'holds'],
  ['node scripts/check.mjs --all', 'anything', 'holds'],
  ['./tools/run.sh', '', 'holds'],
])('%s in %j: %s', (command, manifest, verdict) => {
  expect(findScriptName(command)?.verdictIn(manifest)).toBe(verdict)
})

test.each([
  'yarn tsc',
  'npm install',
  'npm run',
  'npm run x --prefix sub',
  'make',
  'make -j4',
  'go env',
  'cargo install x',
  'cargo test -p lexer',
  'just docs::build',
  'bun test',
  'just --list',
  'deno run x.ts',
  'composer install',
  'node -e 1',
  'node ../elsewhere.mjs',
  'python3 /usr/lib/x.py',
])('nothing is known about %s', (command) => {
  expect(findScriptName(command)).toBeUndefined()
})

test('a command of a folder is defined by the manifest there, or by one above where its program looks there', () => {
  const manifestsOf = (command: string) => findScriptName(command)?.manifests
  expect(manifestsOf('npm test')).toEqual(['package.json'])
  expect(manifestsOf('(cd packages/a && npm test)')).toEqual([
    'packages/a/package.json',
    'packages/package.json',
    'package.json',
  ])
  expect(manifestsOf('(cd "my app" && make all)')).toEqual(['my app/GNUmakefile', 'my app/makefile', 'my app/Makefile'])
  expect(manifestsOf('(cd tools && ./run.sh)')).toEqual(['tools/run.sh'])
  expect(findScriptName('(cd /elsewhere && npm test)')).toBeUndefined()
})
