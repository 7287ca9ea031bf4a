import type * as z from 'zod'
import type { AgentApi } from '../app/agent-api.ts'
import type { Continuity } from '../app/continuity.ts'
import type { SameShape } from '../kernel/json-shape.ts'
import type { SyncUseCases } from '../sync/use-cases.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { NoReply } from '../wire/fields.ts'

/**
 * public: no credential, but every other check. hook: only `POST /hook/…`. write: changes the store and nothing beside it.
 * project: may change files of a project, or run a program there; a browser does not have it. admin: the daemon itself.
 */
export type AccessScope = 'public' | 'hook' | 'read' | 'write' | 'project' | 'admin'

/** The interfaces whose methods a route may call. */
export interface UseCases {
  readonly continuity: Continuity
  readonly agent: AgentApi
  readonly tasks: Tasks
  readonly sync: SyncUseCases
}

type UseCaseName = { [Group in keyof UseCases]: `${Group}.${keyof UseCases[Group] & string}` }[keyof UseCases]

/** One row of the API table. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `:name` stands for one segment, percent-decoded. */
  readonly path: string
  readonly scope: AccessScope
  readonly summary: string
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** The JSON reply; absent for a route that replies only in other content types. */
  readonly reply?: z.ZodType
  /** The data of each frame of an event stream. */
  readonly frame?: z.ZodType
  /** Members of the body that the use case redacts or refuses as a whole; all others are redacted before they are parsed. */
  readonly redactedLater?: readonly string[]
  /** Members whose elements the use case redacts one by one; before parsing, only secrets that span several elements are redacted. */
  readonly redactedEach?: readonly string[]
  /** Other content types of the reply. */
  readonly produces?: readonly string[]
  /** The method that the daemon calls and the remote client implements. Absent: the daemon has a handler of its own. */
  readonly useCase?: UseCaseName
  /** The members of the input that are the method's arguments, in order. Absent: one argument, the whole input. */
  readonly args?: readonly string[]
  /** The member of the reply that holds the method's result. Absent: the reply is the result. */
  readonly result?: string
  /** Members of the input that have another name in the query string. */
  readonly sentAs?: Readonly<Record<string, string>>
  /** Members of the argument that only a caller in the daemon's process can give. */
  readonly notSent?: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

/** What a use case is called with, given the parsed input of its route. */
export function toArguments({ args }: Route, input: Members): readonly unknown[] {
  return args === undefined ? [input] : args.map((name) => input[name])
}

/** The JSON reply of a route whose use case returned `result`. */
export function toReply(route: Route, result: unknown): unknown {
  if (route.reply === NoReply) return { ok: true }
  return route.result === undefined ? result : { [route.result]: result }
}

/** The reverse of `toArguments`: the input that carries these arguments. */
export function toInput({ args, sentAs = {} }: Route, given: readonly unknown[]): Members {
  const members =
    args === undefined ? { ...Object(given[0]) } : Object.fromEntries(args.map((name, at) => [name, given[at]]))
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [sentAs[name] ?? name, value]))
}

/** The reverse of `toReply`: the result that a parsed reply carries. */
export function toResult(route: Route, reply: unknown): unknown {
  if (route.reply === NoReply) return undefined
  return route.result === undefined ? reply : Object(reply)[route.result]
}

type SchemaOutput<R, Name extends string> =
  R extends Readonly<Record<Name, infer Schema extends z.ZodType>> ? z.output<Schema> : unknown
type UseCaseInput<R> = SchemaOutput<R, 'params'> & SchemaOutput<R, 'query'> & SchemaOutput<R, 'body'>
type UseCaseMethod<R> = R extends { readonly useCase: `${infer Group extends keyof UseCases}.${infer Name}` }
  ? Name extends keyof UseCases[Group]
    ? UseCases[Group][Name]
    : never
  : never
type NotSent<R> = R extends { readonly notSent: readonly (infer Name extends string)[] } ? Name : never

type TakesInput<R, Given extends readonly unknown[]> = R extends { readonly args: infer Args extends readonly string[] }
  ? {
      [At in keyof Args]: Args[At] extends keyof UseCaseInput<R> ? UseCaseInput<R>[Args[At]] : never
    } extends Readonly<Given>
    ? true
    : false
  : SameShape<UseCaseInput<R>, Omit<Given[0], NotSent<R>>>

type GivesReply<R, Result> = R extends { readonly reply: typeof NoReply }
  ? Result extends void
    ? true
    : false
  : R extends { readonly result: infer Name extends string }
    ? SameShape<SchemaOutput<R, 'reply'>, { [Key in Name]: Result }>
    : SameShape<SchemaOutput<R, 'reply'>, Result>

type Fits<R> = R extends { readonly useCase: string }
  ? UseCaseMethod<R> extends (...given: infer Given) => Promise<infer Result>
    ? [TakesInput<R, Given>, GivesReply<R, Result>] extends [true, true]
      ? true
      : false
    : false
  : true

/**
 * `null`, or the names of the rows whose schemas are not those of their use case: `null satisfies MismatchedRoutes<typeof ROUTES>`
 * does not compile while there is one, and the error names it.
 */
export type MismatchedRoutes<Table> = [MismatchedRouteNames<Table>] extends [never] ? null : MismatchedRouteNames<Table>
type MismatchedRouteNames<Table> = { [Name in keyof Table]: Fits<Table[Name]> extends true ? never : Name }[keyof Table]
