import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'

/** What a session from before Holdfast did: asked, wrote a file, saw a check fail, said where it stands. */
export interface PastWork {
  readonly key: string
  readonly project: string
  /** When it began. */
  readonly at: Date
  readonly goal: string
  readonly file: string
  readonly failure: string
  readonly lastWords: string
}

const CHECK = 'npm test -- parser'
/** Of the files: long enough that nobody is taken to be writing to them. */
const UNTOUCHED_MS = 3_600_000

function at(work: PastWork, second: number): string {
  return new Date(work.at.getTime() + second * 1_000).toISOString()
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  const then = new Date(Date.now() - UNTOUCHED_MS)
  utimesSync(path, then, then)
}

function lines(records: readonly object[]): string {
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
}

/** As Claude Code 2.1.325 has it under its configuration folder; the failing check as often as `checks` says. */
export function inClaudeCode(configDir: string, work: PastWork, checks = 1): void {
  const record = (second: number, role: 'user' | 'assistant', content: unknown, more: object = {}) => ({
    type: role,
    uuid: `${work.key}-${second}`,
    sessionId: work.key,
    cwd: work.project,
    version: '2.1.325',
    gitBranch: 'main',
    isSidechain: false,
    timestamp: at(work, second),
    message: { ...(role === 'assistant' && { id: `msg_${work.key}_${second}` }), role, content },
    ...more,
  })
  const call = (id: string, name: string, input: object) => [{ type: 'tool_use', id, name, input }]
  const result = (id: string, content: string, isError = false) => [
    { type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) },
  ]
  const filePath = join(work.project, work.file)
  const written = `toolu_${work.key}_write`
  const checked = Array.from({ length: checks }, (_, index) => {
    const id = `toolu_${work.key}_check${index}`
    const error = `Exit code 1\n${work.failure}`
    return [
      record(3 + 2 * index, 'assistant', call(id, 'Bash', { command: checks === 1 ? CHECK : `${CHECK}${index}` })),
      record(4 + 2 * index, 'user', result(id, error, true), { toolUseResult: `Error: ${error}` }),
    ]
  })
  const records = [
    record(0, 'user', work.goal),
    record(1, 'assistant', call(written, 'Write', { file_path: filePath, content: 'export {}\n' })),
    record(2, 'user', result(written, 'File created successfully'), { toolUseResult: { type: 'create', filePath } }),
    ...checked.flat(),
    record(5 + 2 * checks, 'assistant', [{ type: 'text', text: work.lastWords }]),
  ]
  put(join(configDir, 'projects', '-project', `${work.key}.jsonl`), lines(records))
}

/** As Codex 0.166.0 has it under its home. */
export function inCodex(codexHome: string, work: PastWork): void {
  const line = (second: number, type: string, payload: object) => ({ timestamp: at(work, second), type, payload })
  const patch = `*** Begin Patch\n*** Add File: ${work.file}\n+export {}\n*** End Patch`
  const message = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] })
  const records = [
    line(0, 'session_meta', { id: work.key, timestamp: at(work, 0), cwd: work.project, cli_version: '0.166.0' }),
    line(1, 'response_item', message('user', 'input_text', work.goal)),
    line(1, 'event_msg', {
      type: 'item_completed',
      thread_id: work.key,
      item: { type: 'UserMessage', id: `${work.key}-prompt`, content: [{ type: 'text', text: work.goal }] },
    }),
    line(2, 'response_item', { type: 'custom_tool_call', call_id: 'call_patch', name: 'apply_patch', input: patch }),
    line(2, 'response_item', {
      type: 'custom_tool_call_output',
      call_id: 'call_patch',
      output: `Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA ${work.file}\n`,
    }),
    line(3, 'response_item', {
      type: 'function_call',
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: CHECK }),
      call_id: 'call_check',
    }),
    line(4, 'response_item', {
      type: 'function_call_output',
      call_id: 'call_check',
      output: `Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n${work.failure}\n`,
    }),
    line(5, 'response_item', message('assistant', 'output_text', work.lastWords)),
    line(5, 'event_msg', { type: 'task_complete', turn_id: 't', last_agent_message: work.lastWords }),
  ]
  put(join(codexHome, 'sessions', '2026', '01', '01', `rollout-${work.key}.jsonl`), lines(records))
}

/** As Gemini CLI 0.61.0 has it under its folder, which alone says what the project is. */
export function inGeminiCli(geminiDir: string, work: PastWork): void {
  const call = (second: number, name: string, args: object, said: string, status = 'success') => ({
    id: `${work.key}-${second}`,
    timestamp: at(work, second),
    type: 'gemini',
    content: '',
    toolCalls: [
      {
        id: `${name}-${work.key}`,
        name,
        args,
        result: [{ functionResponse: { id: `${name}-${work.key}`, name, response: { output: said } } }],
        status,
        timestamp: at(work, second),
        resultDisplay: said,
      },
    ],
  })
  const failed = `Output: ${work.failure}\nExit Code: 1`
  const records = [
    { sessionId: work.key, projectHash: 'x', startTime: at(work, 0), lastUpdated: at(work, 0), kind: 'main' },
    { id: `${work.key}-0`, timestamp: at(work, 0), type: 'user', content: [{ text: work.goal }] },
    call(1, 'write_file', { file_path: join(work.project, work.file), content: 'export {}\n' }, 'Created the file.'),
    call(2, 'run_shell_command', { command: CHECK }, failed),
    { id: `${work.key}-3`, timestamp: at(work, 3), type: 'gemini', content: work.lastWords },
  ]
  const folder = join(geminiDir, 'tmp', work.key)
  put(join(folder, '.project_root'), work.project)
  put(join(folder, 'chats', `session-${work.key}.jsonl`), lines(records))
}

/** As OpenCode 1.18.33 has it in its database. */
export function inOpenCode(dataHome: string, work: PastWork): void {
  const file = join(dataHome, 'opencode', 'opencode.db')
  put(file, '')
  const database = openDatabase(file)
  database.exec(`
    create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
    create table message (id text, session_id text, time_created int, data text);
    create table part (id text, message_id text, data text)`)
  const then = (second: number) => Date.parse(at(work, second))
  database
    .prepare('insert into session values (?, null, ?, ?, ?, ?)')
    .run(work.key, work.project, '1.18.33', then(0), then(9))
  const message = (second: number, role: string, parts: readonly object[]) => {
    const id = `msg_${work.key}_${second}`
    const data = JSON.stringify({ role, time: { created: then(second) } })
    database.prepare('insert into message values (?, ?, ?, ?)').run(id, work.key, then(second), data)
    for (const [index, part] of parts.entries())
      database.prepare('insert into part values (?, ?, ?)').run(`prt_${id}_${index}`, id, JSON.stringify(part))
  }
  const tool = (name: string, input: object, output: string, exit?: number) => ({
    type: 'tool',
    tool: name,
    callID: `call_${name}`,
    state: { status: 'completed', input, output, metadata: exit === undefined ? {} : { exit } },
  })
  message(0, 'user', [{ type: 'text', text: work.goal }])
  message(1, 'assistant', [
    tool('write', { filePath: join(work.project, work.file), content: 'export {}\n' }, 'Wrote the file.'),
    tool('bash', { command: CHECK }, work.failure, 1),
    { type: 'text', text: work.lastWords },
  ])
  database.close()
}
