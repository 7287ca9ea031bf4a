import { expect, test } from 'vitest'
import { labelCommand } from './label-command.ts'

test.each([
  ['npm test', 'npm test'],
  [
    'go test -v -count=1 -race -timeout=30s ./internal/store -run TestSaveTwice',
    'go test ./internal/store -run TestSaveTwice',
  ],
  [
    'go test -tags=integration ./cmd/server/internal/store/ -run TestSaveTwice',
    'go test -tags=integration …/internal/store/ -run TestSaveTwice',
  ],
  [
    "curl -sSL -H 'Accept: application/vnd.github+json' https://api.example.com/a/b | jq '.[] | .title'",
    "curl -H 'Accept: application/vnd.… https://api.example.com/a/b …",
  ],
  [
    'cd packages/parser && npm test -- --reporter=dot --run a.test.ts | tail -40 && git status',
    'cd packages/parser && npm test -- --run a.test.ts | tail -40 …',
  ],
  [
    '(cd apps/web && npx playwright test sharing.spec.ts --reporter=list)',
    '(cd apps/web && npx playwright test sharing.spec.ts)',
  ],
  [
    `go test ./store -run ${'TestThatIsNamedAtLength'.repeat(3)}Twice`,
    'go test ./store -run TestThatIsNamedAtLengthTes…medAtLengthTwice',
  ],
  [
    `git commit -m "$(cat <<'EOF' Add the store of sessions, which keeps what was said`,
    `git commit -m "$(cat <<'EOF' Add the s…which keeps what was said`,
  ],
])('%s in little room', (command, label) => {
  expect(labelCommand(command, 64)).toBe(label)
})
