import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function watch(isTerminal: boolean): string {
  let text = ''
  const progress = createProgress({ err: (more) => void (text += more) }, 'Reading', isTerminal)
  progress.show(1, 4)
  progress.show(1, 4)
  progress.show(4, 4)
  progress.end()
  progress.end()
  return text
}

test('the bar grows on one line and is taken away', () => {
  const quarter = `Reading ${'█'.repeat(6)}${'░'.repeat(18)} 1/4`
  const whole = `Reading ${'█'.repeat(24)} 4/4`
  expect(watch(true)).toBe(`\r${quarter}\r${whole}\r${' '.repeat(whole.length)}\r`)
})

test('nothing is written where nobody watches', () => {
  expect(watch(false)).toBe('')
})
