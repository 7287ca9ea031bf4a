import { expect, test } from 'vitest'
import { classifyUse } from './entity-check.ts'

test.each([
  ['export async function open(path) {', 'definition'],
  ['func (r *Rule) open() bool {', 'definition'],
  ['  open(path: string): void {', 'definition'],
  ['static char *open(void)', 'definition'],
  ['    def self.open', 'definition'],
  ['open = 3', 'definition'],
  ['#define open 1', 'definition'],
  ['  return open(path)', 'mention'],
  ['  await open(path)', 'mention'],
  ['  store.open(path)', 'mention'],
  ['import { open } from "./store"', 'mention'],
  ['if (open === 3) {', 'mention'],
  ['reopen(opened)', undefined],
  ['', undefined],
])('%s', (text, use) => {
  expect(classifyUse(text, 'open')).toBe(use)
})
