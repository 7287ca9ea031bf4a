import { HoldfastError } from '../../../kernel/errors.ts'
import type { SafetyMetrics } from '../safety-probe.ts'
import type { TaskCheckpoint } from '../../model/task-checkpoint.ts'
import type { OpenTask } from '../../files/open-task.ts'
import { addLogLine, addIncident, updateManifest } from '../../files/task-files.ts'
import type { TaskPorts } from '../../files/task-ports.ts'
import { runsWhileDegraded } from '../own-tools.ts'
import { updateSafety, readSafety, safetyPath, type SafetyRecord } from './safety-record.ts'
import type { ToolCall } from '../../../kernel/event.ts'
import { openTaskFolder } from '../../files/task-folder.ts'
import type { TaskLink } from '../../files/task-links.ts'

type Sandbox = NonNullable<ReturnType<typeof readSafety>['sandbox']>

async function findSandbox(ports: Pick<TaskPorts, 'redactors'>, link: TaskLink): Promise<Sandbox | undefined> {
  const redactor = await ports.redactors.forWorktree(link.root)
  const folder = openTaskFolder({ root: link.root, slug: link.slug, redactor })
  return readSafety(folder, link.taskSession).sandbox ?? undefined
}

/** The first sandboxed session. */
export async function findSandboxedSession(
  ports: Pick<TaskPorts, 'redactors'>,
  links: readonly TaskLink[],
): Promise<TaskLink | undefined> {
  for (const link of links) if ((await findSandbox(ports, link)) !== undefined) return link
  return undefined
}

/** Why the sandbox refuses a tool; undefined if it may run. */
export async function findToolRefusal(ports: TaskPorts, link: TaskLink, tool: ToolCall): Promise<string | undefined> {
  if (isReadOnly(tool)) return undefined
  const sandbox = await findSandbox(ports, link)
  if (sandbox === undefined) return undefined
  return `Sandbox: this session has been read-only since ${sandbox.since} (${sandbox.reason}). Only read-only tools are allowed. Inform the user; a person ends the sandbox with \`holdfast session sandbox --task ${link.slug} --leave --reason "…"\`.`
}

const READ_ONLY_KINDS: ReadonlySet<ToolCall['kind']> = new Set<ToolCall['kind']>(['read', 'search', 'todo'])

/** Holdfast's own tools, as each harness names them: a sandboxed session may still save its work in the store. */
const OWN_TOOL = /^(?:mcp__?)?(?:plugin_holdfast_)?holdfast__?(?=[a-z])/

/** Programs that cannot change anything, whatever their arguments. */
const READ_ONLY_PROGRAMS: ReadonlySet<string> = new Set(
  'ls cat head tail wc grep rg stat file pwd tree du df which basename dirname realpath'.split(' '),
)
const READ_ONLY_GIT: ReadonlySet<string> = new Set(
  'status diff log show blame rev-parse ls-files ls-tree cat-file'.split(' '),
)

/** One plain command: no operator, redirection or substitution. */
const PLAIN = /^[\w ./:=@%+,~^#"'-]+$/
const DANGEROUS_ARGUMENT =
  /(?:^|\s)(?:--output|-o|--exec|--ext-diff|--textconv|--filters|--pre|--hostname-bin|--compile|-c)(?:[=\s]|$)|^(?:tree|file)\s(?:.*\s)?-(?:[a-zA-Z]*[oC]|-co)/

function isReadOnlyCommand(command: string): boolean {
  const text = command.trim()
  // The shell removes quotes: `"--output=a"` and `--out''put=a` are the option.
  if (!PLAIN.test(text) || DANGEROUS_ARGUMENT.test(text.replace(/["']/g, ''))) return false
  const [program = '', sub = ''] = text.split(/\s+/)
  if (program === 'git') return READ_ONLY_GIT.has(sub)
  return READ_ONLY_PROGRAMS.has(program)
}

/** Whether a tool may run in the sandbox. */
export function isReadOnly(tool: Pick<ToolCall, 'kind' | 'name' | 'command'>): boolean {
  if (OWN_TOOL.test(tool.name)) return runsWhileDegraded(tool.name.replace(OWN_TOOL, ''))
  if (READ_ONLY_KINDS.has(tool.kind)) return true
  return tool.kind === 'shell' && isReadOnlyCommand(tool.command ?? '')
}

function describeDrift({ delta, severity, signs }: SafetyMetrics): string {
  const shift = Math.abs(delta) >= 0.2 ? `refusals shifted by ${delta}` : `signs of severity ${severity}`
  return signs === '' ? shift : `${shift} (${signs})`
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Restricts the session to read-only tools until a person ends the sandbox. No effect if it is sandboxed already. */
export async function enterSandbox(
  ports: TaskPorts,
  task: OpenTask,
  checkpoint: TaskCheckpoint,
  metrics: SafetyMetrics,
): Promise<void> {
  const { folder, governance } = task
  const { session_id: sessionId, checkpoint_id: checkpointId } = checkpoint
  if (sessionId === null || readSafety(folder, sessionId).sandbox !== null) return
  const at = ports.clock.now()
  const reason = describeDrift(metrics)
  await updateSafety(folder, sessionId, (record) => ({
    ...record,
    sandbox: { since: at, checkpoint_id: checkpointId, reason },
    history: [...record.history, { at, what: 'degraded to sandbox', detail: `${reason}; checkpoint ${checkpointId}` }],
  }))
  const log = safetyPath(sessionId)
  await updateManifest(folder, (manifest) => {
    const before = manifest.long_context_runs
    const run = { session_id: sessionId, checkpoint_id: checkpointId, started_at: at, log }
    return { ...manifest, long_context_runs: [...(isList(before) ? before : []), run] }
  })
  const incident = {
    at,
    kind: 'sandboxed',
    session_id: sessionId,
    checkpoint_id: checkpointId,
    detail: reason,
  } as const
  await addIncident(folder, incident)
  await addLogLine(ports, task, sessionId, `[${governance.service}] Degraded to sandbox: ${reason}`, { log })
}

/** Ends the sandbox on a person's decision. Refuses a session that is not sandboxed. */
export async function leaveSandbox(
  ports: TaskPorts,
  task: OpenTask,
  { sessionId, reason }: { readonly sessionId: string; readonly reason: string },
): Promise<SafetyRecord> {
  const { folder, governance } = task
  if (readSafety(folder, sessionId).sandbox === null)
    throw new HoldfastError('conflict', `The session ${sessionId} is not in the sandbox.`)
  const at = ports.clock.now()
  const after = await updateSafety(folder, sessionId, (record) => ({
    ...record,
    sandbox: null,
    // The findings were reviewed: measure a new baseline.
    baseline_refusal_rate: null,
    history: [...record.history, { at, what: 'left the sandbox', detail: reason }],
  }))
  await addLogLine(ports, task, sessionId, `[${governance.service}] Sandbox left: ${reason}`)
  return after
}
