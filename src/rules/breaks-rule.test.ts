import { expect, test } from 'vitest'
import type { ToolCall } from '../kernel/event.ts'
import { readProhibition } from './breaks-rule.ts'

const PLACE = { worktree: '/w', branch: 'feature' }

const shell = (command: string): ToolCall => ({ name: 'Bash', kind: 'shell', files: [], command })
const edit = (path: string): ToolCall => ({ name: 'Edit', kind: 'edit', files: [{ path, action: 'edited' }] })
const isBroken = (rule: string, tool: ToolCall, place: typeof PLACE = PLACE) =>
  readProhibition(rule)?.(tool, place) ?? false

test.each([
  ['Never push to main.', 'git push origin main'],
  ['Never push to main.', 'npm test && git push -u origin HEAD:main'],
  ['never push directly to main', 'git push origin feature:refs/heads/main'],
  ['Bitte niemals direkt auf main pushen.', 'git push origin main'],
  ['Nunca hagas push a main.', 'git push origin main'],
  ["don't push, I will do that", 'git push'],
  ['We never force-push shared branches.', 'git push --force-with-lease origin feature'],
  ['never delete branches on the remote', 'git push origin --delete old'],
  ['dont commit anything in this repo, I do that myself.', 'git add . && git commit -m "fix"'],
  ['Never amend commits.', 'git commit --amend --no-edit'],
  ['Never use --no-verify.', 'git commit --no-verify -m x'],
  ['please do not run the full test suite, it takes 40 minutes', 'npm test'],
  ["don't run the full suite", 'pytest -q'],
  ["Don't run all the tests", 'cd api && go test ./...'],
  ["don't run CI or integration tests, too slow.", 'mise run test:ci'],
  ["don't run CI or integration tests, too slow.", 'npm run test:integration'],
  ['Never run the e2e tests', 'pnpm test:e2e'],
  ['use pnpm, not npm', 'npm install'],
  ['Use pnpm instead of npm.', 'FOO=1 npm run build'],
  ['Verwende pnpm statt npm.', 'npm ci'],
  ['Usa pnpm en vez de npm.', 'npm install'],
  ['Utilise pnpm au lieu de npm.', 'npm install'],
  ['Stop using sudo.', 'sudo rm -f x'],
  ["Don't run `make deploy`.", 'make deploy'],
  ['No new dependencies.', 'npm install lodash'],
  ['I said no new dependencies!', 'bash -c "pip install requests"'],
  ['Speed up the import without adding any dependency.', 'cargo add rayon'],
  ["Don't touch src/legacy, it is frozen.", 'rm -rf src/legacy/old.ts'],
  ["Don't touch src/legacy, it is frozen.", "sed -i 's/a/b/' src/legacy/a.ts"],
  ['Do NOT edit generated files under gen/.', 'echo x > gen/a.ts'],
])('%s: is broken by %s', (rule, command) => {
  expect(isBroken(rule, shell(command))).toBe(true)
})

test.each([
  ["Don't touch src/legacy, it is frozen.", '/w/src/legacy/a/b.ts'],
  ['Do NOT edit generated files under gen/.', '/w/gen/api.ts'],
  ['No toques la carpeta vendor, por favor.', '/w/vendor/x.js'],
  ["Don't change the vendor folder", '/w/vendor/x.js'],
  ['hands off `Dockerfile`', '/w/Dockerfile'],
  ['Leave README.md as it is.', '/w/README.md'],
  ['Fass src/legacy nicht an.', '/w/src/legacy/a.ts'],
  ['never edit *.gen.ts files', '/w/src/api.gen.ts'],
  ['Only edit files under packages/api, the others belong to another team.', '/w/packages/web/a.ts'],
])('%s: is broken by an edit of %s', (rule, path) => {
  expect(isBroken(rule, edit(path))).toBe(true)
})

