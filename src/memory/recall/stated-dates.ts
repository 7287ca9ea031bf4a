/** Milliseconds; `to` is not part of it. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export interface StatedDate extends TimeSpan {
  /** Where the words are in the text. */
  readonly index: number
  readonly end: number
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const YEAR = '((?:19|20)\\d\\d)'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'
const COUNT = `(\\d{1,3}|an?|the|${NUMBERS.slice(1).join('|')}|(?:a )?couple of|(?:a )?few)`
const UNIT = '(hour|day|week|month|year)s?'
const BEFORE_MONTH = '(?:in|during|since|until|till|before|after|by|of|from|and|to|early|late|mid)'

type Resolve = (parts: readonly (string | undefined)[], now: Date) => TimeSpan | undefined

function addDays(date: Date, days: number): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

/** Of the calendar; parts beyond the year's or month's end move on, as with `Date`. */
function daySpan(now: Date, days: number, length = 1): TimeSpan {
  return { from: addDays(now, days), to: addDays(now, days + length) }
}

function monthSpan(year: number, month: number, length = 1): TimeSpan {
  return { from: new Date(year, month, 1).getTime(), to: new Date(year, month + length, 1).getTime() }
}

function dateSpan(year: number, month: number, day: number): TimeSpan | undefined {
  const from = new Date(year, month, day)
  return from.getMonth() === month ? { from: from.getTime(), to: addDays(from, 1) } : undefined
}

function findMonth(name = ''): number {
  return MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3).toLowerCase()))
}

/** The latest year in which it has started by now. */
function latestYear(now: Date, begin: (year: number) => number): number {
  const year = now.getFullYear()
  return begin(year) <= now.getTime() ? year : year - 1
}

function parseCount(word = ''): number {
  const plain = word.toLowerCase()
  if (/^\d+$/.test(plain)) return Number(plain)
  if (plain.endsWith('couple of')) return 2
  if (plain.endsWith('few')) return 3
  return Math.max(1, NUMBERS.indexOf(plain))
}

function weekStart(now: Date): number {
  return -((now.getDay() + 6) % 7)
}

/** This one, or that many before it. */
function calendarSpan(unit: string, back: number, now: Date): TimeSpan {
  if (unit === 'week') return daySpan(now, weekStart(now) - 7 * back, 7)
  if (unit === 'month') return monthSpan(now.getFullYear(), now.getMonth() - back)
  return monthSpan(now.getFullYear() - back, 0, 12)
}

function agoSpan(count: number, unit: string, now: Date): TimeSpan {
  if (unit === 'hour')
    return { from: now.getTime() - (count + 1) * 3_600_000, to: now.getTime() - (count - 1) * 3_600_000 }
  if (unit === 'day') return daySpan(now, -count)
  // Speakers do not mean the exact day.
  if (unit === 'week') return daySpan(now, -7 * count - 3, 7)
  return calendarSpan(unit, count, now)
}

function rollingSpan(count: number, unit: string, now: Date): TimeSpan {
  const days = { hour: count / 24, day: count, week: count * 7, month: count * 31, year: count * 366 }[unit] ?? count
  return { from: now.getTime() - days * 86_400_000, to: now.getTime() + 60_000 }
}

function weekdaySpan(name: string, now: Date): TimeSpan {
  const back = (now.getDay() - DAYS.indexOf(name.toLowerCase()) + 7) % 7
  return daySpan(now, -(back === 0 ? 7 : back))
}

interface DatePattern {
  readonly pattern: RegExp
  readonly resolve: Resolve
  /** In a statement such words rarely name one day: "on Tuesdays". */
  readonly isForQuestions?: boolean
}

function toPattern(source: string, flags = 'gi'): RegExp {
  return new RegExp(`(?<![\\w-])${source}(?![\\w-])`, flags)
}

