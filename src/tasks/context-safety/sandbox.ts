import type { ToolCall } from '../../kernel/event.ts'

const READ_ONLY_KINDS: ReadonlySet<ToolCall['kind']> = new Set<ToolCall['kind']>(['read', 'search', 'todo'])

/** Ours, by each harness's way to name a server's tool: they keep the session's own notes, and are what a degraded session is to save itself with. */
const OWN_TOOL = /^(?:mcp__?)?(?:plugin_holdfast_)?holdfast__?(?=[a-z])/

/** Programs that cannot change anything by themselves, whatever their arguments are. */
const READ_ONLY_PROGRAMS: ReadonlySet<string> = new Set(
  'ls cat head tail wc grep rg stat file pwd tree du df which basename dirname realpath'.split(' '),
)
const READ_ONLY_GIT: ReadonlySet<string> = new Set(
  'status diff log show blame rev-parse ls-files ls-tree cat-file'.split(' '),
)

/** One plain command: nothing that could start another, write a file or hide what runs. */
const PLAIN = /^[\w ./:=@%+,~^#"'-]+$/
const DANGEROUS_ARGUMENT = /(?:^|\s)(?:--output|-o|--exec|--ext-diff|--textconv|--pre|-c)(?:[=\s]|$)/

function isReadOnlyCommand(command: string): boolean {
  const text = command.trim()
  if (!PLAIN.test(text) || DANGEROUS_ARGUMENT.test(text)) return false
  const [program = '', sub = ''] = text.split(/\s+/)
  if (program === 'git') return READ_ONLY_GIT.has(sub)
  return READ_ONLY_PROGRAMS.has(program)
}

/** Whether a tool may run while a session is degraded: what only reads passes, all else waits for a person. */
export function isReadOnly(tool: Pick<ToolCall, 'kind' | 'name' | 'command'>): boolean {
  if (READ_ONLY_KINDS.has(tool.kind) || OWN_TOOL.test(tool.name)) return true
  return tool.kind === 'shell' && isReadOnlyCommand(tool.command ?? '')
}
