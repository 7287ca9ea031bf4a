import { describe, expect, test } from 'vitest'
import { readTaskDocument } from './tool-output.ts'

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
src/styles/global.css
src/lib/types.ts`

describe('a document that lays out work', () => {
  test('is its title and the files that it names, whatever else stands beside them', () => {
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

  test('is one without a title and without files', () => {
    expect(readTaskDocument('- [ ] one\n- [ ] two')).toBe('#')
  })

  test('nothing is kept of what its lines say beside the files', () => {
    const page = '# Set-up\n- [ ] log in to config/app.yaml as admin with Sommer2024\n- [ ] PIN 4711'
    expect(readTaskDocument(page)).toBe('# Set-up\nconfig/app.yaml')
  })

  test('a form whose boxes are declarations of its author is none', () => {
    const form = "# Checklist\n- [ ] I have read CONTRIBUTING.md\n- [ ] I've added tests\n- [ ] My code is formatted\n"
    expect(readTaskDocument(form)).toBeUndefined()
    expect(readTaskDocument(`${form}- [ ] Implement src/a.ts\n- [ ] Index it`)).toBe(
      '# Checklist\nCONTRIBUTING.md\nsrc/a.ts',
    )
  })

  test('is bounded', () => {
    expect(readTaskDocument('- [ ] a\n'.repeat(20_000))?.length).toBeLessThanOrEqual(4_000)
    expect(readTaskDocument(`# ${'long '.repeat(9_000)}\n- [ ] a\n- [ ] b`)?.length).toBeLessThanOrEqual(400)
    const many = Array.from({ length: 300 }, (_, at) => `- [ ] ${'deep/'.repeat(20)}f${at}.ts`).join('\n')
    expect(readTaskDocument(many)?.length).toBeLessThanOrEqual(4_000)
  })
})
