import type { Home } from '../../platform/base/home.ts'
import { manifestAt } from '../../install/manifest-at.ts'
import { type Page, readPage } from '../descriptor/descriptor.ts'

/** The pages that are connected, by name: as they were before where the manifest can no longer be read. Throws where it never could. */
export function keptPages(home: Pick<Home, 'manifestFile'>): (name: string) => Page | undefined {
  const pages = manifestAt(home, (installations) => {
    const read = installations.map((record) => readPage(record.page).page)
    return new Map(read.flatMap((page) => (page === undefined ? [] : [[page.name, page] as const])))
  })
  let known: ReadonlyMap<string, Page> = new Map()
  return (name) => {
    try {
      known = pages()
    } catch (thrown) {
      if (!known.has(name)) throw thrown
    }
    return known.get(name)
  }
}
