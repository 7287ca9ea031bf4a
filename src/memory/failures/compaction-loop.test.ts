import { describe, expect, test } from 'vitest'
import { aBench, type Bench, here, start, told } from '../../../test/support/continuity-setup.ts'
import { anEvent } from '../../../test/support/events.ts'
import { aboutTo, edit, ERROR, run, shell } from '../../../test/support/failing-commands.ts'
import { sha256 } from '../../../test/support/fake-ports.ts'

describe('a session that loops', () => {
  test('is warned once, before it runs the same command again', async () => {
    await using bench = await aBench()
    await bench.continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
    await run(bench, 'npm run build', 2)
    await run(bench, 'npm run build', 2)
    expect(await aboutTo(bench, 'npm run build', here)).toBe('')
    await run(bench, 'npm run build', 2)
    const said = await aboutTo(bench, 'npm run build', here)
    expect(said).toContain('## The same thing keeps failing the same way')
    expect(said).toContain(
      `| \`npm run build\` failed 3 times in a row in this session with nothing edited in between (exit 2): ${ERROR}. Events 2, 3, 5.`,
    )
    await run(bench, 'npm run build', 2)
    expect(await aboutTo(bench, 'npm run build', here)).toBe('')
  })

  test('is warned after the failing call when the harness accepts text there', async () => {
    await using bench = await aBench()
    await bench.continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
    const failing = () =>
      anEvent('tool-finished', {
        ...here,
        tool: shell('npm run build'),
        outcome: { ok: false, exitStatus: 2, output: ERROR },
      })
    // The recovery would go first; there is none.
    expect(await told(bench, failing())).toBe('')
    expect(await told(bench, failing())).toBe('')
    expect(await told(bench, failing())).toContain('## The same thing keeps failing the same way')
    expect(await told(bench, failing())).toBe('')
  })

  test('is not warned when switched off', async () => {
    await using bench = await aBench()
    bench.ports.config = { ...bench.ports.config, loops: { ...bench.ports.config.loops, warn: false } }
    await bench.continuity.record({ ...start('session-1', 1), at: bench.ports.time.now() })
    for (let times = 0; times < 5; times += 1) await run(bench, 'npm run build', 2)
    expect(await aboutTo(bench, 'npm run build', here)).toBe('')
  })

  async function compact(bench: Bench): Promise<string> {
    await bench.continuity.record(anEvent('compaction-started', { ...here, at: bench.ports.time.now() }))
    return told(bench, start('session-1', 1, 'compact'))
  }

  async function readAgain(bench: Bench): Promise<void> {
    const tool = { name: 'Read', kind: 'read', files: [{ path: 'src/a.ts', action: 'read' }] } as const
    const at = bench.ports.time.now()
    await bench.continuity.record(anEvent('tool-finished', { ...here, at, tool, outcome: { ok: true } }))
  }

  async function aLongSession(bench: Bench): Promise<void> {
    const at = bench.ports.time.now()
    await bench.continuity.recordAll([
      { ...start('session-1', 1), at },
      anEvent('prompt-submitted', {
        ...here,
        at,
        prompt: `Make the parser keep blank lines. ${Array.from({ length: 60 }, (_, index) => `Mind printer ${index} in hall ${index * 7}.`).join(' ')}`,
      }),
      ...Array.from({ length: 40 }, (_, index) =>
        anEvent('tool-finished', {
          ...here,
          at,
          tool: {
            name: 'Edit',
            kind: 'edit',
            files: [{ path: `src/part-${index}/module-${index}.ts`, action: 'edited' }],
          },
        }),
      ),
    ])
    await readAgain(bench)
  }

  test('through compactions gets a shorter recovery each time, and user and agent are warned', async () => {
    await using bench = await aBench()
    await aLongSession(bench)
    const first = await compact(bench)
    expect(first).not.toContain('This session loops')
    await readAgain(bench)
    const again = await compact(bench)
    expect(again).toContain('## This session loops\nThe context was compacted twice with nothing new in between')
    const getBlock = (text: string) => text.slice(text.indexOf('## Session Recovery Context'))
    expect(getBlock(again).length).toBeLessThanOrEqual(1_000)
    expect(getBlock(first).length).toBeGreaterThan(1_000)
    const [entry] = (await bench.continuity.ledger({ limit: 1 })).entries
    expect(entry).toMatchObject({ chars: again.length, textHash: sha256(again) })
    await readAgain(bench)
    expect(getBlock(await compact(bench)).length).toBeLessThanOrEqual(600)
  })

  async function aShortSession(bench: Bench, edits: number): Promise<void> {
    const at = bench.ports.time.now()
    const edited = (index: number) =>
      ({ path: `src/part-${index}/the-module-with-number-${index}.ts`, action: 'edited' }) as const
    await bench.continuity.recordAll([
      { ...start('session-1', 1), at },
      anEvent('prompt-submitted', { ...here, at, prompt: 'Make the parser keep blank lines.' }),
      ...Array.from({ length: edits }, (_, index) =>
        anEvent('tool-finished', { ...here, at, tool: { name: 'Edit', kind: 'edit', files: [edited(index)] } }),
      ),
    ])
    await readAgain(bench)
  }

  test.each([
    ['is shorter, too, where the block was short before', 12, true],
    ['is not said to be shorter where it cannot be', 1, false],
  ])('its recovery %s', async (_name, edits, isShorter) => {
    await using bench = await aBench()
    await aShortSession(bench, edits)
    const first = await compact(bench)
    expect(first.length).toBeLessThan(1_000)
    await readAgain(bench)
    const again = await compact(bench)
    const block = again.slice(again.indexOf('## Session Recovery Context'))
    expect([block.length < first.length, again.includes('shorter')]).toEqual([isShorter, isShorter])
    expect(block.length).toBeLessThanOrEqual(600)
    expect(again).toContain('This session loops')
  })

  test.each([2_000, 1_100, 999, 800, 600, 400, 300])(
    'stays within a budget of %i characters, warning included',
    async (recoveryBudgetChars) => {
      await using bench = await aBench()
      const { continuity } = bench.ports.config
      bench.ports.config = { ...bench.ports.config, continuity: { ...continuity, recoveryBudgetChars } }
      await aLongSession(bench)
      for (let round = 0; round < 4; round += 1) {
        const said = await compact(bench)
        expect(said.length).toBeLessThanOrEqual(recoveryBudgetChars)
        expect(said).toContain('## Session Recovery Context')
        if (recoveryBudgetChars >= 400) expect(said.includes('This session loops')).toBe(round > 0)
        await readAgain(bench)
      }
    },
  )

  test('only the user is warned when the agent has no room left', async () => {
    await using bench = await aBench()
    const { continuity } = bench.ports.config
    bench.ports.config = { ...bench.ports.config, continuity: { ...continuity, recoveryBudgetChars: 300 } }
    await aLongSession(bench)
    await compact(bench)
    await readAgain(bench)
    await bench.continuity.record(anEvent('compaction-started', { ...here, at: bench.ports.time.now() }))
    const event = start('session-1', 1, 'compact')
    const { session } = await bench.continuity.record(event)
    const injection = await bench.continuity.inject({ event, session, maxChars: 10_000 })
    expect(injection?.forUser).toContain('The context was compacted twice with nothing new in between')
    expect(injection?.text).not.toContain('This session loops')
  })

  test('is not warned once something new happened', async () => {
    await using bench = await aBench()
    await aLongSession(bench)
    await compact(bench)
    await readAgain(bench)
    await edit(bench, 'src/new.ts')
    expect(await compact(bench)).not.toContain('This session loops')
  })
})
