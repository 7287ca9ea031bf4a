import { describe, expect, test } from 'vitest'
import type { ItemRecord } from '../../../kernel/checklist.ts'
import { findDiscrepancies } from './discrepancies.ts'
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

async function reasons(
  checklist: string,
  files: Readonly<Record<string, string>>,
  evidence: readonly ItemRecord[] = [],
): Promise<readonly string[]> {
  const found = await findDiscrepancies({
    root: '/p',
    items: parseChecklist(checklist),
    evidence,
    files: { readText: async (path) => files[path.slice('/p/'.length)] },
  })
  return found.map(({ line, reason, where }) => `${line} ${reason} ${where}`)
}

test('a ticked item whose file is a stub is a discrepancy, line by line', async () => {
  expect(await reasons('- [x] Rate limiting in `src/auth.ts:42`\n', { 'src/auth.ts': SHIPPED })).toEqual([
    '1 stub src/auth.ts:3',
    '1 local-host src/auth.ts:5',
    '1 placeholder-value src/auth.ts:6',
    '1 stub src/auth.ts:7',
    '1 stub src/auth.ts:8',
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
  await findDiscrepancies({
    root: '/p',
    items: parseChecklist('- [x] see ../../etc/secret.py and a/../../b.py\n'),
    evidence: [],
    files: {
      readText: async (path) => {
        asked.push(path)
        return undefined
      },
    },
  })
  expect(asked.filter((path) => !path.startsWith('/p/'))).toEqual([])
})
