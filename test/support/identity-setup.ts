import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ProjectId } from '../../src/kernel/id.ts'
import type { Machine } from '../../src/kernel/location.ts'
import { createProjectLocator, type ProjectLocatorPorts } from '../../src/project/project-locations.ts'
import type { LocatedRepository } from '../../src/kernel/location.ts'
import type { Store } from '../../src/kernel/ports/ports.ts'
import type { Location } from '../../src/kernel/location.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { localFiles } from '../../src/platform/files/files.ts'
import { createGit } from '../../src/platform/git/git.ts'
import { createLocator } from '../../src/platform/locator.ts'
import { readRootCommit } from '../../src/platform/git/git-queries.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import { git, gitRepository, tempDir } from './temp-dir.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const patientGit = createGit({ timeoutMs: 60_000 })
const DESK: Machine = { id: 'desk', hostId: 'desk', name: 'desk', sharesStore: false }

interface Setup extends AsyncDisposable {
  readonly store: Store
  readonly dir: string
  /** A daemon that starts now and remembers nothing but what is kept; what it finds out behind an answer is waited for. */
  daemon(more?: Partial<ProjectLocatorPorts>): { locate(cwd: string): Promise<Location> }
  idOf(cwd: string, more?: Partial<ProjectLocatorPorts>): Promise<ProjectId>
}

/** Calls that are under way: what is written down behind an answer is there once there are none. */
class Calls {
  readonly #underWay = new Set<Promise<unknown>>()

  of<Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) {
    return (...args: Args): Promise<Result> => {
      const result = call(...args)
      this.#underWay.add(result)
      const forget = () => void this.#underWay.delete(result)
      result.then(forget, forget)
      return result
    }
  }

  async settled(): Promise<void> {
    do {
      await Promise.allSettled(this.#underWay)
      await setImmediate()
    } while (this.#underWay.size > 0)
  }
}

export async function createSetup(): Promise<Setup> {
  const temporary = tempDir()
  const store = await openSqliteStore({ file: ':memory:' })
  const calls = new Calls()
  const daemon = (more: Partial<ProjectLocatorPorts> = {}) => {
    const deps = {
      surveyor: createLocator({ clock: systemClock }),
      git: patientGit,
      rootCommit: async () => undefined,
      ...more,
    }
    const locator = createProjectLocator({
      store: { ...store, saveLocation: calls.of((known) => store.saveLocation(known)) },
      files: localFiles,
      clock: systemClock,
      log: { info: () => undefined, warn: () => undefined },
      sha256,
      machine: DESK,
      ...more,
      surveyor: { survey: calls.of((cwd) => deps.surveyor.survey(cwd)) },
      git: { heldCommits: calls.of((worktree, commits) => deps.git.heldCommits(worktree, commits)) },
      rootCommit: calls.of(deps.rootCommit),
    })
    return {
      async locate(cwd: string) {
        const place = await locator.locate(cwd)
        if (more.rootCommit === undefined || more.rootCommit === readRootCommit) await calls.settled()
        return place
      },
    }
  }
  return {
    store,
    dir: temporary.path,
    daemon,
    idOf: async (cwd, more) => (await daemon(more).locate(cwd)).projectId,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      temporary[Symbol.dispose]()
    },
  }
}

/** A repository with a file of its own, so that no two have a commit in common. */
export function aRepository(path: string, words: string): string {
  gitRepository(path)
  git(path, 'commit', '-q', '--allow-empty', '-m', words)
  return path
}

export function clone(from: string, to: string, remote: string): void {
  git(join(to, '..'), 'clone', '-q', from, to)
  git(to, 'remote', 'set-url', 'origin', remote)
}

export const withoutStamps = (): Partial<ProjectLocatorPorts> => {
  const places = createLocator({ clock: systemClock })
  const survey = async (cwd: string): Promise<LocatedRepository> => {
    const seen = await places.survey(cwd)
    const { stamp: _stamp, ...repository } = seen.repository
    return { ...seen, repository }
  }
  return { surveyor: { survey } }
}

export const onMachine = (id: string): Partial<ProjectLocatorPorts> => ({
  machine: { id, hostId: id, name: id, sharesStore: true },
})
