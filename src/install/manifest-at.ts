import { statSync } from 'node:fs'
import { errnoOf } from '../platform/base/errno.ts'
import type { Home } from '../platform/base/home.ts'
import { type Installation, readManifest } from './manifest.ts'

function stampOf(file: string): string | undefined {
  try {
    const { mtimeMs, size, ino } = statSync(file)
    return `${mtimeMs}.${size}.${ino}`
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** What is made of the manifest as it is now: the file is read again only when it changed. Throws where it cannot be read. */
export function manifestAt<Made>(
  home: Pick<Home, 'manifestFile'>,
  make: (installations: readonly Installation[]) => Made,
): () => Made {
  let known: { readonly made: Made; readonly stamp: string | undefined } = { made: make([]), stamp: undefined }
  return () => {
    const stamp = stampOf(home.manifestFile)
    if (stamp !== known.stamp) known = { made: make(stamp === undefined ? [] : readManifest(home)), stamp }
    return known.made
  }
}
