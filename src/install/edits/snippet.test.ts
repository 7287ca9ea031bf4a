import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveHome } from '../../platform/base/home.ts'
import type { SetupPorts } from '../contract/setup.ts'
import { snippetEdit } from './snippet.ts'

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
