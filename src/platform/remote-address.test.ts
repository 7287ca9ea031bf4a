import { expect, test } from 'vitest'
import { normalizeRemote } from './locator.ts'

test.each([
  ['https://github.com/Team/App.git', 'github.com/Team/App'],
  ['https://user:ghp_secret@GitHub.com/Team/App.git/', 'github.com/Team/App'],
  ['git@github.com:Team/App.git', 'github.com/Team/App'],
  ['ssh://git@github.com:22/Team/App', 'github.com/Team/App'],
  ['ssh://git@git.example.com:2222/Team/App.git', 'git.example.com:2222/Team/App'],
  ['git://github.com/Team/App.git', 'github.com/Team/App'],
  ['https://example.com/Team/App?token=secret#x', 'example.com/Team/App'],
  ['https://a@b:p@ss@example.com/x.git', 'example.com/x'],
  ['/srv/git/app.git', '/srv/git/app'],
  ['../app', '../app'],
  ['file:///srv/git/app.git', '/srv/git/app'],
  ['C:\\work\\app', 'C:\\work\\app'],
  ['', ''],
])('%s is %s', (address, normalized) => {
  expect(normalizeRemote(address)).toBe(normalized)
})

test('a hostile URL is parsed in linear time', () => {
  expect(normalizeRemote(`https://example.com/${'/'.repeat(200_000)}x`)).toMatch(/x$/)
})
