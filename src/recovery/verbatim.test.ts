import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../test/support/checkpoints.ts'
import type { WorkSummary, AgentNote } from '../kernel/checkpoint.ts'
import { composeDigest } from '../named-checkpoint/save-input.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import { type SessionState } from '../kernel/ports/runtime.ts'
import { toUncheckedView } from './revalidate/revalidate.ts'
import { composeRecovery } from './compose.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const note: AgentNote = {
  summary: 'intent:  keep `a  b`\n\tsentinel 7f3a91\n\nsha256:9f86d081',
  nextAction: 'Run `git  diff`',
  decisions: [{ decision: 'ACCEPTED: two  spaces', rationale: 'they matter', alternatives: ['one'] }],
  blockers: ['the  fixture server'],
  order: 5,
}

function render(work: Partial<WorkSummary>, written: AgentNote | undefined, more: { state?: SessionState } = {}) {
  const view = mergeCheckpoints([aCheckpointOf(work, written === undefined ? {} : { written })])
  const checked = toUncheckedView({ ...view, ...(more.state === undefined ? {} : { sessionState: more.state }) })
  return (budgetChars: number, pointer?: string) =>
    composeRecovery(checked, { budgetChars, sha256, ...(pointer === undefined ? {} : { pointer }) }).text
}

const inside = (text: string) => text.split('\n').slice(3, -1)

