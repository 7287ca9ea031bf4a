import type { Home } from '../../platform/home.ts'
import { manifestAt } from '../manifest-at.ts'
import { type Page, readPage } from './page.ts'

/** The pages that are connected, by name. */
export function keptPages(home: Pick<Home, 'manifestFile'>): (name: string) => Page | undefined {
  const pages = manifestAt(home, (installations) => {
    const read = installations.map((record) => readPage(record.page).page)
    return new Map(read.flatMap((page) => (page === undefined ? [] : [[page.name, page] as const])))
  })
  return (name) => pages().get(name)
}
