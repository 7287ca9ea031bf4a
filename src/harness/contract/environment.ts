/** The variables by which a harness tells a program that it starts where it is. Plain data: the MCP pipe loads no library. */
export interface HarnessEnvironment {
  readonly harness: string
  /** Which session it is, by the harness's own id; the first that is set. */
  readonly sessionKey: readonly string[]
  /** Where the harness runs; the first that is set. */
  readonly directory: readonly string[]
}

export interface ToldByEnvironment {
  readonly harness?: string
  readonly sessionKey?: string
  readonly directory?: string
}

type Variables = Readonly<Record<string, string | undefined>>

function firstSet(names: readonly string[], variables: Variables): string | undefined {
  return names.map((name) => variables[name]).find((value) => value !== undefined && value !== '')
}

/** What the environment says about who started us: the first harness that names a session; a directory also without one. */
export function readEnvironment(known: readonly HarnessEnvironment[], variables: Variables): ToldByEnvironment {
  const found = known.map((one) => ({
    harness: one.harness,
    sessionKey: firstSet(one.sessionKey, variables),
    directory: firstSet(one.directory, variables),
  }))
  const session = found.find(({ sessionKey }) => sessionKey !== undefined)
  const directory = session?.directory ?? found.find((one) => one.directory !== undefined)?.directory
  return {
    ...(session?.sessionKey !== undefined && { harness: session.harness, sessionKey: session.sessionKey }),
    ...(directory !== undefined && { directory }),
  }
}
