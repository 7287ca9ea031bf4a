import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
const WORDS = 'ripple scissors kick mammal hire column oak again sun offer wealth tomorrow'

describe('recovery phrases of wallets', () => {
  test.each([
    [`mnemonic: ${WORDS}`, 'mnemonic: [REDACTED:seed-phrase]'],
    [`MNEMONIC="${WORDS}"`, 'MNEMONIC="[REDACTED:seed-phrase]"'],
    [`my seed phrase is ${WORDS}.`, 'my seed phrase is [REDACTED:seed-phrase].'],
    [`{\\"recoveryPhrase\\": \\"${WORDS}\\"}`, '{\\"recoveryPhrase\\": \\"[REDACTED:seed-phrase]\\"}'],
  ])('are taken out: %s', (text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
  })

  test.each([
    `the words: ${WORDS}`,
    'mnemonic: string',
    'const mnemonic = generateMnemonic()',
    `mnemonic: ${WORDS.slice(0, 30)}`,
    'the mnemonic: each letter stands for one step and the last letter ends them all',
  ])('are none: %s', (text) => {
    expect(redactor.redact(text)).toBe(text)
  })
})
