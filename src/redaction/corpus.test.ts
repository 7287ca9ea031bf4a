import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { benignLines, plantSecrets, survives } from '../../test/support/synthetic-secrets.ts'
import { createRedactor } from './redactor.ts'

function sourceLines(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => readFileSync(join(folder, path), 'utf8').split('\n'))
}

describe('the corpus', () => {
  const redactor = createRedactor()

  test('at least 98 % of the secrets are removed, in every context', () => {
    const planted = [1, 2, 3].flatMap(plantSecrets)
    const missed = planted.filter(({ secret, text }) => survives(secret, redactor.redact(text)))
    expect(planted.length).toBeGreaterThanOrEqual(300)
    expect(missed.slice(Math.floor(planted.length * 0.02))).toEqual([])
  })

  test('a redactor that does nothing fails the same count', () => {
    const planted = plantSecrets(1)
    expect(planted.filter(({ secret, text }) => !survives(secret, text))).toEqual([])
  })

  test('at most 1 % of ordinary lines change', () => {
    const lines = benignLines(7, 1_200)
    const changed = lines.filter((line) => redactor.redact(line) !== line)
    expect(changed.slice(Math.floor(lines.length * 0.01))).toEqual([])
  })

  test('at most 1 % of our own source lines change', () => {
    const lines = sourceLines(join(import.meta.dirname, '..'))
    const changed = lines.filter((line) => redactor.redact(line) !== line)
    expect(lines.length).toBeGreaterThan(1_000)
    expect(changed.slice(Math.floor(lines.length * 0.01))).toEqual([])
  })
})
