import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readManifest } from '../../harness/manifest.ts'
import { getSetup } from '../../harness/setups.ts'
import { createContext } from '../context.ts'
import { checkHarness, type DoctorContinuity } from '../doctor-harness.ts'
import { runCli } from '../run.ts'
import { setupWorldOf } from '../setup-world.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const entry = process.argv[1]
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hf-several-'))
  // The command line finds the rest of its package beside this; one without a build runs no hook in a test.
  mkdirSync(join(root, 'package', 'bin'), { recursive: true })
  process.argv[1] = join(root, 'package', 'bin', 'holdfast')
  writeFileSync(process.argv[1], '')
  symlinkSync(join(repository, 'skills'), join(root, 'package', 'skills'))
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  rmSync(root, { recursive: true, force: true })
})

function surroundings() {
  const told = { out: '', err: '' }
  const io = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    stdin: process.stdin,
    isInteractive: false,
    hasColor: false,
  }
  return { told, given: { env: { HOME: root, PATH: '' }, cwd: root, io } }
}

async function holdfast(...words: readonly string[]) {
  const { told, given } = surroundings()
  return { exitCode: await runCli(words, given), ...told }
}

test('of several harnesses, one whose settings cannot be edited does not keep the others connected', async () => {
  const settings = join(root, '.claude', 'settings.json')
  expect(await holdfast('init', '--harness', 'claude-code', '--harness', 'codex', '--yes')).toMatchObject({
    exitCode: 0,
  })
  writeFileSync(settings, '{ broken')
  const { exitCode, out, err } = await holdfast('uninstall', '--all', '--yes', '--json')
  expect({ exitCode, err }).toEqual({
    exitCode: 1,
    err: expect.stringMatching(/^Claude Code is still connected: .*settings\.json is not a JSON object/),
  })
  expect(JSON.parse(out)).toMatchObject({
    harnesses: [
      { harness: 'claude-code', isChanged: false, error: { code: 'settings-unreadable' } },
      { harness: 'codex', isChanged: true },
    ],
  })
  const { home } = createContext(surroundings().given)
  expect(readManifest(home).map(({ harness }) => harness)).toEqual(['claude-code'])
  expect(readdirSync(root)).not.toContain('.codex')
})

test('of two pages, doctor says of each what its own harness told', async () => {
  const guide = readFileSync(join(repository, 'docs', 'generic-harness.md'), 'utf8')
  const typist = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  for (const page of [typist, typist.replaceAll('typist', 'scribe').replace('Typist', 'Scribe')]) {
    writeFileSync(join(root, 'page.json'), page)
    expect(await holdfast('init', '--config', 'page.json', '--yes')).toMatchObject({ exitCode: 0 })
  }
  const hook = 'typist.session-started.Boot'
  const continuity: DoctorContinuity = {
    sightings: async () => [{ harness: 'generic', harnessVersion: 'unknown', hook, count: 3, lastSeenAt: '' }],
    listSessions: async () => [],
    explain: () => Promise.reject(new Error('There is no session to ask about.')),
  }
  const context = createContext(surroundings().given)
  const world = setupWorldOf(context)
  const seen = []
  for (const record of readManifest(context.home)) {
    const checks = await checkHarness(context, { setup: getSetup('generic'), world, record, continuity })
    seen.push(...checks.filter(({ subject }) => subject.endsWith('events')))
  }
  expect(seen).toEqual([
    { subject: 'generic typist events', verdict: 'ok', detail: `version unknown: ${hook} 3` },
    {
      subject: 'generic scribe events',
      verdict: 'warn',
      detail: 'none seen yet',
      advice: 'Start a session of Scribe, then look again.',
    },
  ])
})
