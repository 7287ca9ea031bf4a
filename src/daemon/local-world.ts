import { createHash } from 'node:crypto'
import type { ContinuityDeps } from '../core/continuity/deps.ts'
import type { Clock, Places, Surveys } from '../core/ports.ts'
import { systemEntropy } from '../platform/entropy.ts'
import { localFiles } from '../platform/files.ts'
import { createPlaces } from '../platform/places.ts'
import { systemProcesses } from '../platform/processes.ts'
import { createTranscripts } from '../transcript/transcripts.ts'
import { createSharedGit } from './shared-git.ts'
import { systemTimers } from './timers.ts'

type LocalWorld = Pick<
  ContinuityDeps,
  'clock' | 'timers' | 'entropy' | 'files' | 'git' | 'processes' | 'transcripts' | 'sha256'
> & { readonly places: Places & Surveys }

/** This machine, as the use cases see it. */
export function localWorld(clock: Clock): LocalWorld {
  return {
    clock,
    timers: systemTimers,
    entropy: systemEntropy,
    files: localFiles,
    git: createSharedGit(clock),
    places: createPlaces({ clock }),
    processes: systemProcesses,
    transcripts: createTranscripts(),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
  }
}
