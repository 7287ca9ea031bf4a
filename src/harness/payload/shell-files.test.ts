import { describe, expect, test } from 'vitest'
import { readShell } from './shell-files.ts'

const touched = (command: string) => readShell(command).files.map(({ path, action }) => `${action} ${path}`)

describe('files that a command line opens', () => {
  test.each([
    ["sed -n '1,200p' src/a.ts", ['read src/a.ts']],
    ["nl -ba src/a.ts | sed -n '10,20p'", ['read src/a.ts']],
    ['cat a.md b.md 2>/dev/null', ['read a.md', 'read b.md']],
    ['head -50 "src/a.ts" && tail -n 5 \'src/b.ts\'', ['read src/a.ts', 'read src/b.ts']],
    ['cat Makefile', ['read Makefile']],
    ['rg -n "foo|bar.ts" src/a.ts docs', ['read src/a.ts']],
    ['grep -rn x.ts src', []],
    ['rg -n x AGENTS.md .agents', ['read AGENTS.md']],
    ['cat .gitignore', ['read .gitignore']],
    ['rg -n x -g "*.ts" packages', []],
    ["jq '.scripts' package.json", ['read package.json']],
    ["cat > src/new.ts <<'EOF'\nimport x from './y.ts'\nEOF", ['edited src/new.ts']],
    ['echo done >> notes.md', ['edited notes.md']],
    ['printf x | tee out.json', ['edited out.json']],
    ["sed -i 's/a/b/' src/a.ts", ['edited src/a.ts']],
    ["perl -pi -e 's/a/b/' src/a.ts", ['edited src/a.ts']],
    ['npm test > out.txt 2>&1', []],
    ['rm -f src/old.ts', ['deleted src/old.ts']],
    ['mv a.ts b.ts', ['deleted a.ts', 'created b.ts']],
    ['cp a.ts b.ts', ['read a.ts', 'edited b.ts']],
    ['cat a.ts > b.ts', ['edited b.ts']],
    ['cat $FILE "$(pwd)/x.ts" *.ts', []],
    ['git commit -m "cat a.ts"', []],
    ['echo a > /dev/null', []],
    ['', []],
  ])('%s', (command, expected) => {
    expect(touched(command)).toEqual(expected)
  })

  test('are looked for where the line went first', () => {
    expect(touched('cd /other/repo && cat a.ts; cd sub && cat b.ts')).toEqual([
      'read /other/repo/a.ts',
      'read /other/repo/sub/b.ts',
    ])
    expect(touched('cd packages/x && sed -n 1,5p src/a.ts')).toEqual(['read packages/x/src/a.ts'])
    expect(touched('cd "$ROOT" && cat a.ts')).toEqual(['read a.ts'])
  })

  test('are looked for in the folder that the call names', () => {
    expect(readShell('cat a.ts /abs/b.ts', { workdir: '/other/repo' })).toEqual({
      files: [
        { path: '/other/repo/a.ts', action: 'read' },
        { path: '/abs/b.ts', action: 'read' },
      ],
      cwd: '/other/repo',
    })
  })
})

test('a shell that stays where it went is already there when its result tells the folder', () => {
  expect(readShell('cd x && cat a.ts', { staysThere: true })).toEqual({ files: [{ path: 'a.ts', action: 'read' }] })
  expect(readShell('cd /x && cat a.ts', { staysThere: true })).toEqual({
    files: [{ path: '/x/a.ts', action: 'read' }],
    cwd: '/x',
  })
})

test("a command's folder is set only when it is not the session's", () => {
  expect(['npm test', 'cd web && npm test', 'npm test && cd web'].map((line) => readShell(line).cwd)).toEqual([
    undefined,
    'web',
    undefined,
  ])
})
