import { BLANK, codeAt, FIELD_VALUE, isOf, SETTING_SIGN } from '../text/chars.ts'
import { pattern } from '../text/patterns.ts'

const SEMICOLON = 59
const EQUALS = 61

/** Of a flag that takes a setting, with all that may stand between the two. */
const SETTING_FLAG_CHARS = 32
/** Of the value and of the name of the field before another in a connection string. */
const FIELD_VALUE_CHARS = 80
const FIELD_NAME_CHARS = 16

function endsWith(ending: RegExp, text: string, end: number, chars: number): boolean {
  return ending.test(text.slice(Math.max(0, end - chars), end))
}

/** `host=db password=swordfish`, `Uid=app;Pwd=swordfish`: behind a field of a connection string. */
function followsField(text: string, start: number): boolean {
  let end = start
  if (isOf(BLANK, codeAt(text, end - 1))) end -= 1
  if (codeAt(text, end - 1) === SEMICOLON) end -= 1
  if (end === start) return false
  let sign = end
  while (end - sign <= FIELD_VALUE_CHARS && isOf(FIELD_VALUE, codeAt(text, sign - 1))) sign -= 1
  if (sign === end || codeAt(text, sign - 1) !== EQUALS) return false
  return endsWith(pattern.connectionField, text, sign - 1, FIELD_NAME_CHARS)
}

/** `--password=swordfish`, `--set db.password=swordfish`, `host=db password=swordfish`: told by what stands in front of the name, and by what the name begins with. */
export function isSetting(text: string, start: number, before: string): boolean {
  if (before.startsWith('--') || before.includes('TF_VAR_')) return true
  if (!isOf(SETTING_SIGN, codeAt(text, start - 1))) return false
  return endsWith(pattern.settingFlag, text, start, SETTING_FLAG_CHARS) || followsField(text, start)
}
