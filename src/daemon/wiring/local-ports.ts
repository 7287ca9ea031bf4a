import { createHash } from 'node:crypto'
import type { ContinuityDeps } from '../../kernel/runtime.ts'
import type { Clock, Places, Surveys } from '../../kernel/ports.ts'
import { systemEntropy } from '../../platform/base/entropy.ts'
import { localFiles } from '../../platform/files/files.ts'
import { createPlaces } from '../../platform/places.ts'
import { systemProcesses } from '../../platform/process/processes.ts'
import { createTranscripts } from '../../harness/transcripts.ts'
import { createSharedGit } from './shared-git.ts'
import { systemTimers } from '../process/timers.ts'

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
