import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { redactionPatterns } from '../../../test/support/redaction-patterns.ts'
import { isObject } from '../../kernel/json-shape.ts'

const REFRESH = 'node scripts/prove-redaction-patterns.mjs'

function proofs(): Record<string, unknown> {
  const parsed: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', 'fixtures', 'pattern-proofs.json'), 'utf8'),
  )
  return isObject(parsed) ? parsed : {}
}

function keyOf(source: string, flags: string): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 32)
}

test('every pattern is proven to be linear; refresh the proofs with the command in the message', () => {
  const known = proofs()
  const unproven = redactionPatterns().filter(({ source, flags }) => {
    const proof = known[keyOf(source, flags)]
    return !(isObject(proof) && proof['status'] === 'safe')
  })
  expect(unproven.map(({ name }) => `${name}: not proven, run ${REFRESH}`)).toEqual([])
})

test('an unproven pattern is reported', () => {
  expect(proofs()[keyOf('(a+)+$', '')]).toBeUndefined()
})

test('patterns are defined only where the proof finds them', () => {
  const literal = /(?:^|[(,=:?&|!]\s*|return )\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/
  const elsewhere = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('patterns.ts'))
    .flatMap((path) =>
      readFileSync(join(import.meta.dirname, path), 'utf8')
        .split('\n')
        .filter((line) => literal.test(line.replace(/^\s*(?:\*|\/\/).*/, '').replace(/'[^']*'|`[^`]*`/g, '')))
        .map((line) => `${path}: ${line.trim()}`),
    )
  expect(elsewhere).toEqual([])
})
