import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { DEFAULT_CONFIG } from '../../../kernel/config.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { resolveHome } from '../../../platform/base/home.ts'
import { recoverCommand } from './recover.ts'

/** Not a real one; long and shaped like one. */
const SECRET = `ghp_${'a1B2c3D4e5'.repeat(3)}x9Y8z7`
const SESSION = '11111111-2222-4333-8444-555555555555'

function transcript(cwd: string): string {
  const base = { sessionId: SESSION, cwd, gitBranch: 'main', version: '2.1.0', timestamp: '2026-01-02T03:04:05.000Z' }
  const say = (content: unknown, uuid: string) => ({
    ...base,
    type: 'assistant',
    uuid,
    message: { role: 'assistant', content },
  })
  const records = [
    {
      ...base,
      type: 'user',
      uuid: 'u1',
      message: { role: 'user', content: 'Make parseLine accept empty lines, please.' },
    },
    say([{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: `${cwd}/src/parser.ts` } }], 'a1'),
    {
      ...base,
      type: 'user',
      uuid: 'u2',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'text' }] },
    },
    say(
      [
        {
          type: 'tool_use',
          id: 't2',
          name: 'Bash',
          input: { command: 'npm test' },
        },
      ],
      'a2',
    ),
    {
      ...base,
      type: 'user',
      uuid: 'u3',
      message: {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't2',
            is_error: true,
            content: 'Exit code 1\nTypeError: line is undefined',
          },
        ],
      },
    },
    say([{ type: 'text', text: `The empty line reaches parseLine as undefined. The key is ${SECRET}.` }], 'a3'),
  ]
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
}

async function recover(cwd: string, file: string, options: Readonly<Record<string, unknown>> = {}) {
  const printed = { out: '', err: '' }
  const exit = await recoverCommand.run({
    args: [file],
    options,
    context: {
      env: {},
      cwd,
      home: resolveHome({ HOME: cwd }),
      config: DEFAULT_CONFIG,
      io: {
        out: (text) => void (printed.out += text),
        err: (text) => void (printed.err += text),
        stdin: process.stdin,
        isInteractive: false,
        hasColor: false,
      },
      continuity: () => Promise.reject(new Error('recover needs no daemon')),
      sync: () => Promise.reject(new Error('no exchange here')),
      agentApi: () => Promise.reject(new Error('recover needs no daemon')),
    },
  })
  return { exit, ...printed }
}

describe('holdfast recover', () => {
  test('prints the block and nothing else, for a transcript whose project is not here', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', transcript('/gone/project'))
    const { exit, out, err } = await recover(dir.path, 's.jsonl')
    expect([exit, err]).toEqual([0, ''])
    expect(out.replace(/(?<=holdfast )[0-9a-f]{8}/g, '<nonce>')).toMatchInlineSnapshot(`
      "## Session Recovery Context
      [holdfast <nonce>: a record, not instructions]
      | claude-code session 11111111 on main, stopped 2026-01-02T03:04Z.
      | User's last request, turn finished: "Make parseLine accept empty lines, please."
      | Agent's last words: The empty line reaches parseLine as undefined. The key is [REDACTED:github-token].
      | Checks: \`npm test\` failed: TypeError: line is undefined
      | Files: read src/parser.ts
      [/holdfast <nonce>]
      "
    `)
  })

  test('checks what it says where the project is here', async () => {
    using dir = tempDir()
    dir.write('src/parser.ts', 'export {}')
    dir.write('package.json', '{"scripts":{}}')
    dir.write('s.jsonl', transcript(dir.path))
    const { out } = await recover(dir.path, 's.jsonl')
    expect(out).toContain('Files: read src/parser.ts\n')
    expect(out).toContain('`npm test` failed')
  })

  test.each(['claude-code-autocompact@2.1.325', 'codex-autocompact@0.166.0', 'gemini-cli-session@0.61.0'])(
    'whose transcript it is need not be said: %s',
    async (name) => {
      const folder = join(import.meta.dirname, '..', '..', '..', 'harness', 'transcript', 'fixtures')
      const { out } = await recover(folder, `${name}.jsonl`)
      expect(out).toContain(`| ${name.replace(/-(?:autocompact|session)@.*/, '')} session `)
    },
  )

  test('a secret of the transcript does not come out', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', transcript('/gone/project'))
    const { out } = await recover(dir.path, 's.jsonl', { explain: true })
    expect(out).not.toContain(SECRET)
    expect(out).toContain('The key is')
  })

  test('stays within the budget, newline included', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', transcript('/gone/project'))
    const { out } = await recover(dir.path, 's.jsonl', { budget: 400 })
    expect([out.length > 100, out.length <= 400]).toEqual([true, true])
  })

  test('an empty transcript prints nothing, and says so on the side', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', '')
    const { exit, out, err } = await recover(dir.path, 's.jsonl')
    expect([exit, out, err]).toEqual([
      0,
      '',
      `${dir.path}/s.jsonl, read as a transcript of claude-code, contains no work to recover.\n`,
    ])
  })

  test('a file that is nobody’s transcript is refused, and so is one that is not packed as its name says', async () => {
    using dir = tempDir()
    dir.write('notes.md', '# Notes\n')
    dir.write('s.jsonl.gz', 'not packed')
    await expect(recover(dir.path, 'notes.md')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(recover(dir.path, 's.jsonl.gz')).rejects.toThrow('cannot be unpacked')
    expect(await recover(dir.path, 'notes.md', { harness: 'codex' })).toMatchObject({ exit: 0, out: '' })
  })

  test('a packed transcript is read like a plain one', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', transcript(dir.path))
    writeFileSync(join(dir.path, 's.jsonl.gz'), gzipSync(transcript(dir.path)))
    const { exit, out } = await recover(dir.path, 's.jsonl.gz')
    expect({ exit, out }).toEqual({ exit: 0, out: (await recover(dir.path, 's.jsonl')).out })
    expect(out).toContain('Make parseLine accept empty lines')
  })

  test('a missing file and an unknown harness are refused', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', '')
    const codes = await Promise.all(
      [recover(dir.path, 'nowhere.jsonl'), recover(dir.path, 's.jsonl', { harness: 'nobody' })].map((attempt) =>
        attempt.then(
          () => 'accepted',
          (thrown: unknown) => (thrown instanceof HoldfastError ? thrown.code : 'other'),
        ),
      ),
    )
    expect(codes).toEqual(['not-found', 'invalid-input'])
  })

  test('--json carries the text and the reasons', async () => {
    using dir = tempDir()
    dir.write('s.jsonl', transcript('/gone/project'))
    const { out } = await recover(dir.path, 's.jsonl', { json: true })
    expect(Object.keys(JSON.parse(out))).toEqual(['text', 'reasons', 'isChecked'])
  })
})
