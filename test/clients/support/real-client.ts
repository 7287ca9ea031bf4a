import type { ScriptedModel } from './scripted-model.ts'
import type { Workspace } from './workspace.ts'

/** What a client is made in. */
export interface ClientInput {
  readonly workspace: Workspace
  readonly model: ScriptedModel
  /** Where Holdfast is, for the hooks that the client runs. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A real client in a home of its own, with the scripted model as its only model. */
export abstract class RealClient {
  readonly workspace: Workspace
  readonly model: ScriptedModel
  readonly extraEnvironment: Readonly<Record<string, string>>

  protected constructor(
    readonly program: string,
    { workspace, model, environment = {} }: ClientInput,
  ) {
    this.workspace = workspace
    this.model = model
    this.extraEnvironment = environment
  }
}
