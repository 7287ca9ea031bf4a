import { findAssignments } from './find-assignments.ts'
import { findCommandSecrets } from './find-command-secrets.ts'
import { findCookies } from './find-cookies.ts'
import { findEncodedKeys } from './find-encoded-keys.ts'
import { findManifestSecrets } from './find-manifests.ts'
import { findPhrases } from './find-phrases.ts'
import { findPrivateKeys } from './find-private-keys.ts'
import { findSecretLiterals, findShapes } from './find-shapes.ts'
import { findValuesBelow } from './find-values-below.ts'
import { createWrappedFinder } from './find-wrapped.ts'
import { heldWords } from '../scan/trigram-filter.ts'
import { withLineEnds } from '../text/newlines.ts'
import type { Span } from '../text/span.ts'

const findWrapped = createWrappedFinder()

/** What is told by its line: the same in a file, and in a text that quotes the file with its line ends escaped. */
export function findInLines(text: string): Span[] {
  const lines = withLineEnds(text)
  const holds = heldWords(lines)
  return [
    ...findShapes(lines, holds),
    ...findSecretLiterals(lines, holds),
    ...findManifestSecrets(lines, holds),
    ...findCookies(lines, holds),
    ...findCommandSecrets(lines),
    ...findPhrases(lines),
    ...findAssignments(lines, text),
    ...findEncodedKeys(lines),
    ...findWrapped(lines),
    ...findValuesBelow(lines),
    ...(lines === text ? [] : findPrivateKeys(lines)),
  ]
}
