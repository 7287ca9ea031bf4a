import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS, FAMILIES, FAMILY_ALIASES } from '../command-table.ts'
import { describeProgram } from '../run.ts'
import { type Shell, SHELLS, writeCompletion } from './scripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-completion-'))
const file = (shell: Shell) => join(folder, `holdfast.${shell}`)

beforeAll(async () => {
  const program = await describeProgram()
  for (const shell of SHELLS) writeFileSync(file(shell), writeCompletion(shell, program, FAMILY_ALIASES))
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
      compset() { PREFIX="\${PREFIX#*=}" }
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

  test.skipIf(isMissing)('completes the value of --option=value, and the older names of commands', () => {
    // Bash splits at the equals sign, and fish completes the whole word.
    const typed = shell === 'bash' ? ['--harness', '=', 'cod'] : ['--harness=cod']
    const found = String(ask[shell](['init', ...typed]).stdout).split('\n')
    const wanted = shell === 'fish' ? '--harness=codex' : 'codex'
    // What stands in for zsh's functions does not filter.
    expect(
      found
        .filter((word) => shell !== 'zsh' || word.startsWith('cod'))
        .join(' ')
        .trim(),
    ).toBe(wanted)
    expect(offered(shell, 'session', 'ren')).toEqual(['rename'])
    expect(offered(shell, 'help', 'sess')).toEqual(['sessions'])
  })

  test.skipIf(isMissing)('offers no command after a word that is not one', () => {
    const commands = (...words: readonly string[]) =>
      offered(shell, ...words, '').filter((word) => firstWords.has(word))
    expect(commands('seshuns')).toEqual([])
    expect(offered(shell, 'sessions', 'shwo', 'ren')).toEqual([])
    expect(offered(shell, 'sessions', '--harness', 'codex', 'ren')).toEqual(['rename'])
  })

  test.skipIf(isMissing)(
    'loads without a message where nothing else was loaded, unset variables are errors, or arrays begin at 0',
    () => {
      const load: Readonly<Record<Shell, readonly string[]>> = {
        bash: ['bash', '--norc', '-uc', 'eval "$(cat "$0")" && complete -p holdfast', file('bash')],
        zsh: [
          'zsh',
          '-f',
          '-c',
          'setopt no_unset ksh_arrays; eval "$(cat "$0")" && print ${_comps[holdfast]}',
          file('zsh'),
        ],
        fish: ['fish', '--no-config', '-c', `source ${file('fish')}; and complete -c holdfast`],
      }
      const [program = '', ...args] = load[shell]
      const { status, stdout, stderr } = spawnSync(program, args, {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb' },
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toContain('holdfast')
    },
  )
})
