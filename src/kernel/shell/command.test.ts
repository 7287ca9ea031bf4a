import { describe, expect, test } from 'vitest'
import {
  stripCommandFolder,
  isDiscardingWork,
  getCommandFolder,
  getCommandHead,
  withCommandFolder,
  classifyCommand,
  listRunnableCommands,
  isSearchCommand,
} from './command.ts'

describe('what a person would run again', () => {
  test.each([
    ['cd /repo && npm test 2>&1 | tail -20', ['npm test']],
    ['CI=1 timeout 60 go test ./... > out.txt', ['go test ./...']],
    ['npm run build && npm run lint; ls -la', ['npm run build', 'npm run lint']],
    ['grep -rn "a|b" src | head', []],
    ['git commit -m "fix; and (more) | things"', ['git commit -m "fix; and (more) | things"']],
    ["cat <<'EOF' > x\nrm -rf /\nEOF\nmake test", ['make test']],
    ["gh pr edit 7 --body \"$(cat <<'EOF'\nIt's done.\nEOF\n)\"", ['gh pr edit 7 --body "…"']],
    ['# a comment\npytest -q', ['pytest -q']],
    ['node -e "console.log(1)" && python3 -c "print(2)"', []],
    ['ID=$(curl -s -X POST http://localhost/login) && npm test', ['npm test']],
    ['NOW=$(date) npm test', ['npm test']],
    ['command -v entire || true; npm test', ['npm test']],
    ['while true; do curl -s x && break; sleep 1; done', []],
    ['NODE_OPTIONS="--max-old-space-size=4096 --trace-gc" npm test', ['npm test']],
    [`INPUT='{"command":"cd /repo && git fetch origin"}' && npm test`, ['npm test']],
    [`A="x \\" y" B='z' make all`, ['make all']],
    ['timeout -k 5 600 npm test', ['npm test']],
    ['env -u CI A=1 npm test', ['npm test']],
    ['nice -n 10 make', ['make']],
    ['', []],
  ])('%s', (command, parts) => {
    expect(listRunnableCommands(command)).toEqual(parts)
  })
})

test.each([
  ['go test ./... -run X', 'go test'],
  ['npm run build -- --watch', 'npm run build'],
  ['npm test', 'npm test'],
  ['python3 scripts/gen.py --all', 'python3 scripts/gen.py'],
  ['/usr/local/bin/pytest -q', 'pytest'],
  ['./gradlew check', './gradlew check'],
  ['gh pr view 12', 'gh pr view'],
])('%s is known as %s', (part, head) => {
  expect(getCommandHead(part)).toBe(head)
})

test.each([
  ['npm test', 'test'],
  ['npx vitest run src', 'test'],
  ['npm run build', 'build'],
  ['npx tsc --noEmit', 'lint'],
  ['git push', 'vcs'],
  ['node server.js', 'run'],
  ['terraform plan', 'other'],
  ['go build -tags=e2e ./cmd/e2e_test/...', 'build'],
  ['golangci-lint run --build-tags=e2e ./cmd/e2e_test/...', 'lint'],
  ['npx eslint src/tests/', 'lint'],
  ['vite build --config vite.test.config.ts', 'build'],
  ['bash scripts/test.sh', 'test'],
  ['./scripts/test.sh all', 'test'],
  ['python3 -m pytest tests/unit', 'test'],
  ['pnpm --filter @scope/pkg --silent test', 'test'],
  ['make -C packages/a test', 'test'],
  ['go test ./...', 'test'],
  ['docker compose exec -T api pytest -q', 'test'],
  ['docker run --rm -v "$PWD":/src golang:1.23 go vet ./...', 'lint'],
  ['docker exec -it dev bash -lc "cd /app && npm run build"', 'build'],
  ['docker compose up -d', 'run'],
  ['kubectl exec web-0 -- bin/rails test', 'test'],
  ['nix develop -c cargo test', 'test'],
  ['ctest --test-dir build', 'test'],
  ['npx tape lib/*.js', 'test'],
  ['brew tap acme/tools', 'other'],
  ['./mvnw -B verify', 'build'],
  ['./gradlew :core:check', 'build'],
  ['./gradlew bootRun', 'run'],
])('%s is for %s', (part, purpose) => {
  expect(classifyCommand(part)).toBe(purpose)
})

test('discarding work is distinguished from unstaging it', () => {
  expect(
    ['git checkout -- a.ts', 'git reset --hard', 'git restore --staged a.ts', 'git checkout main'].map(
      isDiscardingWork,
    ),
  ).toEqual([true, true, false, false])
})

test.each([
  ['rg -n "a|b" src', true],
  ['cd src && grep -rn x .', true],
  ['git grep parse', true],
  ['find . -name "*.ts" | head', true],
  ['npm test | grep FAIL', true],
  ['git status --short', false],
  ['npm run search', false],
])('%s looks for something: %s', (command, expected) => {
  expect(isSearchCommand(command)).toBe(expected)
})

test('a command of a folder is run from there, and classified without it', () => {
  const command = withCommandFolder('my app', 'npm test')
  expect([command, getCommandFolder(command), stripCommandFolder(command)]).toEqual([
    '(cd "my app" && npm test)',
    'my app',
    'npm test',
  ])
  expect([getCommandHead(command), classifyCommand(command), listRunnableCommands(command)]).toEqual([
    'npm test',
    'test',
    ['npm test'],
  ])
  expect(['app/(shop)', "it's", 'a-b/c', '$HOME/x'].map((folder) => withCommandFolder(folder, 'make'))).toEqual([
    '(cd "app/(shop)" && make)',
    '(cd "it\'s" && make)',
    '(cd a-b/c && make)',
    '(cd $HOME/x && make)',
  ])
  expect([withCommandFolder('', 'npm test'), getCommandFolder('npm test'), stripCommandFolder('npm test')]).toEqual([
    'npm test',
    '',
    'npm test',
  ])
})
