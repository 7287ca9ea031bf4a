import { basename } from 'node:path'
import * as z from 'zod'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { argumentsOf } from '../../kernel/shell/command-line.ts'
import { readProjectFile } from '../../platform/files/project-file.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'

const FILE = '.agentic-governance/config.json'
const MAX_BYTES = 1_000_000
const DEFAULT_SMOKE_TIMEOUT_S = 300
const DEFAULT_SILENCE_S = 300

const Options = z.looseObject({
  smokeCommand: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
  smokeTimeoutSec: z.number().positive().max(86_400).optional(),
  autoCommit: z.boolean().optional(),
  heartbeatTimeoutSec: z.number().min(5).max(604_800).optional(),
})

const GovernanceFile = z.looseObject({
  identity: z.looseObject({ serviceName: z.string().optional(), logPrefix: z.string().optional() }).optional(),
  packOptions: z.looseObject({ 'session-continuity': Options.optional() }).optional(),
})

const PackageFile = z.looseObject({ scripts: z.record(z.string(), z.string()).optional() })

/** What the project says about its governed tasks. */
export interface Governance {
  /** `<service>` of the log lines. */
  readonly service: string
  /** Absent: none is configured, and the health check is skipped. */
  readonly smokeCommand?: readonly string[]
  /** Where the command was found. */
  readonly smokeSource?: string
  readonly smokeTimeoutMs: number
  readonly autoCommit: boolean
  /** Why the file cannot be used: the defaults hold then, and no session starts. */
  readonly problem?: string
  /** A session without a process that can be watched is taken for dead after this much silence. */
  readonly silenceMs: number
  /** `packOptions["session-continuity"]` as it stands. */
  readonly options: Readonly<Record<string, unknown>>
}

function readJson<Schema extends z.ZodType>(root: string, path: string, schema: Schema): z.output<Schema> | undefined {
  const found = readProjectFile({ root, path }, MAX_BYTES)
  if (found === undefined) return undefined
  try {
    return parse(schema, parseJson(found.bytes.toString('utf8')))
  } catch (cause) {
    throw new HoldfastError('invalid-input', `${path} cannot be used: ${messageOf(cause)}`, {
      hint: 'Correct it, or remove it to go on without.',
      cause,
    })
  }
}

/** Letters that make one log line into two, or a prefix into something else, are left out. */
function serviceName(text: string): string {
  return text
    .replace(/[^\p{L}\p{N} ._/:-]+/gu, '')
    .trim()
    .slice(0, 60)
}

/** `test:smoke`, then `smoke`, of a package.json. */
function packageSmoke(root: string): Pick<Governance, 'smokeCommand' | 'smokeSource'> {
  const scripts = readJson(root, 'package.json', PackageFile)?.scripts ?? {}
  const name = ['test:smoke', 'smoke'].find((script) => scripts[script] !== undefined)
  return name === undefined
    ? {}
    : { smokeCommand: ['npm', 'run', '--silent', name], smokeSource: `package.json, script ${name}` }
}

function governanceOf(root: string): Governance {
  const file = readJson(root, FILE, GovernanceFile)
  const options = file?.packOptions?.['session-continuity'] ?? {}
  const { logPrefix, serviceName: name } = file?.identity ?? {}
  const smoke =
    options.smokeCommand === undefined
      ? packageSmoke(root)
      : { smokeCommand: argumentsOf(options.smokeCommand), smokeSource: FILE }
  return {
    ...withoutFile(root),
    service: serviceName(logPrefix ?? '') || serviceName(name ?? '') || withoutFile(root).service,
    ...smoke,
    ...(options.smokeTimeoutSec !== undefined && { smokeTimeoutMs: options.smokeTimeoutSec * 1_000 }),
    autoCommit: options.autoCommit === true,
    ...(options.heartbeatTimeoutSec !== undefined && { silenceMs: options.heartbeatTimeoutSec * 1_000 }),
    options,
  }
}

function withoutFile(root: string): Governance {
  return {
    service: serviceName(basename(root)) || 'holdfast',
    smokeTimeoutMs: DEFAULT_SMOKE_TIMEOUT_S * 1_000,
    autoCommit: false,
    silenceMs: DEFAULT_SILENCE_S * 1_000,
    options: {},
  }
}

/** Never throws: a file that cannot be used keeps nobody from looking at a task, and is refused where it would be followed. */
export function readGovernance(root: string): Governance {
  try {
    return governanceOf(root)
  } catch (thrown) {
    return { ...withoutFile(root), problem: messageOf(thrown) }
  }
}
