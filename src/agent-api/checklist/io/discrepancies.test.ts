import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ItemRecord } from '../../../kernel/checklist.ts'
import type { CodeInspector } from '../../../kernel/code-facts.ts'
import { createSourceInspector } from '../../../../test/support/source-inspector.ts'
import { findDiscrepancies, type DiscrepancyInput, type DiscrepancyReport } from './discrepancies.ts'
import { parseChecklist } from '../parse.ts'

const SHIPPED = `import { users } from './users'
export class Auth {
  async verifyToken(token: string): Promise<boolean> { return true }
}
const API_URL = 'http://localhost:3000'
const API_KEY = "test-key-replace-me"
// TODO: add rate limiting
// TODO: implement refresh tokens
export function logout(): void { throw new Error('Not implemented') }
`

let inspector: CodeInspector
beforeAll(async () => {
  inspector = await createSourceInspector()
})

async function check(
  checklist: string,
  files: Readonly<Record<string, string>>,
  more: Partial<DiscrepancyInput> = {},
): Promise<DiscrepancyReport> {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-discrepancies-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return await findDiscrepancies({ root, items: parseChecklist(checklist), evidence: [], inspector, ...more })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function reasons(
  checklist: string,
  files: Readonly<Record<string, string>>,
  evidence: readonly ItemRecord[] = [],
): Promise<readonly string[]> {
  const { discrepancies } = await check(checklist, files, { evidence })
  return discrepancies.map(({ line, reason, where }) => `${line} ${reason} ${where}`)
}

test('a ticked item whose file is a stub is a discrepancy, line by line', async () => {
  expect(await reasons('- [x] Rate limiting in `src/auth.ts:42`\n', { 'src/auth.ts': SHIPPED })).toEqual([
    '1 stub src/auth.ts:3',
    '1 local-host src/auth.ts:5',
    '1 placeholder-value src/auth.ts:6',
    '1 stub src/auth.ts:7',
    '1 stub src/auth.ts:9',
  ])
})

test('an open item may well have a stub', async () => {
  expect(await reasons('- [ ] a in src/auth.ts\n- [/] b in src/auth.ts', { 'src/auth.ts': SHIPPED })).toEqual([])
})

test('a test that mocks what it tests is a discrepancy, one that keeps the original is not', async () => {
  const mocked = "import { verifyToken } from './auth'\njest.mock('./auth')\n"
  const files = { 'src/auth.ts': 'export const a = 1\n', 'src/auth.test.ts': mocked }
  expect(await reasons('- [x] auth in src/auth.ts', files)).toEqual(['1 mocked-test src/auth.test.ts:2'])
  const kept = "vi.mock('./auth', async (importOriginal) => ({ ...(await importOriginal()) }))\nvi.mock('./mail')\n"
  expect(await reasons('- [x] auth in src/auth.ts', { ...files, 'src/auth.test.ts': kept })).toEqual([])
})

describe('ordinary code raises nothing:', () => {
  test.each<[string, string, string]>([
    ['a note about something else', 'src/a.ts', '// TODO: drop Node 20 in May\n'],
    [
      'a default that the environment overrides',
      'src/a.ts',
      "const BASE_URL = process.env.BASE_URL ?? 'http://localhost:3000'\n",
    ],
    ['a local host in a set-up file', 'vite.config.ts', "const baseUrl = 'http://localhost:3000'\n"],
    ['a question without an argument', 'src/a.ts', 'isLeaf() { return true }\n'],
    ['a parameter named as unused', 'src/a.ts', 'function isAllowed(_user: User) { return true }\n'],
    ['an abstract method', 'src/a.py', '    @abstractmethod\n    def run(self):\n        raise NotImplementedError\n'],
    ['a body with more in it', 'src/a.ts', 'function isOld(age: number) { if (age < 3) return false; return true }\n'],
    ['a string about keys', 'src/a.ts', "const message = 'your-api-key is missing'\n"],
    ['an error that says so at run time', 'src/a.ts', "throw new Error('this codec is not supported')\n"],
  ])('%s', async (_, path, code) => {
    expect(await reasons(`- [x] Parse the header in ${path}`, { [path]: code })).toEqual([])
  })
})

const [item] = parseChecklist('- ✅ it works')
const failed: ItemRecord = {
  itemId: item?.id ?? '',
  section: 'General',
  text: 'it works',
  status: 'verified',
  by: 'cli',
  at: '2026-01-01T00:00:00.000Z',
  run: { command: 'npm test', ok: false, exitStatus: 1, output: '', at: '2026-01-01T00:00:00.000Z', durationMs: 1 },
}

test('the last verification counts: failed, passed, or none', async () => {
  const passed: ItemRecord = {
    ...failed,
    run: { command: 'npm test', ok: true, exitStatus: 0, output: '', at: '', durationMs: 1 },
  }
  expect(await reasons('- ✅ it works', {}, [passed, failed])).toEqual(['1 verification-failed npm test'])
  expect(await reasons('- ✅ it works', {}, [failed, passed])).toEqual([])
  expect(await reasons('- ✅ it works', {})).toEqual(['1 no-evidence line 1'])
})

test('a path that leads out of the project is not read', async () => {
  const asked: string[] = []
  await check(
    '- [x] see ../../etc/secret.py and a/../../b.py\n',
    {},
    {
      inspector: {
        ...inspector,
        inspect: async (_root, paths) => {
          asked.push(...paths)
          return []
        },
      },
    },
  )
  expect(asked).toEqual([])
})

test('a named file that does not exist is a discrepancy, one that was removed is not', async () => {
  const files = { 'src/b.ts': 'export const b = 1\n' }
  expect(await reasons('- [x] Parser in src/parser.ts', files)).toEqual(['1 missing-file src/parser.ts'])
  expect(await reasons('- [x] Remove the old parser src/parser.ts', files)).toEqual([])
  expect(await reasons('- [x] Port it to Node.js', files)).toEqual([])
})

test('an item leads to code by its body, by a registered entity, and by what its session edited', async () => {
  const files = {
    'src/pay.ts': 'export function chargeCard(card: Card): boolean { throw new Error("not implemented") }\n',
  }
  expect(await reasons('- [x] Payments\n  - all in `src/pay.ts`\n', files)).toEqual(['1 stub src/pay.ts:1'])
  const [item] = parseChecklist('- [x] Finish what Zorro asked for')
  const text = '- [x] Finish what Zorro asked for'
  expect((await check(text, files)).discrepancies).toEqual([])
  const byEntity = await check('- [x] Billing uses `Zorro`', files, {
    entities: [{ name: 'Zorro', file: 'src/pay.ts' }],
  })
  expect(byEntity.discrepancies.map(({ where }) => where)).toEqual(['src/pay.ts:1'])
  const byEdit = await check(text, files, { editedFor: (id) => (id === item?.id ? ['src/pay.ts'] : []) })
  expect(byEdit.discrepancies.map(({ where }) => where)).toEqual(['src/pay.ts:1'])
})

test('what was not looked at is reported with the reason', async () => {
  const files = {
    'src/big.ts': `// ${'x'.repeat(600_000)}\n`,
    'app/main.kt': 'fun main() = TODO()\n',
    'src/broken.py': 'def f(:\n    return (\n',
  }
  const list =
    '- [x] Big table in src/big.ts\n- [x] Start in app/main.kt\n- [x] Loader in src/broken.py\n- [x] Zanzibar\n- [ ] Open\n'
  expect((await check(list, files)).notLookedAt.map(({ text, because }) => `${text}: ${because}`)).toEqual([
    'Big table in src/big.ts: src/big.ts: it has 600004 bytes, the limit is 524288',
    'Big table in src/big.ts: no code was found for it',
    'Start in app/main.kt: app/main.kt: its language is not supported',
    'Start in app/main.kt: no code was found for it',
    'Loader in src/broken.py: src/broken.py: a part of it could not be parsed',
    'Zanzibar: no code was found for it',
  ])
})

test('of a folder with many files it is said how many were looked at, and which were not', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 18 }, (_, n) => [`src/jobs/j${n + 10}.ts`, `export const j${n} = ${n}\n`]),
  )
  const { notLookedAt } = await check('- [x] Everything in `src/jobs/`\n', files)
  expect(notLookedAt.map(({ because }) => because)).toContain(
    '16 files that fit this item were looked at, 2 were not: src/jobs/j26.ts, src/jobs/j27.ts',
  )
})

test('a file that was found by the words of an item is reported too when it cannot be looked at', async () => {
  const files = { 'src/rate-limiter.ts': `// ${'x'.repeat(600_000)}\n` }
  const { notLookedAt } = await check('- [x] Write the rate limiter\n', files)
  expect(notLookedAt.map(({ because }) => because)).toContain(
    'src/rate-limiter.ts: it has 600004 bytes, the limit is 524288',
  )
})

test('the thirtieth item is looked at like the first', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `src/part${n}.ts`,
      n === 59
        ? 'export function run59(x: string): boolean { throw new Error("TODO") }\n'
        : `export function run${n}(x: string) { return x.trim() }\n`,
    ]),
  )
  const list = Array.from({ length: 60 }, (_, n) => `- [x] Part ${n} in src/part${n}.ts`).join('\n')
  expect(await reasons(list, files)).toEqual(['60 stub src/part59.ts:1'])
})