test('a push or a commit without a branch is one of the current branch', () => {
  const main = { ...PLACE, branch: 'main' }
  expect([
    isBroken('Never push to main.', shell('git push'), main),
    isBroken('Never push to main.', shell('git push'), PLACE),
    isBroken('Never commit to main.', shell('git commit -m x'), main),
    isBroken('Never commit to main.', shell('git commit -m x'), PLACE),
  ]).toEqual([true, false, true, false])
})

test.each([
  ['Never push to main.', 'git push origin feature'],
  ['Never push to main.', 'git push origin main-fix'],
  ['Never push to main.', 'git push --dry-run origin main'],
  ['Never push to main.', 'git log origin/main'],
  ['Never push to main.', 'echo "git push origin main"'],
  ['Never push to main.', 'grep -rn "git push origin main" docs'],
  ['Never push to main.', 'git commit -m "ci: never git push origin main"'],
  ['Never push to main.', "cat > notes.md <<'EOF'\ngit push origin main\nEOF"],
  ['Never push to main.', '# git push origin main\nls'],
  ['We never force-push shared branches.', 'git push origin feature'],
  ['commit only when I ask you to', 'git commit -m x'],
  ["Don't commit without asking me.", 'git commit -m x'],
  ['Do not push until the tests are green', 'git push'],
  ["don't run the full suite", 'npx vitest run src/a.test.ts'],
  ["don't run the full suite", 'pytest -k login'],
  ["don't run the full suite", 'go test ./api/...'],
  ["don't run the full suite", 'cat test/suite.ts'],
  ["don't run CI or integration tests, too slow.", 'npm run test:unit'],
  ["don't run CI or integration tests, too slow.", 'git commit -m "ci: integration tests"'],
  ['use pnpm, not npm', 'pnpm install'],
  ['use pnpm, not npm', 'rg npm package.json'],
  ['use pnpm, not npm', 'git commit -m "use pnpm, not npm"'],
  ['use pnpm, not npm', 'npx tsc --noEmit'],
  ['No new dependencies.', 'npm install'],
  ['No new dependencies.', 'npm ci'],
  ['No new dependencies.', 'pip install -r requirements.txt'],
  ['No new dependencies.', 'npm ls lodash'],
  ["Don't touch src/legacy, it is frozen.", 'cat src/legacy/a.ts'],
  ["Don't touch src/legacy, it is frozen.", 'rm -rf src/legacy-old'],
  ["Don't touch src/legacy, it is frozen.", 'ls src/legacy > /tmp/list.txt'],
  ['All public functions must have a doc comment.', 'git push'],
  ['I prefer small commits, one per fix.', 'git commit -m x'],
  ['Always run `npm run lint` before you commit.', 'git commit -m x'],
])('%s: is not broken by %s', (rule, command) => {
  expect(isBroken(rule, shell(command))).toBe(false)
})

test.each([
  ["Don't touch src/legacy, it is frozen.", '/w/src/legacyhelper.ts'],
  ["Don't touch src/legacy, it is frozen.", '/w/docs/src/legacy.md'],
  ['Only edit files under packages/api, the others belong to another team.', '/w/packages/api/a.ts'],
  ['Only edit files under packages/api, the others belong to another team.', '/tmp/scratch.ts'],
  ['Instead of console.log, use the logger in src/log.ts.', '/w/src/log.ts'],
  ['No, use the existing HttpClient in src/net.', '/w/src/net/a.ts'],
  ['no, the config belongs in config/default.yaml', '/w/config/default.yaml'],
])('%s: is not broken by an edit of %s', (rule, path) => {
  expect(isBroken(rule, edit(path))).toBe(false)
})

