import type { Home } from '../platform/home.ts'
import type { SettingsEdit } from './settings-text.ts'

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
  readonly platform: NodeJS.Platform
  readonly nodePath: string
}

export interface HttpWiring {
  readonly port: number
  readonly token: string
}

/** A harmless call by the very way that the harness would take. */
export type Probe =
  | { readonly way: 'command'; readonly command: string }
  | { readonly way: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** Understood by the daemon as a call that tells nothing; it notes that it was seen. */
export const PROBE_HOOK = 'HoldfastProbe'

/** What installing into one harness takes. The text functions are pure; files are the installer's business. */
export interface HarnessSetup {
  readonly id: string
  readonly name: string
  /** Whether the harness can call HTTP by itself, and so wants a fixed port. */
  readonly usesHttp: boolean
  /** Whether the harness seems to be on this machine. */
  isPresent(world: SetupWorld): boolean
  settingsPath(world: SetupWorld, scope: Scope): string
  /** Every file whose settings bear on hooks here, the administrator's included. */
  settingsFiles(world: SetupWorld): readonly string[]
  /** Adds our entries to a text that holds none of them. */
  add(text: string, world: SetupWorld, http: HttpWiring | undefined, path: string): SettingsEdit
  /** Takes our entries out and leaves everything else byte for byte. */
  remove(text: string, edit: Omit<SettingsEdit, 'text'> | undefined, path: string): string
  /** Our entries as they stand, by hook. */
  find(text: string, path: string): ReadonlyMap<string, readonly unknown[]>
  /** The setting that keeps the harness from running our hooks at all, as it stands in this text; undefined when there is none. */
  findSilencer(text: string, path: string): string | undefined
  /** The Holdfast home that our entries name, as they stand; undefined where they name none. */
  findHome(text: string, path: string): string | undefined
  /** How our entries call the daemon by HTTP, as they stand; undefined where none does. */
  findHttp(text: string, path: string): HttpWiring | undefined
  /** Each way in which our entries reach us, asked for a hook that means nothing. */
  probes(text: string, path: string): readonly Probe[]
}
