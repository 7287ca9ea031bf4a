import { describe, expect, test } from 'vitest'
import type { Project } from '../kernel/agent-records.ts'
import { ProjectId } from '../kernel/id.ts'
import { matchName } from './projects.ts'

const project = (name: string, keywords: readonly string[] = []): Project => ({
  name,
  rootPath: `/home/dev/${name}`,
  projectId: ProjectId(name),
  keywords,
  addedAt: '2026-01-01T00:00:00.000Z',
})
const PROJECTS = [
  project('app'),
  project('app-server'),
  project('Website', ['shop']),
  project('tool-a'),
  project('tool-b'),
]

describe('the project that a name means', () => {
  test.each([
    ['app', 'app', 'name'],
    ['app-server', 'app-server', 'name'],
    ['website', 'Website', 'similar-name'],
    ['shop', 'Website', 'similar-name'],
    ['the-website', 'Website', 'similar-name'],
    ['app-serv', 'app-server', 'similar-name'],
    ['my-app', 'app', 'similar-name'],
  ])('%s is %s, by %s', (asked, name, matchedBy) => {
    const match = matchName(asked, PROJECTS)
    expect([match?.project.name, match?.matchedBy]).toEqual([name, matchedBy])
  })

  test.each(['nobody', 'x', 'a'])('%s is none', (asked) => {
    expect(matchName(asked, PROJECTS)).toBeUndefined()
  })

  test('two that are equally close are refused by name, unless the directory decides', () => {
    expect(() => matchName('tool', PROJECTS)).toThrow('"tool" matches several projects: tool-a, tool-b.')
    expect(matchName('tool', PROJECTS, ({ name }) => name === 'tool-b')?.project.name).toBe('tool-b')
  })
})
