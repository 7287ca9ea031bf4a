import { join } from 'node:path'
import { Holdfast } from './holdfast.ts'
import { type ModelTurn, ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

/** What every client needs around it. */
export interface Surroundings {
  readonly workspace: Workspace
  readonly model: ScriptedModel
  readonly holdfast: Holdfast
}

export async function surroundings(): Promise<Surroundings> {
  const workspace = await Workspace.create()
  return { workspace, model: await ScriptedModel.start(), holdfast: new Holdfast(workspace) }
}

/** Real clients, a scripted model, a project, and Holdfast; all of it ends with the setup. */
export abstract class ClientSetup implements AsyncDisposable, Surroundings {
  readonly workspace: Workspace
  readonly model: ScriptedModel
  readonly holdfast: Holdfast

  protected constructor({ workspace, model, holdfast }: Surroundings) {
    this.workspace = workspace
    this.model = model
    this.holdfast = holdfast
  }

  inProject(...path: readonly string[]): string {
    return join(this.workspace.project, ...path)
  }

  /** The turns since a moment: not every client's requests name their session. */
  turnsSince(count: number): readonly ModelTurn[] {
    return this.model.turns.slice(count).filter((turn) => turn.purpose === 'turn')
  }

  /** The turns of one session: by its name, or since the moment it began where a client's requests name none. */
  turnsIn(sessionId: string, _since: number): readonly ModelTurn[] {
    return this.model.turnsOf(sessionId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.holdfast[Symbol.asyncDispose]()
    } finally {
      await this.model[Symbol.asyncDispose]()
      await this.workspace[Symbol.asyncDispose]()
    }
  }
}

/** The setup once that was done to it; where it cannot be done, nothing of the setup is left. */
export async function prepared<Setup extends AsyncDisposable>(
  setup: Setup,
  prepare: (setup: Setup) => Promise<void>,
): Promise<Setup> {
  try {
    await prepare(setup)
    return setup
  } catch (error) {
    await setup[Symbol.asyncDispose]()
    throw error
  }
}
