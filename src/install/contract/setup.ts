import type { Home } from '../../platform/base/home.ts'
import type { Page } from '../../harness/descriptor/descriptor.ts'
import type { Piece } from './settings-edit.ts'

export const SCOPES = ['user', 'project', 'local'] as const
/** Whose sessions: all of this user's, everybody's in one project, or this user's in one project. */
export type Scope = (typeof SCOPES)[number]

/** What an installer needs to know of the machine. */
export interface SetupWorld {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: Home
  /** The folder of the built package that holds the launcher and the hook bundle. */
  readonly distDir: string
  /** The folder of the package that holds the skills and the snippet. */
  readonly skillsDir: string
  readonly platform: NodeJS.Platform
  readonly nodePath: string
  /** What describes the harness, for a setup that takes a page. */
  readonly page?: Page
}

export interface HttpWiring {
  readonly port: number
  readonly token: string
}

/** A harmless call by the very way that the harness would take. */
export type Probe =
  | { readonly way: 'command'; readonly command: string }
  | { readonly way: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly way: 'mcp'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

/** Understood by the daemon as a call that tells nothing; it notes that it was seen. */
export const PROBE_HOOK = 'HoldfastProbe'

/** How the entries of a piece reach us, read from the text as it stands. */
export interface HookReach {
  /** The Holdfast home that they name; undefined where they name none. */
  findHome(text: string): string | undefined
  /** How they call the daemon by HTTP; undefined where none does. */
  findHttp(text: string): HttpWiring | undefined
  /** Each way in which they reach us, asked for a hook that means nothing. */
  probes(text: string): readonly Probe[]
}

/** What a harness itself says of our hooks, where it runs none that its user has not approved. */
export interface TrustAnswer {
  /** The harness's own names of the hooks that it will run, and of those that it passes over. */
  readonly trusted: readonly string[]
  readonly untrusted: readonly string[]
  /** What it has to say about the files that it read them from. */
  readonly warnings: readonly string[]
}

/** What installing into one harness takes. It says what goes where; files are the installer's business. */
export interface HarnessSetup {
  readonly id: string
  readonly name: string
  /** Those the harness has a place for; the first is the one meant when none is named. */
  readonly scopes: readonly Scope[]
  /** Whether the harness can call HTTP by itself, and so wants a fixed port. */
  readonly usesHttp: boolean
  /** Whether a page of JSON says what goes where; there may be several, each an installation of its own. */
  readonly takesPage?: boolean
  /** Whether the harness seems to be on this machine. */
  isPresent(world: SetupWorld): boolean
  /**
   * Everything of ours for one scope, in the order of writing. Pure but for looking where files are: nothing is written.
   * Pieces with the same path make one change of that file.
   */
  pieces(world: SetupWorld, scope: Scope, http: HttpWiring | undefined): readonly Piece[]
  /** What a person still has to do in the harness itself, such as giving trust; a sentence each. */
  remainingSteps?(world: SetupWorld, scope: Scope): readonly string[]
  /** Asks the harness which of our hooks it would run; undefined where its program is not to be found. Absent where no trust is needed. */
  askTrust?(world: SetupWorld): Promise<TrustAnswer | undefined>
  /** Every file whose settings bear on hooks here, the administrator's included. */
  settingsFiles(world: SetupWorld): readonly string[]
  /** The setting that keeps the harness from running our hooks at all, as it stands in this text; undefined when there is none. */
  findSilencer(text: string, path: string): string | undefined
}