/** The longer forms first: what one has matched, the others do not see. */
const PATTERNS: readonly DatePattern[] = [
  {
    pattern: toPattern(`${YEAR}-(\\d{2})-(\\d{2})(?:[T ]\\d{2}:\\d{2}\\S*)?`),
    resolve: ([year, month, day]) => dateSpan(Number(year), Number(month) - 1, Number(day)),
  },
  {
    pattern: toPattern(`${DAY}(?: of)? ${MONTH},? ${YEAR}`),
    resolve: ([day, month, year]) => dateSpan(Number(year), findMonth(month), Number(day)),
  },
  {
    pattern: toPattern(`${MONTH} ${DAY},? ${YEAR}`),
    resolve: ([month, day, year]) => dateSpan(Number(year), findMonth(month), Number(day)),
  },
  {
    pattern: toPattern(`${MONTH},? (?:of )?${YEAR}`),
    resolve: ([month, year]) => monthSpan(Number(year), findMonth(month)),
  },
  { pattern: toPattern(`${YEAR}-(\\d{2})`), resolve: ([year, month]) => monthSpan(Number(year), Number(month) - 1) },
  {
    pattern: toPattern(`q([1-4])[ /-]?(?:of )?${YEAR}`),
    resolve: ([quarter, year]) => monthSpan(Number(year), (Number(quarter) - 1) * 3, 3),
  },
  {
    pattern: toPattern(`${YEAR}[ /-]?q([1-4])`),
    resolve: ([year, quarter]) => monthSpan(Number(year), (Number(quarter) - 1) * 3, 3),
  },
  {
    pattern: toPattern(`${DAY}(?: of)? ${MONTH}`),
    resolve: ([day, month], now) => {
      const year = latestYear(now, (each) => new Date(each, findMonth(month), Number(day)).getTime())
      return dateSpan(year, findMonth(month), Number(day))
    },
  },
  {
    pattern: toPattern(`${MONTH} ${DAY}`),
    resolve: ([month, day], now) => {
      const year = latestYear(now, (each) => new Date(each, findMonth(month), Number(day)).getTime())
      return dateSpan(year, findMonth(month), Number(day))
    },
  },
  { pattern: /(?<![\w-])(?:the )?day before yesterday(?![\w-])/gi, resolve: (_, now) => daySpan(now, -2) },
  { pattern: toPattern('yesterday'), resolve: (_, now) => daySpan(now, -1) },
  { pattern: toPattern('(?:today|tonight|this (?:morning|afternoon|evening))'), resolve: (_, now) => daySpan(now, 0) },
  {
    pattern: toPattern(`(?:about |around )?${COUNT} ${UNIT} ago`),
    resolve: ([count, unit = ''], now) => agoSpan(parseCount(count), unit.toLowerCase(), now),
  },
  {
    pattern: toPattern(`(?:in |over |during |within )?(?:the )?(?:last|past) ${COUNT} ${UNIT}`),
    resolve: ([count, unit = ''], now) => rollingSpan(parseCount(count), unit.toLowerCase(), now),
  },
  {
    pattern: toPattern(`(?:in|over|during|within) the (?:last|past) ${UNIT}`),
    resolve: ([unit = ''], now) => rollingSpan(1, unit.toLowerCase(), now),
  },
  {
    pattern: toPattern('(?:last|previous|past) (week|month|year)'),
    resolve: ([unit = ''], now) => calendarSpan(unit.toLowerCase(), 1, now),
  },
  {
    pattern: toPattern('this (week|month|year)'),
    resolve: ([unit = ''], now) => calendarSpan(unit.toLowerCase(), 0, now),
  },
  { pattern: toPattern(`last (${DAYS.join('|')})`), resolve: ([name = ''], now) => weekdaySpan(name, now) },
  {
    pattern: toPattern(`(?:on |this )?(${DAYS.join('|')})`),
    resolve: ([name = ''], now) => weekdaySpan(name, now),
    isForQuestions: true,
  },
  {
    pattern: toPattern(`(?<=${BEFORE_MONTH} (?:the )?)(?:last )?${MONTH}`),
    resolve: ([month], now) => {
      const year = latestYear(now, (each) => monthSpan(each, findMonth(month)).from)
      return monthSpan(year, findMonth(month))
    },
  },
  {
    pattern: toPattern(`(?<=${BEFORE_MONTH} (?:the )?(?:year )?)${YEAR}`),
    resolve: ([year]) => monthSpan(Number(year), 0, 12),
  },
]

/** The dates that a text names, in its order; relative ones are seen from `at`. */
export function findDates(
  text: string,
  at: number,
  { isQuestion }: { readonly isQuestion: boolean },
): readonly StatedDate[] {
  const now = new Date(at)
  const found: StatedDate[] = []
  let left = text
  for (const { pattern, resolve, isForQuestions = false } of PATTERNS) {
    if (isForQuestions && !isQuestion) continue
    for (const match of left.matchAll(pattern)) {
      const span = resolve(match.slice(1), now)
      if (span === undefined) continue
      const [index, end] = [match.index, match.index + match[0].length]
      found.push({ ...span, index, end })
      left = `${left.slice(0, index)}${' '.repeat(end - index)}${left.slice(end)}`
    }
  }
  return found.toSorted((a, b) => a.index - b.index)
}

/** A cheap check before `findDates`: most statements name no date. */
const MAY_HAVE_DATE =
  /\b(?:19|20)\d\d|\b(?:yesterday|today|tonight|ago)\b|\b(?:last|past|previous|this) (?:\S+ )?(?:hour|day|week|month|year|morning|afternoon|evening|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\w+day)|\d(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b(?:(?:in|during|since|until|till|before|after|by|of|from|to|early|late|mid|the) )?(?:january|february|march|april|june|july|august|september|october|november|december|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\.? \d)|\b(?:in|during|since|until|till|before|after|by|from) (?:the )?may\b/i

const MAX_STATED = 8
const MAX_CHARS = 2_000

/** The dates that a statement names, seen from the time when it was stored. */
export function findStatedDates(text: string, at: number): readonly TimeSpan[] {
  const beginning = text.slice(0, MAX_CHARS)
  if (!MAY_HAVE_DATE.test(beginning)) return []
  return findDates(beginning, at, { isQuestion: false })
    .slice(0, MAX_STATED)
    .map(({ from, to }) => ({ from, to }))
}
