import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { COMMANDS, FAMILIES } from './command-table.ts'
import { findEntry } from './run.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'GLOSSARY.md', 'SECURITY.md', 'docs', 'skills', 'src']
/** `holdfast …` up to where the command ends: a code mark, a quote, a comment, a pipe, the end of the line. */
const TOLD = /(?<![\w@/.:=-])(?:bin\/)?holdfast ([^`'"\n#|>()]+)/g

/** What is said between code marks or in a block of code; prose may say "holdfast" and go on. */
function toldIn(text: string, isCode: boolean): readonly string[] {
  const spans = isCode
    ? [...text.matchAll(/\\?`(holdfast [^`\\\n]+)\\?`/g)].map(([, span]) => span ?? '')
    : [...text.matchAll(/`([^`\n]+)`|```[\s\S]*?```|^ {4}.*$/gm)].map(([span]) => span)
  return spans.flatMap((span) => [...span.matchAll(TOLD)].map(([, words]) => (words ?? '').trim()))
}

async function optionsOf(name: string): Promise<ReadonlySet<string>> {
  const command = new Command(name)
  const entry = COMMANDS.find((known) => known.name === name)
  if (entry !== undefined) (await entry.load()).configure(command)
  return new Set(['--json', '--help', ...command.options.flatMap(({ long, short }) => [long ?? '', short ?? ''])])
}

/** Why these words are not a command; undefined when they are. Placeholders (`<slug>`, `…`, `${x}`) match anything. */
async function faultOf(words: string): Promise<string | undefined> {
  const own = words.split(/ -- /)[0] ?? words
  const [first = '', second = ''] = own.split(/\s+/)
  if (!/^[a-z][a-z-]*[.,;:]?$/.test(first)) return undefined
  const entry = findEntry(own.split(/\s+/).map((word) => word.replace(/[.,;:]$/, '')))
  if (entry === undefined) return FAMILIES[first] === undefined ? 'no such command' : undefined
  const isFamily = FAMILIES[first] !== undefined
  if (isFamily && entry.isDefault === true && entry.name !== `${first} ${second}` && /^[a-z]+$/.test(second))
    return 'no such command of its family'
  const known = await optionsOf(entry.name)
  const strange = [...own.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([option]) => option)
  const missing = strange.filter((option) => !known.has(option) && !known.has(option.replace(/^--/, '--no-')))
  return missing.length === 0 ? undefined : `no option ${missing.join(', ')}`
}

function filesUnder(path: string): readonly string[] {
  if (/\.(?:md|ts)$/.test(path)) return path.endsWith('.test.ts') ? [] : [path]
  if (/\.\w+$/.test(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.(?:md|ts)$/.test(entry.name))
    .flatMap((entry) => filesUnder(join(path, entry.name)))
}

test('every command in a page or a message exists, with its options', async () => {
  const faults: string[] = []
  let told = 0
  for (const file of PAGES.flatMap((page) => filesUnder(join(ROOT, page)))) {
    for (const words of toldIn(readFileSync(file, 'utf8'), file.endsWith('.ts'))) {
      told += 1
      const fault = await faultOf(words)
      if (fault !== undefined) faults.push(`${relative(ROOT, file)}: holdfast ${words}: ${fault}`)
    }
  }
  expect(faults).toEqual([])
  expect(told).toBeGreaterThan(200)
})

/** A path in a command that a message tells to run, as it stands in our source. */
const TOLD_PATH = /\\`[a-z][^`]* \$\{(\w*\.?(?:path|root|dir|file|folder|cwd|home)\w*)\}[^`]*\\`/gi

test('a path in a printed command is quoted', () => {
  const bare = filesUnder(join(ROOT, 'src')).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(TOLD_PATH)].map(([told]) => `${relative(ROOT, file)}: ${told}`),
  )
  expect(bare).toEqual([])
  expect(
    ['\\`chmod 700 ${home.root}\\`', '\\`chmod 700 ${shellWord(home.root)}\\`'].map((told) => told.match(TOLD_PATH)),
  ).toEqual([['\\`chmod 700 ${home.root}\\`'], null])
})

test('every bench that a page tells is a program here', () => {
  const pages = PAGES.filter((page) => page !== 'src').flatMap((page) => filesUnder(join(ROOT, page)))
  const told = pages.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/`(bench\/[a-z-]+)[ `]/g)])
  const names = [...new Set(told.map(([, name]) => name ?? ''))]
  expect(names.length).toBeGreaterThan(5)
  const isProgram = (name: string) => (statSync(join(ROOT, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o100
  expect(names.filter((name) => isProgram(name) === 0)).toEqual([])
})

test.each([
  ['task unblock feat-login', 'no such command of its family'],
  ['recollect', 'no such command'],
  ['import --form /backup', 'no option --form'],
  ['task gate <slug> G1', undefined],
  ['run --task x -- claude --anything', undefined],
])('a wrong one would be found: %s', async (words, fault) => expect(await faultOf(words)).toBe(fault))
