import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const holdfast = join(import.meta.dirname, '../bin/holdfast')

// A loaded machine may need many of the demo's prompts until one is answered in time.
test('the demo recovers what was asked and failing, gives the settings back and leaves nothing behind', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'holdfast-demo-test-'))
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, [holdfast, 'demo', '--json'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, TMPDIR: scratch, HOLDFAST_HOME: join(scratch, 'never-touched') },
    })
    expect({ status, stderr, failure: status === 0 ? '' : stdout }).toEqual({ status: 0, stderr: '', failure: '' })
    const { recovery, isSettingsRestored } = JSON.parse(stdout)
    expect(recovery.text).toContain('## Session Recovery Context')
    expect(recovery.text).toContain('slugify keeps accents')
    expect(recovery.text).toContain('src/slugify.mjs')
    expect(recovery.text.length).toBeLessThanOrEqual(2_000)
    expect(recovery.checkpoints).toMatchObject([{ trigger: 'interrupted' }])
    expect(recovery.reasons.length).toBeGreaterThan(3)
    expect(isSettingsRestored).toBe(true)
    expect(readdirSync(scratch)).toEqual([])
  } finally {
    rmSync(scratch, { recursive: true })
  }
}, 90_000)
