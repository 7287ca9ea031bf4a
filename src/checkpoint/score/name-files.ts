import type { Scene } from '../work/state.ts'

/** Where a name was changed says more of it than where it was read. */
const SAYING_LITTLE_FIRST = ['shown', 'acted'] as const

/** The file that each name was last worked on in, or else last read in. */
export function filesOfNames(scenes: readonly Scene[] = []): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const kind of SAYING_LITTLE_FIRST) {
    for (const scene of scenes) {
      if (scene.kind !== kind || scene.path === undefined) continue
      for (const name of scene.names) files.set(name, scene.path)
    }
  }
  return files
}
