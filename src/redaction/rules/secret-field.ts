import { type Announcement, nameEndAfter, nextAnnouncement } from './secret-keywords.ts'
import { strengthOf } from './secret-name.ts'
import { isSecretBehindName } from './secret-value.ts'

function lastAnnouncement(name: string): Announcement | undefined {
  let last: Announcement | undefined
  for (let found = nextAnnouncement(name, 0); found !== undefined; found = nextAnnouncement(name, found.end))
    last = found
  return last
}

/** What a field's name makes of its text: `password`, `secret`, or undefined when it makes nothing of it. */
export function secretKindOfField(
  name: string,
  value: string,
  { isLiteral }: { readonly isLiteral: boolean } = { isLiteral: true },
): string | undefined {
  const last = lastAnnouncement(name)
  if (last === undefined || nameEndAfter(name, last.end) !== name.length) return undefined
  const { word, start } = last
  const strength = strengthOf({ word, before: name.slice(0, start), wordBefore: '' })
  if (strength === undefined || !isSecretBehindName({ value, strength, isLiteral })) return undefined
  return strength === 'password' || strength === 'pass' ? 'password' : 'secret'
}