const OTHER_WORDS: readonly (readonly [rule: string, tool: ToolCall, branch?: string])[] = [
  ['Hands off the billing module, please.', edit('/w/src/billing/a.ts')],
  ['Treat everything under third_party as read-only.', edit('/w/third_party/x/a.c')],
  ['Whatever you do, the migrations folder stays as it is.', edit('/w/migrations/001.sql')],
  ['Please keep your hands off package.json.', shell('npm pkg set version=2 && echo x > package.json')],
  ["You're not allowed to force push, ever.", shell('git push -f')],
  ['Never ever run terraform apply.', shell('terraform apply -auto-approve')],
  ['Yarn is the package manager of this repo; use yarn instead of npm.', shell('npm install left-pad')],
  ['main is protected, never commit to main.', shell('git commit -m x'), 'main'],
  ['Never run the full test suite.', shell('docker compose exec api pytest')],
  ['do not use sudo', shell('bash -c "sudo rm -rf /x"')],
  ['Never use git stash.', shell('git stash push -m wip')],
  ['No git rebase, ever.', shell('git rebase main')],
  ['Never push tags.', shell('git push --tags')],
  ['Do not install anything globally.', shell('npm install -g typescript')],
  ['Never delete files in data/.', shell('rm data/a.csv')],
  ['Do not publish the package.', shell('npm publish')],
  ['The auth package is frozen.', edit('/w/packages/auth/index.ts')],
  ['Do not touch anything in docs/adr.', shell('git mv docs/adr/1.md docs/adr/2.md')],
  ["Don't use curl, use httpie.", shell('curl -s localhost:3000')],
  ['never run npm audit fix', shell('npm audit fix --force')],
  ['Please do not deploy.', shell('npm run deploy:prod')],
  ['Do not create new branches.', shell('git checkout -b x')],
  ['Never use rm -rf.', shell('rm -rf build')],
  ['Do not edit generated files (*.pb.go).', edit('/w/api/x.pb.go')],
  ['No commits on main please.', shell('git commit -m x'), 'main'],
  ["don't add any npm packages", shell('pnpm add zod')],
]
const NOT_BROKEN: readonly (readonly [rule: string, tool: ToolCall])[] = [
  ['Hands off the billing module, please.', shell('cat src/billing/a.ts')],
  ['Hands off the billing module, please.', edit('/w/src/users/a.ts')],
  ['Treat everything under third_party as read-only.', shell('grep -rn x third_party')],
  ['Whatever you do, the migrations folder stays as it is.', edit('/w/src/migrate.ts')],
  ["You're not allowed to force push, ever.", shell('git push')],
  ['Never ever run terraform apply.', shell('terraform plan')],
  ['Never ever run terraform apply.', shell('git commit -m "docs: never run terraform apply"')],
  ['main is protected, never commit to main.', shell('git commit -m x')],
  ['Never run the full test suite.', shell('docker compose exec api pytest tests/test_a.py')],
  ['Never use git stash.', shell('git status')],
  ['Never push tags.', shell('git push origin feature')],
  ['Do not install anything globally.', shell('npm install typescript')],
  ['Do not publish the package.', shell('npm run build')],
  ['Every new endpoint needs a test.', edit('/w/src/api.ts')],
  ['The auth package is frozen.', shell('npm test -w packages/auth')],
  ['Do not touch anything in docs/adr.', shell('ls docs/adr')],
  ["Don't use curl, use httpie.", shell('http localhost:3000')],
  ['never run npm audit fix', shell('npm audit')],
  ['Please do not deploy.', shell('cat deploy.sh')],
  ['Never use rm -rf.', shell('rm build/a.txt')],
  ['Do not edit generated files (*.pb.go).', edit('/w/api/x.go')],
  ['No commits on main please.', shell('git commit -m x')],
  ['The package is published by CI.', shell('npm publish')],
  ["Don't deploy until I say so.", shell('npm run deploy')],
]

test('rules in other words are broken by what they rule out, and by nothing beside it', () => {
  const unwarned = OTHER_WORDS.filter(
    ([rule, tool, branch = PLACE.branch]) => !isBroken(rule, tool, { ...PLACE, branch }),
  )
  expect([unwarned, NOT_BROKEN.filter(([rule, tool]) => isBroken(rule, tool))]).toEqual([[], []])
})
