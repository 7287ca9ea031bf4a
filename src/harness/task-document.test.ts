import { describe, expect, test } from 'vitest'
import { readTaskDocument } from './task-document.ts'

const STORY = `# Story 1.1: Set-up

As a developer I want it to build.

## Tasks

- [x] Task 1: scaffold
- [ ] Task 2: configure
  - [ ] write \`src/styles/global.css\`
1. [ ] number three

Types go to src/lib/types.ts.

\`\`\`
not/this/one.ts
\`\`\`
`

const KEPT = `# Story 1.1: Set-up
- [ ] Task 2: configure
  - [ ] write \`src/styles/global.css\`
1. [ ] number three
Types go to src/lib/types.ts.`

describe('a document that lays out work', () => {
  test('is its title, its open boxes and the lines that name files', () => {
    expect(readTaskDocument(STORY)).toBe(KEPT)
  })

  test.each([
    ['an arrow', (line: string, at: number) => `${String(at + 1).padStart(6)}→${line}`],
    ['a tab', (line: string, at: number) => `${String(at + 1).padStart(6)}\t${line}`],
    ['a colon', (line: string, at: number) => `${at + 1}: ${line}`],
  ])('is the same where its lines are numbered with %s', (_, numbered) => {
    expect(readTaskDocument(STORY.split('\n').map(numbered).join('\n'))).toBe(KEPT)
  })

  test('is none without two open boxes', () => {
    expect(readTaskDocument('# Done\n- [x] one\n- [x] two')).toBeUndefined()
    expect(readTaskDocument('- [ ] one')).toBeUndefined()
    expect(readTaskDocument('const [ ] = x\narray[ ]\n[ ] no bullet')).toBeUndefined()
  })

  test('is bounded', () => {
    expect(readTaskDocument('- [ ] a\n'.repeat(20_000))?.length).toBeLessThanOrEqual(4_000)
  })
})
