// Checks comments, strings and Markdown for words that GLOSSARY.md lists as avoided. `node scripts/check-wording.mjs [path…]`
// A line that needs one of the words all the same (a quotation, a public name) ends in `wording-ok` with the reason, or its
// file is listed in EXCEPTIONS.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { root } from './sources.mjs'

/** What to write instead, by what is avoided. Each expression is tried on prose only, never on code. */
export const AVOIDED = [
  [
    /\b(?:is|are|was|were) told\b|\btold (?:of|to|before|by|from|again|first|once|it|them|that|what|where|so|about|as)\b/i,
    'inject, render, report or infer: say which one is meant',
  ],
  [
    /\b(?:tells|telling) (?:of|a session|an agent|the agent|it|them|what|whether|how|where)\b|\bto tell (?:of|a session|an agent|what|whether|how)\b/i,
    'inject, render, report or infer: say which one is meant',
  ],
  [
    /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|fewer\b|other\b|need\b|such\b|way\b|one\b)[a-z]/i,
    '"is not a …"',
  ],
  [/\bdoors?\b(?!"?:)/i, 'API, entry point'],
  [/\bkeepers?\b/i, 'memory backend, store'],
  [/\bstanding\b/i, 'liveness, state'],
  [/\bdoubt(?:s|ed|ing)?\b/i, 'refuted claim, claim check'],
  [/\banew\b/i, 'again'],
  [/\blately\b/i, 'recently'],
  [/\bline ends?\b/i, 'newline'],
  [/\bblanks?\b(?! line)/i, 'space'],
  [/\brivals?\b/i, 'conflicting term'],
  [/\bturnstile\b|\bcrowd(?:s|ed)?\b/i, 'concurrency limit, load'],
  [/\bspine\b/i, 'app, use cases'],
  [/\b(?:the|an|one|last|first|latest|each|every|this|that|its|of|new) asks?\b/i, 'request'],
  [/\bwent well\b|\bgoes well\b|\bgo well\b/i, 'succeeded, succeeds'],
  [/\bthe company of\b|\bin company\b/i, 'co-occurrence'],
  [/\bgoes round\b|\bgoing round\b/i, 'loops'],
  [/\bonly one has\b/i, 'unique: a unique prefix, a unique part'],
  [/\bat the keyboard\b|\bturns? (?:it|them) round\b/i, 'in a terminal; negates'],
  [/\bby heart\b|\blies in wait\b|\bin one breath\b/i, 'plain words'],
]

/** Avoided in product code and docs only: names of tests may use them. */
const AVOIDED_OUTSIDE_TESTS = [
  [/\bmend(?:s|ed|ing)?\b/i, 'fixed, repaired'],
  [/\bgoes on (?!to\b)|\bwent on\b|\bhas begun\b|\bwas begun\b|\bhad begun\b/i, 'continues, started'],
  [/\b(?:whoever|somebody|anybody|nobody)\b/i, 'the person, process or session that acts: "no client", "the author"'],
  [/\b(?:is|are|was|were) not there\b/i, 'missing, does not exist'],
]

/** A name of code in a comment, outside backticks: often left behind by a rename. Product names are not. */
const UNQUOTED_CODE = [
  /(?<![\w./'"`-])(?!macOS\b|uPlot\b|vLLM\b|exFAT\b|camelCase\b)[a-z]+[A-Z]\w+(?![\w(.:/]|\s*=)/,
  'the word that was meant, or the name in backticks',
]

/** Files whose wording is quoted from elsewhere, historical, or data. */
const EXCEPTIONS = [
  /^docs\/adr\//,
  /^CHANGELOG\.md$/,
  /^LICENSE$/,
  /\/fixtures\//,
  /^scripts\/check-wording\.mjs$/,
  /^GLOSSARY\.md$/,
  /wording\.test\.ts$/,
  /^src\/rules\/cues\//,
  /\/weak-words\.ts$/,
]
const ROOTS = [
  'src',
  'docs',
  'scripts',
  'bench',
  'skills',
  'plugins',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'AGENTS.md',
]

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesUnder(join(path, entry.name)),
  )
}

/** The prose of a source file: comments, and strings with a space in them. */
function proseOfSource(text) {
  const prose = []
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=[\s,;.)\]}]|$)/g
  for (const match of text.matchAll(token)) {
    const [words] = match
    const isComment = words.startsWith('/*') || words.startsWith('//')
    if (words.startsWith('/') && !isComment) continue
    if (!isComment && !/[a-z] [a-z]/i.test(words)) continue
    prose.push({
      at: match.index,
      isComment,
      words: isComment ? words.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length)) : words,
    })
  }
  return prose
}

function proseOfMarkdown(text) {
  const words = text
    .replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gm, (code) => code.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length))
  return [{ at: 0, words }]
}

export function findingsIn(path, text) {
  const prose = path.endsWith('.md') ? proseOfMarkdown(text) : proseOfSource(text)
  const avoided = /\.test\.|^bench\//.test(path) ? AVOIDED : [...AVOIDED, ...AVOIDED_OUTSIDE_TESTS]
  return prose.flatMap(({ at, words, isComment }) =>
    [...avoided, ...(isComment ? [UNQUOTED_CODE] : [])].flatMap(([pattern, instead]) =>
      [...words.matchAll(new RegExp(pattern, `${pattern.flags}g`))].flatMap((match) => {
        const index = at + match.index
        const lineStart = text.lastIndexOf('\n', index) + 1
        const line = text.slice(lineStart, (text.indexOf('\n', index) + 1 || text.length + 1) - 1)
        if (line.includes('wording-ok')) return []
        return [`${path}:${text.slice(0, index).split('\n').length}: "${match[0]}": write ${instead}`]
      }),
    ),
  )
}

if (process.argv[1] === import.meta.filename) {
  const asked = process.argv.slice(2)
  const paths = (asked.length > 0 ? asked : ROOTS).flatMap((path) => filesUnder(join(root, path)))
  const findings = paths.flatMap((path) => {
    const name = relative(root, path).split(sep).join('/')
    if (!/\.(?:ts|mjs|sh|md)$/.test(name) || EXCEPTIONS.some((exception) => exception.test(name))) return []
    return findingsIn(name, readFileSync(path, 'utf8'))
  })
  for (const finding of findings) console.log(finding)
  console.log(findings.length === 0 ? 'The wording is clean.' : `${findings.length} places.`)
  process.exitCode = findings.length === 0 ? 0 : 1
}
