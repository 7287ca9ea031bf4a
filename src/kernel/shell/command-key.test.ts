import { expect, test } from 'vitest'
import { keyedCommands } from './command-key.ts'

const keysOf = (line: string) => keyedCommands(line, { worktree: '/srv/app' }).map(({ key }) => key)

test.each([
  ['npm test', 'CI=1 npm run test 2>&1 | tail -20'],
  ['npm test', 'cd /srv/app && npm t'],
  ['vitest run src/a.test.ts', 'npx vitest run ./src/a.test.ts --reporter=dot'],
  ['vitest run src/a.test.ts', './node_modules/.bin/vitest run --reporter verbose /srv/app/src/a.test.ts'],
  ['pytest tests/test_a.py -x -q --tb=short', 'python3 -m pytest tests/test_a.py'],
  ['pytest tests/test_a.py', 'uv run pytest -v tests/test_a.py'],
  ['go test ./...', 'go test -v -count=1 ./... | head -50'],
  ['pytest a.py b.py', 'pytest b.py a.py'],
  ['go test -run TestX ./pkg', 'go test ./pkg -run=TestX -v'],
  ['python3 scripts/seed.py', 'python /srv/app/scripts/seed.py'],
  ['npm test', 'cd . && npm test'],
  ['mise run test', 'cd packages/a && mise run test'],
  ['cd packages/a && npm test', 'cd /srv/app/packages/a/ && npm test'],
  ['cd packages/a && npm test', 'cd packages && cd ./a && npm test'],
  ['cd packages/a && npm test', "cd 'packages/a' 2>/dev/null; npm test"],
])('%j and %j are the same command', (one, other) => {
  expect(keysOf(one)).toHaveLength(1)
  expect(keysOf(one)).toEqual(keysOf(other))
})

test.each([
  ['npm test', 'npm test -- src/a.test.ts'],
  ['npm test', 'npm run test:e2e'],
  ['npm run build', 'npm run build:docs'],
  ['pytest -k one', 'pytest -k two'],
  ['go test ./a', 'go test ./b'],
  ['docker compose up -d', 'docker compose up'],
  ['node scripts/a.js', 'node scripts/a.js --force'],
  ['npm test', 'pnpm test'],
  ['npm install', 'npm install --legacy-peer-deps'],
  ['pip install -r requirements.txt', 'pip install --no-deps -r requirements.txt'],
  ['npm run lint', 'npm run lint -- --fix'],
  ['npx prettier --check .', 'npx prettier --write .'],
  ['docker build .', 'docker build --no-cache .'],
  ['npx vitest run', 'npx vitest run -u'],
  ['npm test', 'cd packages/a && npm test'],
  ['npm test', 'cd /tmp && npm test'],
  ['mise run test', 'cd /srv/other && mise run test'],
  ['npm test', 'cd && npm test'],
  ['npm test', 'cd / && npm test'],
  ['cd packages/a && npm test', 'cd packages/b && npm test'],
  ['cd packages/a && npm test', 'cd "$PACKAGE" && npm test'],
])('%j and %j are not', (one, other) => {
  expect(keysOf(one)).toHaveLength(1)
  expect(keysOf(one)).not.toEqual(keysOf(other))
})

test.each([
  'git status',
  'git diff HEAD~1',
  'ls -la src && cat package.json',
  'curl -sf http://localhost:3000/health',
  'python3 - <<EOF\nprint(1)\nEOF',
  'node -e "process.exit(1)"',
  'echo "npm test"',
  'gh pr checks 12',
  '',
])('%j has nothing that could be tried again and fail', (line) => {
  expect(keysOf(line)).toEqual([])
})

test('a chain has one key for each of its commands', () => {
  expect(keysOf('npm run lint && npm test && npm test | tail')).toEqual(['npm lint', 'npm test'])
})

test('a command has the folder that it runs in', () => {
  expect(keyedCommands('npm run lint && cd app && npm test', { worktree: '/srv/app' })).toEqual([
    { key: 'npm lint', command: 'npm run lint', purpose: 'lint' },
    { key: 'app: npm test', command: '(cd app && npm test)', purpose: 'test' },
  ])
})

test.each([
  ['in the folder already', 'npm test', '/srv/app/packages/a'],
  ['on the way there', 'cd packages/a && npm test', '/srv/app'],
  ['told after it got there', 'cd packages/a && npm test', '/srv/app/packages/a'],
  ['named by its last part', 'cd a && npm test', '/srv/app/packages/a'],
  ['from another package', 'cd ../a && npm test', '/srv/app/packages/b'],
])('a package is the same one %s', (_, line, cwd) => {
  expect(keyedCommands(line, { worktree: '/srv/app', cwd }).map(({ key }) => key)).toEqual(['packages/a: npm test'])
})

test.each([
  ['by a folder of the call', 'npm test', 'packages/a', 'packages/a: npm test'],
  ['by the first step of its line', 'cd ../a && npm test', '/srv/app/packages/a', 'packages/a: npm test'],
  ['and goes on from there', 'cd packages && cd a && npm test', 'packages', 'packages/a: npm test'],
  ['out of the worktree', 'cd /tmp && npm test', '/tmp', '/tmp: npm test'],
  ['back to the root', 'cd .. && npm test', '/srv/app', 'npm test'],
])('a connector says where a command ran, %s', (_, line, ranIn, key) => {
  const where = { worktree: '/srv/app', cwd: '/srv/app', ranIn }
  expect(keyedCommands(line, where).map((keyed) => keyed.key)).toEqual([key])
})

test('a session that reached its worktree over a link is at the root all the same', () => {
  const where = { worktree: '/srv/app', cwd: '/home/link' }
  expect(keyedCommands('npm test', where)).toEqual(keyedCommands('cd /home/link && npm test', where))
  expect(keyedCommands('cd /home/link/packages/a && npm test', where).map(({ key }) => key)).toEqual([
    'packages/a: npm test',
  ])
})
