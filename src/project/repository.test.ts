import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProjectId } from '../kernel/id.ts'
import {
  type CommitAnswer,
  compareAcrossMachines,
  compareRepositories,
  compareWithSessions,
  identityText,
} from './repository.ts'
import { type KnownLocation, type RepositoryFacts } from '../kernel/location.ts'

const LOCATION = '/srv/app/.git'
const stamp = fc.constantFrom('1.10', '1.20', '2.10', undefined)
const remotes = fc.uniqueArray(fc.constantFrom('host/a', 'host/b', 'host/c'), { maxLength: 3 })
const commit = fc.constantFrom('a', 'b', 'c').map((letter) => letter.repeat(40))
const answer = fc.constantFrom<CommitAnswer>('has-one', 'has-none', 'unknown')

/** Only fields that are there: a stamp that is undefined would be another thing than none. */
const known: fc.Arbitrary<KnownLocation> = fc
  .record({
    stamp,
    remotes,
    rootCommit: fc.option(commit, { nil: undefined }),
    commits: fc.uniqueArray(commit, { maxLength: 2 }),
  })
  .map(({ stamp: made, rootCommit, ...rest }) => ({
    machineId: 'desk',
    location: LOCATION,
    projectId: ProjectId('p'),
    lastSeenAt: '2026-01-01T00:00:00.000Z',
    ...rest,
    ...(made === undefined ? {} : { stamp: made }),
    ...(rootCommit === undefined ? {} : { rootCommit }),
  }))

const seen: fc.Arbitrary<RepositoryFacts> = fc
  .record({ stamp, remotes, head: fc.option(commit, { nil: undefined }) })
  .map(({ stamp: made, head, remotes: addresses }) => ({
    location: LOCATION,
    hasGit: true,
    remotes: addresses,
    ...(made === undefined ? {} : { stamp: made }),
    ...(head === undefined ? {} : { head }),
  }))

describe('whether it is the repository that was known at the path', () => {
  test('the same directory is the same one, whatever else has changed and whether git answers or not', () => {
    fc.assert(
      fc.property(known, seen, answer, (before, now, commits) => {
        fc.pre(now.stamp !== undefined)
        expect(compareRepositories({ ...before, stamp: now.stamp ?? '' }, now, commits)).toBe('same')
      }),
    )
  })

  test('another directory is another one where the naming remotes differ, whatever its other remotes and commits are', () => {
    fc.assert(
      fc.property(known, seen, answer, (before, now, commits) => {
        fc.pre(before.remotes.length > 0 && now.remotes.length > 0 && before.remotes[0] !== now.remotes[0])
        fc.pre(before.stamp === undefined || before.stamp !== now.stamp)
        expect(compareRepositories(before, now, commits)).toBe('other')
        expect(compareAcrossMachines(before, now, commits)).toBe('other')
      }),
    )
  })

  test('cloned again from the address that names it, it is the same one only with a known commit', () => {
    const expected = { 'has-one': 'same', 'has-none': 'other', unknown: 'unknown' } as const
    fc.assert(
      fc.property(known, seen, answer, (before, now, commits) => {
        fc.pre(before.remotes.length > 0 && (before.stamp === undefined || before.stamp !== now.stamp))
        const again = { ...now, remotes: before.remotes.slice(0, 1) }
        const isCommitKnown = before.commits.length > 0 || before.rootCommit !== undefined
        const isStampMissing = before.stamp === undefined || again.stamp === undefined
        const byPlace = isStampMissing ? 'same' : 'other'
        expect(compareRepositories(before, again, commits)).toBe(isCommitKnown ? expected[commits] : byPlace)
        expect(compareAcrossMachines(before, again, commits)).toBe(isCommitKnown ? expected[commits] : 'other')
      }),
    )
  })

  test('another answer than the one git would give comes only from git: unknown is never turned into same or other', () => {
    fc.assert(
      fc.property(known, seen, (before, now) => {
        const withoutGit = compareRepositories(before, now, 'unknown')
        const answers = new Set([
          compareRepositories(before, now, 'has-one'),
          compareRepositories(before, now, 'has-none'),
        ])
        if (withoutGit !== 'unknown' && before.commits.length > 0) expect(answers).toEqual(new Set([withoutGit]))
        if (withoutGit === 'unknown') expect(answers).toEqual(new Set(['same', 'other']))
      }),
    )
  })

  test('a commit that is known decides wherever a remote is missing', () => {
    fc.assert(
      fc.property(known, seen, (before, now) => {
        fc.pre(before.remotes.length === 0 || now.remotes.length === 0)
        fc.pre(before.commits.length > 0)
        expect(compareRepositories(before, now, 'has-one')).toBe('same')
        const isAnother = before.stamp !== undefined && now.stamp !== undefined && before.stamp !== now.stamp
        if (isAnother) expect(compareRepositories(before, now, 'has-none')).toBe('other')
      }),
    )
  })

  test('on another machine the path and the stamp count for nothing', () => {
    fc.assert(
      fc.property(known, seen, (before, now) => {
        const bare = { ...before, remotes: [], commits: [], rootCommit: undefined, stamp: now.stamp }
        expect(compareAcrossMachines(bare, now, 'has-none')).toBe('other')
      }),
    )
  })
})

describe('whether sessions from before locations were kept are of the repository', () => {
  test('they are where git has one of their commits, whatever the address is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ remote: fc.constantFrom('host/a', 'host/b'), head: commit })),
        seen,
        (places, now) => {
          fc.pre(places.length > 0)
          expect(compareWithSessions(places, now, 'has-none')).toBe('other')
          expect(compareWithSessions(places, now, 'unknown')).toBe('unknown')
          expect(compareWithSessions(places, now, 'has-one')).toBe('same')
        },
      ),
    )
  })

  test('they are where they say nothing at all', () => {
    fc.assert(
      fc.property(seen, answer, (now, commits) => {
        expect(compareWithSessions([{}], now, commits)).toBe('same')
      }),
    )
  })
})

test('a project is named by its location and its remote on every machine, and by its directory on this one without a remote', () => {
  fc.assert(
    fc.property(
      seen,
      seen,
      fc.constantFrom('desk', 'laptop'),
      fc.constantFrom('desk', 'laptop'),
      (one, other, a, b) => {
        const isSame = identityText(one, a) === identityText(other, b)
        const [mine, theirs] = [one.remotes[0], other.remotes[0]]
        if (mine === undefined && theirs === undefined) expect(isSame).toBe(a === b && one.stamp === other.stamp)
        else expect(isSame).toBe(mine === theirs)
      },
    ),
  )
})
