import { expect, test } from 'vitest'
import { settlesCommand } from './whole-suite.ts'

test.each([
  ['mise run test', 'go test ./internal/store/... -run TestSave'],
  ['mise run test:ci', 'go test -tags=integration ./integration_test -run TestSave'],
  ['make test', '(cd services/api && pytest tests/test_a.py)'],
  ['npm test', 'npx vitest run src/a.test.ts'],
  ['npm run test -- --reporter=dot', 'npm test -- src/a.test.ts'],
  ['npm run lint', 'npx eslint src/a.ts'],
  ['go test ./... -count=1', '(cd internal/store && go test . -run TestSave)'],
  ['python -m pytest -q', 'uv run pytest tests/test_a.py -k save'],
  ['cargo test', 'cargo test save_twice'],
  ['go test ./...', 'go test ./internal/store -run TestSave'],
])('%s settles that %s failed', (later, failed) => {
  expect(settlesCommand(later, failed)).toBe(true)
})

test.each([
  ['mise run test', 'go test -tags=integration ./integration_test'],
  ['npm test', 'npx playwright test a.spec.ts'],
  ['npm test', '(cd web && npm test)'],
  ['npm run lint', 'npm run typecheck'],
  ['npm run lint', 'npx tsc --noEmit'],
  ['make lint', 'mypy src'],
  ['npm run test:unit', 'npm test'],
  ['npm test', 'npx vitest run -c vitest.slow.config.ts'],
  ['dotnet test', './mvnw test'],
  ['npm test', 'go test ./store'],
  ['npm run lint', 'npx vitest run src/a.test.ts'],
  ['npm test -- src/a.test.ts', 'npx vitest run src/b.test.ts'],
  ['go test ./... -run TestSave', 'go test ./store -run TestLoad'],
  ['go test ./store', 'go test ./...'],
  ['(cd api && pytest)', 'pytest web/test_a.py'],
  ['make lint', 'make test'],
])('%s says nothing of %s', (later, failed) => {
  expect(settlesCommand(later, failed)).toBe(false)
})
