import { extractTerms } from '../../kernel/text/terms.ts'

function toTerms(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').flatMap((word) => extractTerms(word)))
}

/** Terms that occur in every task. They count for nothing. */
export const COMMON_TERMS = toTerms(
  'add added already always app apply back bad before below better both branch bug build call case change check class clean code command ' +
    'comment commit common correct create current default delete different done each error every everything exist expect fail file find first ' +
    'fix follow found function git good handle help here hmm implement important improve instead issue keep know last later let line list look ' +
    'main make many maybe method missing module more move much must need never new next number ok okay old output over own part point possible ' +
    'pr problem project properly pull push put question read really refactor remember remove rename replace repo repository result return right ' +
    'run script see set setup show something start still stop sure task tell test thing think time too true try two type under understand ' +
    'update used user using value version wait want way well without work write wrong yeah year yes yet',
)

/** Words that name no subject by themselves. They count towards the overlap, but a match needs other words too. */
export const GENERIC_TERMS = toTerms(
  'able above across action actual actually address after against ahead allow almost alone along although answer anymore ' +
    'anyone anything anyway appear approach area around aside assume attempt available avoid away base based basic because ' +
    'become begin behind believe best between big bit block body bottom break bring broken care careful careless cause ' +
    'certain chance choose clear close come compare complete confirm consider contain content continue copy correctly ' +
    'couple cover data deal decide deep describe detail difference directly discuss down during early easy edit either else ' +
    'empty end enough ensure entire even ever everyone everywhere exact exactly example explain explanation extra fact far ' +
    'fast feature feedback feel few fill final finally fine finish focus following force forward free full further general ' +
    'generate give given go goal going gone great group guess half hand happen hard head high hold hope huge idea ' +
    'immediately include info information input inside inspect instruction intend into item itself job join key kind large ' +
    'late latest lead leave left less level likely limit little local long longer lot low manual manually mark match matter ' +
    'mean mention message middle might mind minor miss mistake moment mostly name near nearly necessary nice nobody none ' +
    'normal note nothing notice obvious off often once open opinion option order otherwise outside pass past path pattern ' +
    'perfect perhaps phase pick piece place plan play please plus position prefer prepare present pretty previous prior ' +
    'probably proceed process prompt proper provide purpose quick quickly quite raise rather reach ready real realize ' +
    'reason recent recommend recommendation reference regard related rely report request require rest review rid safe save ' +
    'say seem select send sense separate serious several share short side similar simple simplify simply since single ' +
    'situation size skip slow small solution solve someone sometimes somewhere soon sort special specific spend state ' +
    'status stay step stick straight string structure stuff subject such suggest suggestion summarize summary suppose ' +
    'switch system take talk team term text thank therefore though thought through throughout together tomorrow top total ' +
    'touch toward track trigger turn understood unless until upon useful usual usually various verify very via view visible ' +
    'visit whatever whenever whether whole wish within wonder word world worry worth yesterday',
)
