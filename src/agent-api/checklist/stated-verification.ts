import type { StatedVerification } from '../../kernel/checklist.ts'

const COMMAND = /\b(?:verify|verification|verified by|verify with|check with)\s*:\s*`([^`\n]{1,500})`(.*)$/iu
const EXPECTED = /(?:\bexpect(?:s|ed)?\b\s*:?|→|->|=>)\s*`([^`\n]{1,500})`/iu

/** `verify: \`npm test\`, expect \`12 passed\`` */
export function findVerification(text: string): StatedVerification | undefined {
  const found = COMMAND.exec(text.replaceAll('**', ''))
  const command = found?.[1]?.trim()
  if (found === null || command === undefined || command === '') return undefined
  const expect = EXPECTED.exec(found[2] ?? '')?.[1]
  return { command, ...(expect !== undefined && { expect }) }
}
