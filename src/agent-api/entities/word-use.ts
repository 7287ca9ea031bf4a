const WORD_CHARACTER = /[\p{L}\p{N}_$]/u
const INTRODUCED =
  /(?:^|[^\p{L}\p{N}_$])(?:function\*?|class|interface|type|enum|struct|union|trait|impl|record|def|fn|func|fun|sub|const|let|var|val|static|module|mod|namespace|package|object|protocol|macro_rules!|define|typedef|delegate|async|get|set|abstract|public|private|protected|internal|export|default)\s+(?:self\.)?$/u
/** Go's receiver, C's return type, a member at the start of its line. */
const RECEIVED = /^\s*func\s*\([^)]*\)\s*$/u
const RETURNED = /^[\p{L}_][\p{L}\p{N}_:<>,*&\s[\]]*[\s*&]$/u
const OPENED = /^\s*(?:<[^>]*>\s*)?\(/u
const GIVEN = /^\s*(?::[^=]*)?=(?!=)/u
/** Words that stand before a call and are no return type. */
const CALLING =
  /(?:^|\s)(?:return|await|new|throw|yield|else|case|in|of|not|and|or|delete|typeof|if|while|import|from)\s+$/u

/** Whether a line of source defines the word or only mentions it, told by what stands around it. */
export function useOf(text: string, word: string): 'definition' | 'mention' | undefined {
  let found: 'mention' | undefined
  if (word === '' || text.length > 2_000) return found
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(0, at)
    const after = text.slice(at + word.length)
    if (WORD_CHARACTER.test(before.slice(-1)) || WORD_CHARACTER.test(after.slice(0, 1))) continue
    found = 'mention'
    if (INTRODUCED.test(before) || RECEIVED.test(before)) return 'definition'
    if (CALLING.test(before)) continue
    const isMember = before.trim() === '' && OPENED.test(after) && /\{\s*$/.test(after)
    const isTyped = before.trim() !== '' && RETURNED.test(before) && OPENED.test(after)
    if (isMember || isTyped || (before === '' && GIVEN.test(after))) return 'definition'
  }
  return found
}