describe('what was written down', () => {
  test('comes back byte for byte, once, before everything that was seen', () => {
    const work = {
      asks: [{ text: 'Keep blank lines as separators, please.', at: '', order: 1 }],
      decisions: [{ decision: 'ACCEPTED: two spaces', evidence: 'observed' as const, lastOrder: 5 }],
      blockers: ['the fixture server'],
      lastOrder: 6,
    }
    expect(inside(render(work, note)(2_000))).toEqual([
      '| Noted by the agent:',
      '|   intent:  keep `a  b`',
      '|   \tsentinel 7f3a91',
      '|   ',
      '|   sha256:9f86d081',
      '| Next: Run `git  diff`',
      '| Decided: ACCEPTED: two  spaces because they matter (instead of: one)',
      '| Blocked by: the  fixture server',
      '| User: "Keep blank lines as separators, please."',
    ])
  })

  test('is not mentioned if nothing was said when the checkpoint was saved', () => {
    const { summary } = composeDigest({}, { name: 'parser' })
    const empty = { summary, name: 'parser', decisions: [], blockers: [], author: 'user' as const, order: 5 }
    const asks = [{ text: 'Keep blank lines as separators, please.', at: '', order: 1 }]
    expect(render({ asks, lastOrder: 6 }, empty)(2_000)).not.toMatch(/Noted by|Saved checkpoint/)
    const blocked = render({ asks, lastOrder: 6 }, { ...empty, blockers: ['the fixture server'] })(2_000)
    expect(blocked).toContain('| Blocked by: the fixture server')
    expect(blocked).not.toMatch(/Noted by|Saved checkpoint/)
  })

  test('says so when the user has asked for something else since', () => {
    const asks = [{ text: 'Now write the printer instead, please.', at: '', order: 6 }]
    const text = render({ asks, lastOrder: 7 }, { ...note, summary: 'The lexer is done.' })(2_000)
    expect(text).toContain('| Noted by the agent, before the last request: The lexer is done.')
    expect(text).toContain('| Next, as it was then: Run `git  diff`')
  })

  test('takes half of the room at most once the user has asked for something else', () => {
    const long = { ...note, summary: `The lexer is done. ${'It took a while. '.repeat(60)}` }
    const asks = [{ text: 'Now write the printer instead, please.', at: '', order: 6 }]
    expect(render({}, long)(2_000)).toContain(`| Noted by the agent: ${long.summary}`)
    expect(render({ asks, lastOrder: 7 }, long)(2_000)).not.toContain(long.summary)
  })

  test('fits or is cut like everything else: never half of it as if it were whole', () => {
    const long: AgentNote = { summary: 'It goes on and on. '.repeat(200), decisions: [], blockers: [], order: 1 }
    const text = render({}, long)(2_000, 'More: somewhere')
    const [cut, last] = inside(text)
    expect([cut?.startsWith('| Noted by the agent: It goes on and on. It'), last]).toEqual([true, '| More: somewhere'])
    expect(cut?.length).toBeLessThan(1_000)
  })

  test('SESSION-STATE.md stands beside it, the newer first', () => {
    const state = (modifiedAt: string) => ({ state: { text: 'state  now', modifiedAt } })
    const short: AgentNote = { summary: 'note', decisions: [], blockers: [], order: 1 }
    const newer = inside(render({}, short, state('2027-01-01T00:00:00.000Z'))(2_000))
    const older = inside(render({}, short, state('2020-01-01T00:00:00.000Z'))(2_000))
    expect([newer, older]).toEqual([
      ['| SESSION-STATE.md: state  now', '| Noted by the agent: note'],
      ['| Noted by the agent: note', '| SESSION-STATE.md: state  now'],
    ])
  })

  test('the beginning of a long SESSION-STATE.md is rendered, beside a note that fits', () => {
    const state = { text: `# State\n\n${'It goes on and on. '.repeat(200)}`, modifiedAt: '2027-01-01T00:00:00.000Z' }
    const short: AgentNote = { summary: 'a  note', decisions: [], blockers: [], order: 1 }
    const [first, second] = inside(render({}, short, { state })(2_000))
    expect(second).toBe('| Noted by the agent: a  note')
    expect(first).toMatch(/^\| SESSION-STATE\.md begins: # State It goes on and on\. It /)
    expect(inside(render({}, undefined, { state })(2_000)).join('\n')).toContain('SESSION-STATE.md begins: # State It')
  })

  test('every field that fits comes back, whatever its text', () => {
    const field = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => text.trim() !== '')
    fc.assert(
      fc.property(fc.tuple(field, field, field), ([summary, nextAction, decision]) => {
        const text = render({}, { summary, nextAction, decisions: [{ decision }], blockers: [], order: 1 })(2_000)
        const back = text.split('\n').flatMap((line) => {
          const [, label, json, plain] =
            /^\| (Noted by the agent|Next|Decided)(?: \(as JSON\))?: (?:(".*")|(.*))$/.exec(line) ?? []
          if (label === undefined) return []
          return line.includes(' (as JSON): ') ? [JSON.parse(json ?? '""')] : [json ?? plain ?? '']
        })
        expect(back).toEqual([summary, nextAction, decision])
      }),
      { numRuns: 300 },
    )
  })
})

describe('the pointer to the rest', () => {
  const files = Array.from({ length: 60 }, (_, index) => ({
    path: `src/a-rather-long-name-of-a-folder/file-${index}.ts`,
    action: 'edited' as const,
    reads: 0,
    edits: 2,
    lastOrder: index,
  }))

  test('ends a block that left something out, within the budget', () => {
    const text = render({ files, lastOrder: 60 }, undefined)(2_000, 'More: there')
    expect([text.split('\n').at(-2), text.length <= 2_000]).toEqual(['| More: there', true])
  })

  test('is not there because a note or another line says already what is not said again', () => {
    const summary = 'Peek first.'
    const work = {
      asks: [{ text: 'Make peekToken fast in every lexer we have.', at: '', order: 1 }],
      blockers: ['the fixture server'],
      lastOrder: 6,
    }
    const text = render(work, { ...note, summary, decisions: [] })(2_000, 'More: there')
    expect(text).toContain('peekToken')
    expect(text).not.toContain('More: there')
  })

  test('is not there when nothing was left out', () => {
    expect(render({ files: files.slice(-2), lastOrder: 60 }, undefined)(2_000, 'More: there')).not.toContain('More')
  })
})
