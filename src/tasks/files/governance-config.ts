import { basename } from 'node:path'
import * as z from 'zod'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { splitArguments } from '../../kernel/shell/command-line.ts'
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

/** The project's settings for governed tasks, from `.agentic-governance/config.json`. */
export interface Governance {
  /** `<service>` of the log lines. */
  readonly service: string
  /** Absent if none is configured; the health check is then skipped. */
  readonly smokeCommand?: readonly string[]
  /** The file that configures the command. */
  readonly smokeSource?: string
  readonly smokeTimeoutMs: number
  readonly autoCommit: boolean
  /** Why the file is invalid. The defaults then apply, and no session starts. */
  readonly problem?: string
  /** A session without an observable process counts as dead after this much silence. */
  readonly silenceMs: number
  /** `packOptions["session-continuity"]`, unparsed. */
  readonly options: Readonly<Record<string, unknown>>
}

function readJson<Schema extends z.ZodType>(root: string, path: string, schema: Schema): z.output<Schema> | undefined {
  const found = readProjectFile({ root, path }, MAX_BYTES)
  if (found === undefined) return undefined
  try {
    return parse(schema, parseJson(found.bytes.toString('utf8')))
  } catch (cause) {
    throw new HoldfastError('invalid-input', `${path} is invalid: ${getErrorMessage(cause)}`, {
      hint: 'Correct it, or remove it to use the defaults.',
      cause,
    })
  }
}

/** Removes characters that would split a log line or fake another prefix. */
function cleanServiceName(text: string): string {
  return text
    .replace(/[^\p{L}\p{N} ._/:-]+/gu, '')
    .trim()
    .slice(0, 60)
}

/** The script `test:smoke`, else `smoke`, of package.json. */
function findPackageSmoke(root: string): Pick<Governance, 'smokeCommand' | 'smokeSource'> {
  const scripts = readJson(root, 'package.json', PackageFile)?.scripts ?? {}
  const name = ['test:smoke', 'smoke'].find((script) => scripts[script] !== undefined)
  return name === undefined
    ? {}
    : { smokeCommand: ['npm', 'run', '--silent', name], smokeSource: `package.json, script ${name}` }
}

function parseGovernance(root: string): Governance {
  const file = readJson(root, FILE, GovernanceFile)
  const options = file?.packOptions?.['session-continuity'] ?? {}
  const { logPrefix, serviceName: name } = file?.identity ?? {}
  const smoke =
    options.smokeCommand === undefined
      ? findPackageSmoke(root)
      : { smokeCommand: splitArguments(options.smokeCommand), smokeSource: FILE }
  return {
    ...getDefaultGovernance(root),
    service: cleanServiceName(logPrefix ?? '') || cleanServiceName(name ?? '') || getDefaultGovernance(root).service,
    ...smoke,
    ...(options.smokeTimeoutSec !== undefined && { smokeTimeoutMs: options.smokeTimeoutSec * 1_000 }),
    autoCommit: options.autoCommit === true,
    ...(options.heartbeatTimeoutSec !== undefined && { silenceMs: options.heartbeatTimeoutSec * 1_000 }),
    options,
  }
}

function getDefaultGovernance(root: string): Governance {
  return {
    service: cleanServiceName(basename(root)) || 'holdfast',
    smokeTimeoutMs: DEFAULT_SMOKE_TIMEOUT_S * 1_000,
    autoCommit: false,
    silenceMs: DEFAULT_SILENCE_S * 1_000,
    options: {},
  }
}

/** Never throws: with an invalid file a task can still be read, but no session can start. */
export function readGovernance(root: string): Governance {
  try {
    return parseGovernance(root)
  } catch (thrown) {
    return { ...getDefaultGovernance(root), problem: getErrorMessage(thrown) }
  }
}
