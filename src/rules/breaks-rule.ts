import type { ToolCall } from '../kernel/event.ts'
import { relativePath } from '../kernel/paths/paths.ts'
import { classifyCommand, isOutside, splitCommandLine, splitQuotedWords } from '../kernel/shell/command.ts'

export interface CallContext {
  readonly worktree: string
  readonly branch?: string
}

/** One command of a command line: its words without quotes, environment and wrappers. */
type Command = readonly string[]

interface CheckedCall {
  readonly commands: readonly Command[]
  /** Changed files, relative to the worktree; a path outside is absolute. */
  readonly files: readonly string[]
  readonly branch: string | undefined
}

/** Whether a call breaks what the rule rules out. */
type Prohibition = (call: CheckedCall) => boolean

const WRAPPERS = new Set(['time', 'env', 'nohup', 'exec', 'command', 'nice', 'then', 'do', 'else', '{', '('])
const SHELLS = new Set(['bash', 'sh', 'zsh'])
const MAX_DEPTH = 2

function unquote(word: string): string {
  return word.replace(/^\(+/, '').replace(/^(["'])([\s\S]*)\1$/, '$2')
}

function listCommands(line: string, depth = 0): readonly Command[] {
  return splitCommandLine(line).flatMap((segment) => {
    const words = splitQuotedWords(segment).map(unquote)
    const start = words.findIndex((word) => !WRAPPERS.has(word) && !/^\w+=/.test(word))
    const command = start < 0 ? [] : words.slice(start)
    const [program = '', option = '', script = ''] = command
    if (SHELLS.has(program) && /^-\w*c$/.test(option) && depth < MAX_DEPTH) return listCommands(script, depth + 1)
    return command.length === 0 ? [] : [command]
  })
}

const isOption = (word: string) => word.startsWith('-')
const baseOf = (program: string) => program.slice(program.lastIndexOf('/') + 1)

// What a rule rules out, read from its words. A rule that depends on something else ("unless I ask") is never plainly broken.

const CONDITIONAL =
  /\b(?:unless|until|except|without (?:asking|my|a review|permission|approval|running)|before|only (?:when|if|after|once)|if|when|yet not|wenn|bevor|außer|ohne zu fragen|sauf|avant|si|antes|a menos)\b/
const NO =
  "(?:never(?:,? ever)?|do not|don't|dont|(?:must|should|may|can) ?(?:not|n't|never)|mustn't|shouldn't|can't|cannot|stop|avoid|no|not allowed to|not to|niemals|nie|nicht|kein(?:e|en)?|ne|jamais|nunca|no se)"

function readText(rule: string): string {
  return rule.toLowerCase().replace(/[’‘´]/g, "'").replace(/\s+/g, ' ')
}

const WILD_BRANCH = /^[\w./-]+$/

/** The branches that a `git push` writes to; undefined: the current one. */
function pushedBranches(command: Command): readonly (string | undefined)[] {
  const words = command.slice(2).filter((word) => !isOption(word))
  const refs = words.slice(1)
  return refs.length === 0
    ? [undefined]
    : refs.map((ref) => ref.replace(/^\+/, '').split(':').at(-1)?.replace('refs/heads/', ''))
}

const isGit = (command: Command, subcommand: string) =>
  command[0] === 'git' && command.find((word, at) => at > 0 && !isOption(word)) === subcommand
const isPush = (command: Command) => isGit(command, 'push') && !command.includes('--dry-run') && !command.includes('-n')

function readGitRule(text: string): Prohibition | undefined {
  const force = new RegExp(
    `\\b${NO} (?:[\\w,]+ )?force[- ]?push|\\b${NO} push(?:ing)? (?:with )?(?:--force|-f\\b)`,
  ).test(text)
  if (force)
    return ({ commands }) =>
      commands.some(
        (command) =>
          isPush(command) && command.some((word) => /^(?:-f|--force(?:-with-lease)?(?:=.*)?|\+\S+)$/.test(word)),
      )
  const push = new RegExp(
    `\\b${NO} (?:ever |directly |just )?push(?:ing|es)?(?: (?:anything|directly|straight|commits|changes|code|it))*(?:(?: (?:in)?to| on) (?:the )?\`?([\\w./-]+?)\`?(?: branch)?)?(?: (?:directly|yourself|or \\w+))*(?:[.,;:!]|$| -| —|,)`,
  ).exec(text)
  const german = /\b(?:nie|niemals|nicht|kein\w*)\b.*\bauf `?([\w./-]+)`? push/.exec(text)
  const spanish = /\b(?:nunca|no) hagas push a `?([\w/-]+)/.exec(text)
  const found = push ?? german ?? spanish
  if (found !== null) {
    const branch = found[1]?.replace(/^origin\//, '')
    if (branch !== undefined && !WILD_BRANCH.test(branch)) return undefined
    return ({ commands, branch: current }) =>
      commands.some(
        (command) =>
          isPush(command) &&
          (branch === undefined || pushedBranches(command).some((one) => (one ?? current) === branch)),
      )
  }
  const commit = new RegExp(
    `\\b${NO} (?:ever |directly )?commit(?:s|ting)?(?: (?:anything|directly|things|yourself|changes|it))*(?:(?: (?:in)?to| on) (?:the )?\`?([\\w./-]+?)\`?(?: branch)?| in this repo(?:sitory)?)?(?: please)?(?:[.,;:!]|$)`,
  ).exec(text)
  if (commit !== null) {
    const branch = commit[1]
    return ({ commands, branch: current }) =>
      commands.some((command) => isGit(command, 'commit') && (branch === undefined || current === branch))
  }
  if (
    new RegExp(
      `\\b${NO} delet\\w+ (?:any |the )?(?:remote )?branches?\\b.*\\bremote|\\b${NO} delet\\w+ remote branch`,
    ).test(text)
  )
    return ({ commands }) =>
      commands.some(
        (command) =>
          isPush(command) && command.some((word) => word === '--delete' || word === '-d' || /^:\w/.test(word)),
      )
  if (
    new RegExp(`\\b${NO} (?:create|make|open|start)(?:ing)? (?:any |a |new |extra |more )*branch(?:es)?\\b`).test(text)
  )
    return ({ commands }) =>
      commands.some(
        (command) =>
          (isGit(command, 'checkout') && command.includes('-b')) ||
          (isGit(command, 'switch') && command.includes('-c')),
      )
  if (new RegExp(`\\b${NO} push(?:ing)? (?:any |the |git |version |release )*tags?\\b`).test(text))
    return ({ commands }) =>
      commands.some(
        (command) =>
          isPush(command) && command.some((word) => /^--(?:tags|follow-tags)$|^(?:refs\/tags\/|v\d+\.\d)/.test(word)),
      )
  const verb = new RegExp(
    `\\b${NO} (?:ever |use |run |git )*(rebase|amend|stash|merge)(?:ing)?(?: (?:commits?|anything|branches))?(?:[.,;!]|$)`,
  ).exec(text)?.[1]
  if (verb === undefined) return undefined
  return ({ commands }) =>
    commands.some((command) =>
      verb === 'amend' ? isGit(command, 'commit') && command.includes('--amend') : isGit(command, verb),
    )
}

const SELECTS =
  /^(?:-k|-t|-g|-run|--run|--grep|--filter|--testNamePattern|--test-name-pattern|-m|--only|--package|-p)(?:=|$)/

/** A test run that names no file, folder or test. */
function isWholeSuite(command: Command): boolean {
  if (classifyCommand(command.join(' ')) !== 'test' || command.some((word) => SELECTS.test(word))) return false
  const targets = command.slice(1).filter((word) => !isOption(word) && /[/.]|::/.test(word))
  return targets.every((word) => /^(?:\.|\.\/\.\.\.|\.\.\.|\/\S*\/bin\/\S*)$/.test(word))
}

function readTestRule(text: string): Prohibition | undefined {
  if (
    new RegExp(
      `\\b${NO} (?:run(?:ning)? )?(?:the )?(?:full|whole|entire|complete|all(?: of)?(?: the)?)(?: \\w+)? ?(?:test ?suite|suite|tests)\\b`,
    ).test(text) ||
    /\bne lance(?:z)? (?:pas|jamais) (?:toute la suite|tous les tests)/.test(text) ||
    /\bnicht (?:die )?(?:ganze|komplette|gesamte) test-?suite/.test(text)
  )
    return ({ commands }) => commands.some(isWholeSuite)
  const kinds = new RegExp(
    `\\b${NO} run(?:ning)? (?:the |any )?((?:ci|e2e|integration|end-to-end|slow|browser|smoke)(?:(?:,| or| and|/)+ ?(?:the )?(?:ci|e2e|integration|end-to-end|slow|browser|smoke))*)(?: tests?| suite|$|[.,;])`,
  ).exec(text)?.[1]
  if (kinds === undefined) return undefined
  const names = kinds.split(/[^a-z0-9-]+/).filter((word) => word !== '' && !/^(?:or|and|the)$/.test(word))
  return ({ commands }) =>
    commands.some(
      (command) =>
        /^(?:npm|pnpm|yarn|bun|mise|make|just|task|go|cargo|pytest|npx|gradle|\.\/gradlew|poetry|uv|tox)$/.test(
          command[0] ?? '',
        ) && names.some((name) => command.some((word) => new RegExp(`(?:^|[:/_.=-])${name}(?:$|[:/_.-])`).test(word))),
    )
}

const ADDS: readonly (readonly [program: RegExp, verbs: RegExp])[] = [
  [/^(?:npm|pnpm|bun)$/, /^(?:install|i|add)$/],
  [/^(?:yarn|poetry|uv|cargo|bundle|pdm|rye)$/, /^add$/],
  [/^pip3?$/, /^install$/],
  [/^go$/, /^get$/],
  [/^composer$/, /^require$/],
  [/^gem$/, /^install$/],
]

/** Installs a named package, not what a lockfile or a manifest lists. */
function isNewDependency(command: Command): boolean {
  const words = command.slice(1).filter((word) => !isOption(word))
  const [verb = '', name] = words
  const takesFile = command.some((word) => /^(?:-r|--requirement|-e|--editable|-g|--global)$/.test(word))
  return (
    !takesFile &&
    name !== undefined &&
    /^[\w@]/.test(name) &&
    ADDS.some(([program, verbs]) => program.test(baseOf(command[0] ?? '')) && verbs.test(verb))
  )
}

function isGlobalInstall(command: Command): boolean {
  return (
    /^(?:npm|pnpm|yarn|bun)$/.test(command[0] ?? '') && command.some((word) => /^(?:-g|--global|global)$/.test(word))
  )
}

function readDependencyRule(text: string): Prohibition | undefined {
  if (new RegExp(`\\b${NO} (?:\\w+ ){0,3}(?:globally|global packages|system-?wide)\\b`).test(text))
    return ({ commands }) => commands.some(isGlobalInstall)
  const isRule = new RegExp(
    `\\b(?:${NO}|without) (?:\\w+ ){0,3}(?:add(?:ing)? |install(?:ing)? |pull(?:ing)? in )?(?:any )?(?:new |more |extra |additional |external |third[- ]party |neuen |nouvelles? |nuevas )*(?:dependenc(?:y|ies)|npm packages|packages|libraries|abhängigkeiten|dépendances|dependencias)\\b`,
  ).test(text)
  return isRule ? ({ commands }) => commands.some(isNewDependency) : undefined
}

const PUBLISHES: readonly (readonly [program: RegExp, verb: RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun|cargo|poetry|uv|deno|flit|hatch|dart)$/, /^publish$/],
  [/^twine$/, /^upload$/],
  [/^gem$/, /^push$/],
]
const DEPLOYS: readonly (readonly [program: RegExp, verb: RegExp])[] = [
  [/^(?:make|just|task|mise|fly|flyctl|wrangler|firebase|serverless|sls|cdk|vercel|netlify|eb|gcloud)$/, /^deploy$/],
  [/^(?:npm|pnpm|yarn|bun)$/, /^deploy(?::\w+)?$/],
  [/^(?:kubectl|terraform|tofu)$/, /^apply$/],
  [/^helm$/, /^(?:install|upgrade)$/],
]

/** "Don't publish the package", "never deploy": what they name is not a program. */
function readReleaseRule(text: string): Prohibition | undefined {
  const what = new RegExp(
    `\\b${NO} (?:ever |just )?(publish|deploy)(?:ing)?(?: (?:the|this|any|our|it|anything|packages?|crate|gem|app|to (?:npm|prod(?:uction)?|staging|crates\\.io|pypi)))*(?:[.,;:!]|$)`,
  ).exec(text)?.[1]
  if (what === undefined) return undefined
  return ({ commands }) =>
    commands.some((command) => {
      const words = command.slice(1).filter((word) => !isOption(word) && word !== 'run')
      if (command.includes('--dry-run')) return false
      return (what === 'publish' ? PUBLISHES : DEPLOYS).some(
        ([program, verb]) => program.test(baseOf(command[0] ?? '')) && verb.test(words[0] ?? ''),
      )
    })
}

/** A program that is ruled out: "use pnpm, not npm", "never use sudo", "don't run `make deploy`". */
function readProgramRule(text: string): Prohibition | undefined {
  const program = '`?([a-z][\\w-]*(?:\\.\\w+)*(?: (?:-{1,2}[\\w-]+|[a-z][\\w:-]*)){0,2})`?'
  const end =
    '(?=[.,;:!)]|$| (?:here|in this|for|anywhere|again|please|at all|because|since|so|-|—|and|but|directly|to)\\b)'
  const found =
    new RegExp(
      `\\b(?:use|using|run|verwende|nutze|nimm|utilise[zs]?|usa)\\b .{1,60}?(?:,| and| but|,? y|,? et)? (?:not|never|no|instead of|rather than|nicht|statt|anstatt|pas|au lieu de|plutôt que|en (?:vez|lugar) de) ${program}${end}`,
    ).exec(text) ??
    new RegExp(
      `\\b(?:never|do not|don't|dont|stop|avoid|must not|should not|mustn't|shouldn't|niemals|no) (?:ever )?(?:use|using|run|running|call|calling|execute|invoke|uses|ejecutes) (?:the )?${program}${end}`,
    ).exec(text)
  const words = found?.[1]?.split(' ').filter((word) => word !== 'directly')
  const [name, ...rest] = words ?? []
  if (name === undefined) return undefined
  return ({ commands }) =>
    commands.some((command) => {
      const at = command[0] === 'sudo' && name !== 'sudo' ? 1 : 0
      return baseOf(command[at] ?? '') === name && rest.every((word) => command.includes(word))
    })
}

const PATH =
  /`([^`\s]+)`|(?<![\w:/])((?:\.{0,2}\/)?(?:[\w@.*-]+\/)+[\w@.*-]*|\*(?:\.\w+)+|[\w-]+\.(?!$)[a-z]{1,5}\b|\.[a-z][\w.-]+)/gi
const NAMED_FOLDER =
  /\b(?:the |la |le |die |den |der )?`?([\w.-]+)`? (?:folder|directory|dir|module|package|ordner|verzeichnis)\b|\b(?:under|inside|below) `?(\w+(?:[_-]\w+)+)`?(?![\w/.])|\b(?:folder|directory|dossier|carpeta|ordner|verzeichnis) `?([\w.-]+)`?/gi
const CHANGES =
  '(?:touch|edit|change|modify|alter|write|delete|remove|rename|reformat|refactor|rewrite|overwrite|move)(?:ing)?'

/** Of a folder that is named without its path. */
const ANYWHERE = '**/'

function listPaths(rule: string): readonly string[] {
  const paths = [...rule.matchAll(PATH)].map(([, code, plain]) => code ?? plain ?? '')
  const folders = [...rule.matchAll(NAMED_FOLDER)].map(
    ([, before, under, after]) => `${ANYWHERE}${before ?? under ?? after ?? ''}/`,
  )
  return [...paths, ...folders]
    .map((path) => path.replace(/^\.\//, '').replace(/[.,;:!]+$/, ''))
    .filter(
      (path) =>
        path.length > 1 &&
        !/^(?:and|or|e\.g|i\.e)$/i.test(path) &&
        !/^(?:\*\*\/)?(?:this|that|the|a|any|each|every|new|npm|same|whole)?\/$/.test(path),
    )
}

/** `src/legacy` holds `src/legacy/a.ts`; `vendor/` is any folder of that name at the root; `*.gen.ts` any such file. */
function isWithin(file: string, path: string): boolean {
  if (path.startsWith(ANYWHERE)) return `/${file}`.includes(path.slice(ANYWHERE.length - 1))
  const bare = path.replace(/\/?\*{1,2}$/, '').replace(/\/$/, '')
  if (bare.includes('*')) {
    const pattern = bare.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
    return new RegExp(`(?:^|/)${pattern}$`).test(file)
  }
  if (file === bare || file.startsWith(`${bare}/`)) return true
  return path.includes('/') && !path.endsWith('/') ? false : file.endsWith(`/${bare}`) && !path.endsWith('/')
}

const WRITES = new Set(['rm', 'mv', 'tee', 'truncate', 'shred', 'rmdir', 'unlink'])

/** Files that a command deletes or writes by name. */
function writtenBy(command: Command): readonly string[] {
  const [program = '', ...words] = command
  const targets = words.flatMap((word, at) =>
    /^\d?>{1,2}$/.test(words[at - 1] ?? '')
      ? [word]
      : /^\d?>{1,2}[^&]/.test(word)
        ? [word.replace(/^\d?>{1,2}/, '')]
        : [],
  )
  const isInPlace = program === 'sed' && words.some((word) => /^-\w*i/.test(word))
  const isGitRemoval = program === 'git' && (words[0] === 'rm' || words[0] === 'mv')
  const named = WRITES.has(program) || isInPlace || isGitRemoval ? words.filter((word) => !isOption(word)) : []
  return [...targets, ...named]
}

function readPathRule(rule: string, text: string): Prohibition | undefined {
  const paths = listPaths(rule)
  if (paths.length === 0) return undefined
  const changed = ({ files, commands }: CheckedCall) => [
    ...files,
    ...commands.flatMap(writtenBy).map((path) => path.replace(/^\.\//, '').replace(/\/$/, '')),
  ]
  const isOnly = new RegExp(
    `\\bonly (?:ever )?(?:${CHANGES}|work)\\b|\\b(?:${CHANGES}|work|stay) (?:only |files only )?(?:on|in|under|inside|within)?\\b.*\\bonly\\b`,
  ).test(text)
  if (isOnly) {
    const folders = paths.filter((path) => path.includes('/'))
    if (folders.length === 0) return undefined
    return ({ files }) => files.some((file) => !isOutside(file) && !folders.some((path) => isWithin(file, path)))
  }
  const isProhibition =
    new RegExp(
      `\\b${NO} (?:ever |even )?${CHANGES}\\b|\\bwithout (?:touching|changing|editing|modifying)\\b|\\boff[- ]limits\\b|\\bkeep (?:out of|away from)\\b|^nothing (?:in|under)\\b|\\b(?:is|are|as|stays?) (?:read-only|frozen|immutable)\\b|\\bstays? (?:exactly )?(?:as|the way) (?:it is|they are|is)\\b|\\bhands off\\b|\\bhands (?:away )?(?:off|from)\\b`,
    ).test(text) ||
    /^(?:please )?leave .* (?:alone|unchanged|untouched|as (?:it is|is|they are))\b/.test(text) ||
    /\b(?:fasse?|ändere?|rühre?|bearbeite)\b.*\bnicht?s?\b/.test(text) ||
    /\bne (?:touche|modifie|change)\w* (?:pas|jamais)\b|\bno (?:toques|modifiques|cambies|edites)\b|\bnunca (?:toques|modifiques|cambies|edites)\b/.test(
      text,
    )
  return isProhibition ? (call) => changed(call).some((file) => paths.some((path) => isWithin(file, path))) : undefined
}

/** A flag that is ruled out by name: "never use --no-verify". */
function readFlagRule(text: string): Prohibition | undefined {
  const flag = new RegExp(`\\b${NO} (?:\\w+ ){0,4}?\`?(?:[\\w-]+ )*(--[a-z][\\w-]+)`).exec(text)?.[1]
  return flag === undefined ? undefined : ({ commands }) => commands.some((command) => command.includes(flag))
}

/** What the rule plainly rules out; undefined if that cannot be read from a single call. */
export function readProhibition(rule: string): ((tool: ToolCall, context: CallContext) => boolean) | undefined {
  const text = readText(rule)
  if (CONDITIONAL.test(text)) return undefined
  const readers = [readGitRule, readTestRule, readDependencyRule, readFlagRule, readReleaseRule, readProgramRule]
  const prohibitions = [...readers.flatMap((read) => read(text) ?? []), ...[readPathRule(rule, text) ?? []].flat()]
  if (prohibitions.length === 0) return undefined
  return (tool, { worktree, branch }) => {
    if (tool.kind !== 'shell' && tool.kind !== 'edit') return false
    const files =
      tool.kind === 'edit'
        ? tool.files.flatMap(({ path, action }) =>
            action === 'read' ? [] : [relativePath(path, { worktree }) ?? path],
          )
        : []
    const commands = tool.kind === 'shell' && tool.command !== undefined ? listCommands(tool.command) : []
    const call: CheckedCall = { commands, files, branch }
    return prohibitions.some((isBroken) => isBroken(call))
  }
}
