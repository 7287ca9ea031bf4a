import { expect, test } from 'vitest'
import { printsEnvFile } from './env-files.ts'

test.each([
  'cat .env',
  'cat .env*',
  'cat ./.env{,.local}',
  'cat config/.e*',
  'cat .en?',
  'cat .env.[lp]*',
  'git show HEAD:.env',
  'git show 3f2a1c9:packages/api/.env.local',
  'git -C /srv/app show stash@{0}:.env',
  'git cat-file -p HEAD:.env',
  'git --no-pager cat-file blob :0:.env',
  'git diff HEAD~1 -- .env',
  'git log -p -- .env',
  'git blame .env',
  'head -n 3 .env',
  'tail -5 packages/a/.env.production',
  "sed -n '1,5p' .env",
  'sed -n -e 1p .env',
  'bat --plain .env',
  'less .env.local',
  'grep DB_ .env',
  'rg -n "^DB" .env*',
  "awk -F= '{print $2}' .env",
  'base64 .env',
  'xxd ./.env',
  'sudo cat /srv/app/.env',
  'docker exec web cat /app/.env',
  'ssh host "cat /srv/app/.env"',
  "bash -lc 'cd app && cat .env'",
  'cat < .env',
  'while read line; do echo "$line"; done <.env',
  'echo "$(cat .env)"',
  'echo $(<.env)',
  'diff <(sort .env) <(sort .env.example)',
  'find . -name ".env*" -exec cat {} +',
  'ls .env* | xargs cat',
  'for f in .env .env.local; do cat "$f"; done',
  'source .env && echo $DB_PASSWORD',
  'set -a; . ./.env; printenv',
  `python3 -c "print(open('.env').read())"`,
  `node -e 'console.log(require("fs").readFileSync(".env", "utf8"))'`,
  'dd if=.env',
  'cd app; cat .env | head',
  'type .env',
  'Get-Content .env',
])('prints an env file: %s', (command) => {
  expect(printsEnvFile(command)).toBe(true)
})

test.each([
  'ls .env*',
  'ls -la .env',
  'cat .env.example',
  'cat .env.sample',
  'git show HEAD:.env.example',
  'git show HEAD:src/env.ts',
  'git status .env',
  'git log --oneline -- .env',
  'git diff --stat -- .env',
  'git add .env.local',
  'git commit -m "cat .env"',
  'find . -name ".env*"',
  'rg --files -g ".env*"',
  'grep -rn "\\.env" src',
  'grep -r .env src',
  'cat README.md | grep .env',
  'test -f .env && cat package.json',
  'docker compose --env-file .env up -d',
  'node --env-file=.env server.js',
  'export $(cat .env | xargs) && npm test',
  'set -a; source .env; set +a; npm test',
  'echo "see .env"',
  'cat .bashrc',
  'cat environment.ts .envrc.md',
  'cat *.ts',
  'npm test',
  '',
])('does not: %s', (command) => {
  expect(printsEnvFile(command)).toBe(false)
})

test('a command made of many patterns or opened substitutions is read to its end', () => {
  for (const unit of ['{a,', '{a,b}', '.env{', '*?', '$(', '`', '"', '(', '.e*'])
    expect(typeof printsEnvFile(`cat ${unit.repeat(20_000)}`)).toBe('boolean')
})
