import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveHome } from '../../platform/base/home.ts'
import type { SetupPorts } from '../contract/setup.ts'
import { bootstrapEdit, snippetEdit } from './snippet.ts'

const skillsDir = join(import.meta.dirname, '..', '..', '..', 'skills')
const ports: SetupPorts = {
  env: {},
  cwd: '/p',
  home: resolveHome({ HOLDFAST_HOME: '/h' }),
  distDir: '/opt/dist',
  skillsDir,
  platform: 'linux',
  nodePath: '/usr/bin/node',
}
const piece = snippetEdit({ path: '/p/CLAUDE.md', ports })
const SNIPPET = readFileSync(join(skillsDir, 'snippet.md'), 'utf8')

describe('the snippet', () => {
  test('goes to the end, a blank line after what is there', () => {
    expect(piece.add('').text).toBe(SNIPPET)
    expect(piece.add('# Rules').text).toBe(`# Rules\n\n${SNIPPET}`)
    expect(piece.add('# Rules\n').text).toBe(`# Rules\n\n${SNIPPET}`)
    expect(piece.add('# Rules\n\n').text).toBe(`# Rules\n\n${SNIPPET}`)
    expect(piece.add('# Rules\r\n').text).toBe(`# Rules\r\n\r\n${SNIPPET.replaceAll('\n', '\r\n')}`)
  })

  test.each(['', '# Rules', '# Rules\n', 'a\r\n\r\n', '\n\n\n'])('leaves %j as it was', (text) => {
    const edit = piece.add(text)
    expect(piece.remove(edit.text, edit)).toBe(text)
  })

  test('leaves what was written above and below it since', () => {
    const edit = piece.add('# Rules\n')
    expect(piece.remove(`# New\n\n${edit.text}\nMore.\n`, edit)).toBe('# New\n\n# Rules\n\nMore.\n')
    expect(piece.remove(`Above.\n${SNIPPET}Below.\n`, undefined)).toBe('Above.\nBelow.\n')
  })

  test('is the same with other newlines, and another one with other words', () => {
    const found = piece.find(SNIPPET)
    expect(piece.find(`# Rules\r\n${SNIPPET.replaceAll('\n', '\r\n')}`)).toEqual(found)
    expect(piece.find(SNIPPET.replace('Start', 'Begin'))).not.toEqual(found)
    expect(piece.find('# Rules\n')).toEqual(new Map())
  })

  test('a package without its snippet says so', () => {
    const broken = snippetEdit({ path: '/p/CLAUDE.md', ports: { ...ports, skillsDir: '/nowhere' } })
    expect(() => broken.add('')).toThrow('/nowhere/snippet.md is missing')
  })
})

describe('the bootstrap lines', () => {
  const bootstrap = bootstrapEdit({ path: '/h/AGENTS.md', ports, harness: 'codex', projectFile: 'AGENTS.md' })
  const THEIRS =
    '<!-- session-continuity-bootstrap -->\n## Project Bootstrap\n\nAppend it.\n<!-- /session-continuity-bootstrap -->\n'

  test('name the file and the command of their harness, and ask before anything is changed', () => {
    const { text } = bootstrap.add('')
    expect(text).toContain('If `AGENTS.md` of the project')
    expect(text).toContain(
      '\n    holdfast init --harness codex --scope project --with snippet --no-hooks --no-mcp --yes\n',
    )
    expect(text).toContain('Change nothing before the user says yes.')
    expect(text).not.toContain('{{')
  })

  test('with the snippet above them, each leaves the other as it was', () => {
    const both = bootstrap.add(piece.add('# Rules').text).text
    expect(piece.remove(both, undefined)).toBe(`# Rules\n\n\n${bootstrap.add('').text}`)
    expect(bootstrap.remove(both, bootstrap.add(piece.add('# Rules').text))).toBe(`# Rules\n\n${SNIPPET}`)
  })

  test('those of session-continuity-mcp are neither ours, nor removed, nor doubled', () => {
    expect(bootstrap.findObstacle?.(THEIRS)).toBe('has a block `session-continuity-bootstrap` of another program')
    expect([bootstrap.find(THEIRS), bootstrap.remove(THEIRS, undefined)]).toEqual([new Map(), THEIRS])
    const both = `${THEIRS}${bootstrap.add('').text}`
    expect(bootstrap.findObstacle?.(both)).toBeUndefined()
    expect(bootstrap.remove(both, undefined)).toBe(THEIRS)
  })

  test('are recognised and removed after their heading was reworded', () => {
    const edit = bootstrap.add('# Rules\n')
    const reworded = edit.text.replace(/^## .*$/m, '## My own heading')
    expect(reworded).not.toContain('(Holdfast)')
    expect(bootstrap.findObstacle?.(reworded)).toBeUndefined()
    expect(bootstrap.remove(reworded, edit)).toBe('# Rules\n')
    expect(bootstrap.remove(reworded, undefined)).toBe('# Rules\n\n')
  })
})
