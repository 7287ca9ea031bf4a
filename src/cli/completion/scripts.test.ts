import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS, FAMILIES } from '../command-table.ts'
import { describeProgram } from '../run.ts'
import { type Shell, SHELLS, writeCompletion } from './scripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-completion-'))
const file = (shell: Shell) => join(folder, `holdfast.${shell}`)

beforeAll(async () => {
  const program = await describeProgram()
  for (const shell of SHELLS) writeFileSync(file(shell), writeCompletion(shell, program))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What each shell offers after these words; an empty last word is one that was not begun. */
const ask: Readonly<Record<Shell, (words: readonly string[]) => ReturnType<typeof spawnSync>>> = {
  bash: (words) => {
    const code = `source "$0"; COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['--norc', '-c', code, file('bash'), ...words], { encoding: 'utf8' })
  },
  // The functions of the completion system are replaced by ones that print what they were given.
  zsh: (words) => {
    const code = `
      compdef() { : }
      _files() { : }
      _describe() { local list="\${@[-1]}"; print -rl -- "\${(@)\${(@P)list}//\\\\:*/}" | sed 's/:.*//' }
      compadd() { shift; print -rl -- "$@" }
      source "$0"; words=(holdfast "$@"); CURRENT=$(($# + 1)); PREFIX="\${@[-1]}"; _holdfast`
    return spawnSync('zsh', ['-f', '-c', code, file('zsh'), ...words], { encoding: 'utf8' })
  },
  fish: (words) => {
    const line = ['holdfast', ...words].join(' ')
    const code = `source ${file('fish')}; complete -C "${line}"`
    return spawnSync('fish', ['--no-config', '-c', code], { encoding: 'utf8', env: { ...process.env, HOME: folder } })
  },
}

function offered(shell: Shell, ...words: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = ask[shell](words)
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
  const last = words.at(-1) ?? ''
  const found = String(stdout)
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
  return found.filter((word) => word !== '' && word.startsWith(last))
}

const firstWords = new Set([
  ...Object.keys(FAMILIES),
  ...COMMANDS.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name.split(' ')[0] ?? ''),
])

describe.each(SHELLS)('%s', (shell) => {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined
  if (isMissing) console.error(`NOT RUN: the completion of ${shell}, which is not installed here.`)

  test.skipIf(isMissing)('completes commands, options and values that are a list', () => {
    const first = offered(shell, '').filter((word) => !word.startsWith('-'))
    expect(new Set(first)).toEqual(firstWords)
    expect(offered(shell, 'sess')).toEqual(['sessions'])
    expect(offered(shell, 'sessions', 'ren')).toEqual(['rename'])
    expect(offered(shell, 'sessions', '--arch')).toEqual(['--archived'])
    expect(offered(shell, 'sessions', 'show', '--har')).toEqual(['--harness'])
    expect(offered(shell, 'init', '--harness', 'cod')).toEqual(['codex'])
    expect(offered(shell, 'init', '--scope', '')).toEqual(['user', 'project', 'local'])
    expect(offered(shell, 'init', '--with', 'sk')).toEqual(['skills'])
    expect(offered(shell, 'memories', 'list', '--scope', 't')).toEqual(['team'])
    expect(offered(shell, 'remember', '--type', 'dec')).toEqual(['decision'])
    expect(offered(shell, 'sessions', 'show', '--nothing-like-it')).toEqual([])
  })
})
