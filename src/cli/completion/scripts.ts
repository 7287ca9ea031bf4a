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

interface CompletionData {
  readonly steps: readonly CompletionStep[]
  /** Other words for a command of the program. */
  readonly aliases: Readonly<Record<string, string>>
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

/** A shell pattern of the paths after which a word has to be a command. */
function familyPattern(steps: readonly CompletionStep[]): string {
  return steps.flatMap(({ path, commands }) => (commands.length === 0 ? [] : [quote(path)])).join('|')
}

/** Cases of bash and zsh that give each other word of the program its present name. */
function aliasCases(aliases: CompletionData['aliases']): string {
  return Object.entries(aliases)
    .map(([word, present]) => `${quote(word)}) word=${quote(present)} ;;`)
    .join(' ')
}

/** The options that take a value, as they are typed after the words of their command. */
function listValues(steps: readonly CompletionStep[]) {
  return steps.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((option) => ({ typed: option.names.map((name) => `${path} ${name}`), option })),
  )
}

function writeBash({ steps, aliases }: CompletionData): string {
  const words = steps.flatMap(({ path, commands, options, values }) => [
    `    ${quote(`${path} -`)}) words=${quote(options.flatMap(({ names }) => names).join(' '))} ;;`,
    `    ${quote(`${path} `)}) words=${quote([...commands.map(({ word }) => word), ...values].join(' '))} ;;`,
  ])
  const values = listValues(steps).map(
    ({ typed, option }) => `    ${typed.map(quote).join('|')}) words=${quote(option.values.join(' '))} ;;`,
  )
  return `# bash completion of holdfast. Load it with: eval "$(holdfast completion bash)"
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' before='' previous word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [ "$word" = -- ] && return
    [ -n "$path" ] || case "$word" in help) continue ;; ${aliasCases(aliases)} esac
    case "\${path:+$path }$word" in
    ${pathPattern(steps)}) path="\${path:+$path }$word" ;;
    *)
      # Unless it is an option or its value, no command follows an unknown word.
      case "$path" in ${familyPattern(steps)})
        case "$word $before" in -*|*' -'*|=*|*' =') ;; *) path='?' ;; esac ;;
      esac
      ;;
    esac
    before="$word"
  done
  # Bash makes the = of --option=value a word of its own.
  previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  if [ "$current" = = ]; then
    current=''
  elif [ "$previous" = = ]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  case "$path \${current:0:1}" in
  *' -') word="$path -" ;;
  *) word="$path " ;;
  esac
  case "$word" in
${words.join('\n')}
  esac
  case "$path $previous" in
${values.join('\n')}
  esac
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}
complete -o default -o bashdefault -F _holdfast holdfast
`
}

const forDescribe = (word: string, summary: string) => quote(`${word.replaceAll(':', String.raw`\:`)}:${summary}`)

function writeZsh({ steps, aliases }: CompletionData): string {
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
  local place='' before='' previous="\${words[CURRENT - 1]}" word i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    [[ "$word" == -- ]] && { _files; return }
    [[ -n "$place" ]] || case "$word" in help) continue ;; ${aliasCases(aliases)} esac
    case "\${place:+$place }$word" in
    ${pathPattern(steps)}) place="\${place:+$place }$word" ;;
    *)
      # Unless it is an option or its value, no command follows an unknown word.
      case "$place" in ${familyPattern(steps)})
        [[ "$word" == -* || "$before" == -* ]] || place='?' ;;
      esac
      ;;
    esac
    before="$word"
  done
  if [[ "$PREFIX" == --*=* ]]; then
    previous="\${PREFIX%%=*}"
    compset -P 1 '*='
  fi
  case "$place $previous" in
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
if [[ "\${funcstack[1]-}" == _holdfast ]]; then
  _holdfast "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _holdfast holdfast
fi
`
}

const fishQuote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`

function writeFish({ steps, aliases }: CompletionData): string {
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
    ...(option.values.length === 0 ? [] : [`      printf "$prefix%s\\n" ${option.values.map(fishQuote).join(' ')}`]),
    '      return',
  ])
  const present = Object.entries(aliases).flatMap(([word, name]) => [
    `        case ${fishQuote(word)}`,
    `          set word ${fishQuote(name)}`,
  ])
  return `# fish completion of holdfast. Load it with: holdfast completion fish | source
function __holdfast_offer
  set -l place
  set -l before
  set -l words (commandline -opc)
  for word in $words[2..]
    test "$word" = --; and return
    if not set -q place[1]
      switch $word
        case help
          continue
${present.join('\n')}
      end
    end
    switch (string join -- ' ' $place $word)
      case ${steps.flatMap(({ path }) => (path === '' ? [] : [fishQuote(path)])).join(' ')}
        set place $place $word
      case '*'
        # Unless it is an option or its value, no command follows an unknown word.
        switch "$place"
          case ${steps.flatMap(({ path, commands }) => (commands.length === 0 ? [] : [fishQuote(path)])).join(' ')}
            string match -q -- '-*' $word $before; or set place '?'
        end
    end
    set before $word
  end
  set -l token (commandline -ct)
  set -l previous $words[-1]
  set -l prefix
  if string match -q -- '--*=*' $token
    set previous (string split -m 1 = -- $token)[1]
    set prefix $previous=
  end
  switch "$place $previous"
${values.join('\n')}
  end
  set -l dash
  string match -q -- '-*' $token; and set dash -
  switch "$place $dash"
${words.join('\n')}
  end
end
complete -c holdfast -e
complete -c holdfast -k -n 'count (__holdfast_offer)' -f -a '(__holdfast_offer)'
`
}

const WRITERS: Readonly<Record<Shell, (data: CompletionData) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
}

export function writeCompletion(shell: Shell, tree: CommandNode, aliases: CompletionData['aliases']): string {
  return WRITERS[shell]({ steps: listSteps(tree), aliases })
}
