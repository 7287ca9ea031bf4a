import { type CommandNode, listCommands, type OptionNode } from './command-tree.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const HELP: OptionNode = {
  names: ['--help', '-h'],
  flags: '-h, --help',
  description: 'show help',
  takesValue: false,
  values: [],
}

interface CompletionStep {
  readonly path: string
  readonly commands: readonly { readonly word: string; readonly summary: string }[]
  readonly options: readonly OptionNode[]
  readonly values: readonly string[]
}

/** The words that may follow each command; the path of the program is empty. */
function listSteps(tree: CommandNode): readonly CompletionStep[] {
  return [tree, ...listCommands(tree)].map(({ name, commands, options, values }) => ({
    path: name,
    commands: commands.map((command) => ({ word: command.name.split(' ').at(-1) ?? '', summary: command.summary })),
    options: [...options, HELP],
    values,
  }))
}

/** A shell pattern of all words that lead one command further. */
function pathPattern(steps: readonly CompletionStep[]): string {
  return steps.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join('|')
}

/** The options that take a value, as they are typed after the words of their command. */
function listValues(steps: readonly CompletionStep[]) {
  return steps.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((option) => ({ typed: option.names.map((name) => `${path} ${name}`), option })),
  )
}

function writeBash(steps: readonly CompletionStep[]): string {
  const words = steps.flatMap(({ path, commands, options, values }) => [
    `    ${quote(`${path} -`)}) words=${quote(options.flatMap(({ names }) => names).join(' '))} ;;`,
    `    ${quote(`${path} `)}) words=${quote([...commands.map(({ word }) => word), ...values].join(' '))} ;;`,
  ])
  const values = listValues(steps).map(
    ({ typed, option }) => `    ${typed.map(quote).join('|')}) words=${quote(option.values.join(' '))} ;;`,
  )
  return `# bash completion of holdfast. Load it with: source <(holdfast completion bash)
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [ "$word" = -- ] && return
    case "\${path:+$path }$word" in
    ${pathPattern(steps)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path \${current:0:1}" in
  *' -') word="$path -" ;;
  *) word="$path " ;;
  esac
  case "$word" in
${words.join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}
complete -o default -o bashdefault -F _holdfast holdfast
`
}

const forDescribe = (word: string, summary: string) => quote(`${word.replaceAll(':', String.raw`\:`)}:${summary}`)

function writeZsh(steps: readonly CompletionStep[]): string {
  const words = steps.map(({ path, commands, options, values }) => {
    const entries = [
      ...commands.map(({ word, summary }) => forDescribe(word, summary)),
      ...values.map((value) => quote(value)),
    ]
    const named = options.flatMap(({ names, description }) => names.map((name) => forDescribe(name, description)))
    return `    ${quote(path)})\n      commands=(${entries.join(' ')})\n      options=(${named.join(' ')})\n      ;;`
  })
  const values = listValues(steps).map(({ typed, option }) => {
    const action = option.values.length === 0 ? '_files' : `compadd -- ${option.values.map(quote).join(' ')}`
    return `    ${typed.map(quote).join('|')}) ${action}; return ;;`
  })
  return `#compdef holdfast
# zsh completion of holdfast. Save it as _holdfast in a folder of $fpath, or load it with: source <(holdfast completion zsh)
_holdfast() {
  local place='' word i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    [[ "$word" == -- ]] && { _files; return }
    case "\${place:+$place }$word" in
    ${pathPattern(steps)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place \${words[CURRENT - 1]}" in
${values.join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o 'option' options
  elif (( \${#commands} )); then
    _describe 'command' commands
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
`
}

const fishQuote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`

function writeFish(steps: readonly CompletionStep[]): string {
  const print = (entries: readonly (readonly [word: string, meaning: string])[]) =>
    entries.length === 0
      ? 'return'
      : `printf '%s\\t%s\\n' ${entries.map((entry) => entry.map(fishQuote).join(' ')).join(' ')}`
  const words = steps.flatMap(({ path, commands, options, values }) => [
    `    case ${fishQuote(`${path} -`)}`,
    `      ${print(options.flatMap(({ names, description }) => names.map((name) => [name, description] as const)))}`,
    `    case ${fishQuote(`${path} `)}`,
    `      ${print([...commands.map(({ word, summary }) => [word, summary] as const), ...values.map((value) => [value, ''] as const)])}`,
  ])
  const values = listValues(steps).flatMap(({ typed, option }) => [
    `    case ${typed.map(fishQuote).join(' ')}`,
    ...(option.values.length === 0 ? [] : [`      ${print(option.values.map((value) => [value, ''] as const))}`]),
    '      return',
  ])
  return `# fish completion of holdfast. Load it with: holdfast completion fish | source
function __holdfast_offer
  set -l place
  set -l words (commandline -opc)
  for word in $words[2..]
    test "$word" = --; and return
    switch (string join -- ' ' $place $word)
      case ${steps.flatMap(({ path }) => (path === '' ? [] : [fishQuote(path)])).join(' ')}
        set place $place $word
    end
  end
  switch "$place $words[-1]"
${values.join('\n')}
  end
  set -l dash
  string match -q -- '-*' (commandline -ct); and set dash -
  switch "$place $dash"
${words.join('\n')}
  end
end
complete -c holdfast -e
complete -c holdfast -n 'count (__holdfast_offer)' -f -a '(__holdfast_offer)'
`
}

const WRITERS: Readonly<Record<Shell, (steps: readonly CompletionStep[]) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
}

export function writeCompletion(shell: Shell, tree: CommandNode): string {
  return WRITERS[shell](listSteps(tree))
}
