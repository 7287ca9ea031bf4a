import { readSettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, SetupWorld } from './contract/setup.ts'

/** A setting because of which none of our hooks runs, however well they are installed. */
export interface Silencer {
  readonly path: string
  readonly setting: string
}

/** In any file that the harness reads here. One that cannot be read is passed over: it may be the administrator's, and is no reason to stop. */
export function findSilencers(setup: HarnessSetup, world: SetupWorld): readonly Silencer[] {
  return [...new Set(setup.settingsFiles(world))].flatMap((path) => {
    try {
      const { text } = readSettingsFile(path)
      const setting = text === undefined ? undefined : setup.findSilencer(text, path)
      return setting === undefined ? [] : [{ path, setting }]
    } catch {
      return []
    }
  })
}

export function adviceOn({ path, setting }: Silencer): string {
  return `Take \`${setting}\` out of ${path}; where it is not yours, ask whoever administers this machine.`
}
