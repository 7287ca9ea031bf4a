import { statSync } from 'node:fs'
import { errnoOf } from '../../platform/errno.ts'
import type { Home } from '../../platform/home.ts'
import { readManifest } from '../manifest.ts'
import { type Page, readPage } from './page.ts'

/** The pages that are connected, by name; the manifest is read again only when it changed. */
export function keptPages(home: Pick<Home, 'manifestFile'>): (name: string) => Page | undefined {
  let known = new Map<string, Page>()
  let readAt: string | undefined

  function stamp(): string | undefined {
    try {
      const { mtimeMs, size, ino } = statSync(home.manifestFile)
      return `${mtimeMs}.${size}.${ino}`
    } catch (thrown) {
      if (errnoOf(thrown) === 'ENOENT') return undefined
      throw thrown
    }
  }

  return (name) => {
    const now = stamp()
    if (now !== readAt) {
      const pages = now === undefined ? [] : readManifest(home).map((record) => readPage(record.page).page)
      known = new Map(pages.flatMap((page) => (page === undefined ? [] : [[page.name, page] as const])))
      readAt = now
    }
    return known.get(name)
  }
}
