import { harnessEnvironments } from './known-harnesses.ts'

/** The variables in which a harness names its session and directory for the programs that it starts. No library here: the MCP pipe loads this file. */
export interface HarnessEnvironment {
  readonly harness: string
  /** Variables that may hold the harness's id of the session; the first that is set counts. */
  readonly sessionKey: readonly string[]
  /** Variables that may hold the harness's directory; the first that is set counts. */
  readonly directory: readonly string[]
}

export interface CallerEnvironment {
  readonly harness?: string
  readonly sessionKey?: string
  readonly directory?: string
}

type Variables = Readonly<Record<string, string | undefined>>

function findFirstSet(names: readonly string[], variables: Variables): string | undefined {
  return names.map((name) => variables[name]).find((value) => value !== undefined && value !== '')
}

/** Reads who started this process: the first harness that names a session, and a directory also without a session. */
export function readEnvironment(
  variables: Variables,
  known: readonly HarnessEnvironment[] = harnessEnvironments,
): CallerEnvironment {
  const found = known.map((one) => ({
    harness: one.harness,
    sessionKey: findFirstSet(one.sessionKey, variables),
    directory: findFirstSet(one.directory, variables),
  }))
  const session = found.find(({ sessionKey }) => sessionKey !== undefined)
  const directory = session?.directory ?? found.find((one) => one.directory !== undefined)?.directory
  return {
    ...(session?.sessionKey !== undefined && { harness: session.harness, sessionKey: session.sessionKey }),
    ...(directory !== undefined && { directory }),
  }
}
