const BLOCK = /## Session Recovery Context\n\[holdfast (\w+)[^\n]*\]\n[\s\S]*?\[\/holdfast \1\]/g

/** Every recovery section among the texts that reached a model, from its heading to the end of its fence. */
export function recoveryBlocksIn(seen: string): readonly string[] {
  return [...seen.matchAll(BLOCK)].map(([block]) => block)
}

/** The text without Holdfast's recovery, which quotes earlier prompts. */
export function withoutRecoveryBlocks(text: string): string {
  return text.replaceAll(BLOCK, '')
}

const ADVICE = /^The summary must keep these facts[^\n]*\n\[holdfast (\w+)[^\n]*\]\n[\s\S]*?\[\/holdfast \1\]/gm

/** What Holdfast told a summariser, wherever its prompt says so. */
export function adviceIn(seen: string): readonly string[] {
  return [...seen.matchAll(ADVICE)].map(([advice]) => advice)
}
