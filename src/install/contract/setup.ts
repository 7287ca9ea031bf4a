import type { Home } from '../../platform/base/home.ts'
import type { HarnessDescriptor } from '../../harness/descriptor/descriptor.ts'
import type { SettingsEdit } from './settings-edit.ts'

export const SCOPES = ['user', 'project', 'local'] as const
/** The sessions that are connected: all of this user's, those of all users in one project, or this user's in one project. */
export type Scope = (typeof SCOPES)[number]

/** The machine as an installer sees it. */
export interface SetupPorts {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: Home
  /** The folder of the built package with the launcher and the hook bundle. */
  readonly distDir: string
  /** The folder of the package with the skills, the snippet and the bootstrap lines. */
  readonly skillsDir: string
  readonly platform: NodeJS.Platform
  readonly nodePath: string
  /** Set for a setup that takes a descriptor. */
  readonly descriptor?: HarnessDescriptor
}

export interface HttpWiring {
  readonly port: number
  readonly token: string
}

/** A harmless call in the same way as the harness would call. */
export type Probe =
  | { readonly way: 'command'; readonly command: string }
  | { readonly way: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly way: 'mcp'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

/** A hook without meaning: the daemon only records that it was called. */
export const PROBE_HOOK = 'HoldfastProbe'

/** How the harness reaches us through an edit, read from the file's current text. */
export interface HookReach {
  /** The Holdfast home in the entries; undefined where they name none. */
  findHome(text: string): string | undefined
  /** How the entries call the daemon by HTTP; undefined where none does. */
  findHttp(text: string): HttpWiring | undefined
  /** A probe for each way in which the entries reach us. */
  probes(text: string): readonly Probe[]
}

/** The state of our hooks in a harness that runs only hooks which its user has approved. */
export interface TrustAnswer {
  /** The harness's names of the hooks that it will run, and of those that it skips. */
  readonly trusted: readonly string[]
  readonly untrusted: readonly string[]
  /** Its warnings about the files that it read them from. */
  readonly warnings: readonly string[]
}

/** How to install into one harness: it lists the edits, and the installer writes the files. */
/** As `bench/cost` measured it in the client's version that `test/clients` pins. */
export interface ToolCost {
  /** What the model is sent of a tool before it is needed. */
  readonly sends: 'definition' | 'name' | 'nothing'
  /** Characters that the harness adds by itself to each tool, and once for the server. */
  readonly addedPerTool: number
  readonly addedOnce: number
}

export interface HarnessSetup {
  readonly id: string
  readonly name: string
  /** The scopes that the harness supports; the first is the default. */
  readonly scopes: readonly Scope[]
  /** Whether the harness can call HTTP by itself, and so needs a fixed port. */
  readonly usesHttp: boolean
  /** What the harness puts into the context for an MCP server; without it, whole tool definitions are assumed. */
  readonly toolCost?: ToolCost
  /** Whether a descriptor lists the edits; each descriptor is an installation of its own. */
  readonly takesDescriptor?: boolean
  /** Whether the harness seems to be on this machine. */
  isPresent(ports: SetupPorts): boolean
  /** All edits of one scope, in the order of writing. May look at files, but writes nothing. Edits with the same path make one change of that file. */
  edits(ports: SetupPorts, scope: Scope, http: HttpWiring | undefined): readonly SettingsEdit[]
  /** What the user still has to do in the harness, such as giving trust; a sentence each. */
  remainingSteps?(ports: SetupPorts, scope: Scope): readonly string[]
  /** Asks the harness which of our hooks it would run; undefined where its program is not found. Absent where no trust is needed. */
  askTrust?(ports: SetupPorts): Promise<TrustAnswer | undefined>
  /** Every file whose settings affect hooks here, including the administrator's. */
  settingsFiles(ports: SetupPorts): readonly string[]
  /** The setting in this text that keeps the harness from running our hooks at all; undefined when there is none. */
  findDisablingSetting(text: string, path: string): string | undefined
}
