// oxlint-disable no-control-regex -- a terminal colours its text with escapes, which are control characters
/**
 * Every regular expression of the engine that is not a vendor's format: in one place so that one test can prove each
 * of them linear. A literal is compiled by the engine only when it first runs, so an unused one costs nothing.
 */
export const pattern = {
  crossedOut: /[xX]{6}|[*]{4}|\.{4}|_{6}/,
  template: /^[<${%@]|\$\{|\{\{|\$\(|%[sdv@(]|#\{|\[\w{1,40}\]$|>$|\.\.$|…/,
  placeholderPhrase:
    /change[-_ ]?me|your[-_ ]|[-_ ]here\b|not[-_ ]?(?:a|set|needed|long)[-_ ]?|to[-_ ]be[-_ ]|insert[-_ ]|replace[-_ ]|process\.env|os\.environ|getenv|\benv\.|secrets\.|\bvars?\./i,
  placeholderWord:
    /(?:^|[^a-z0-9])(?:example|placeholder|redacted|dummy|sample|fake|mock|todo|tbd|null|nil|none|undefined|true|false|string|required|optional|hidden|masked|removed|missing|invalid|unset|empty)(?:[^a-z0-9]|$)/i,
  passwordWord: /passw|passphrase|secret|^(?:password|string|text|input|field|hidden|current|confirm)/i,
  spaced: /\s/,
  digitsOnly: /^\d+$/,
  wordAndDigits: /^[A-Za-z]{3,20}\d{1,8}$/,
  lettersAndDigits: /^[A-Za-z0-9]+$/,
  /** Two words joined, as only code joins them. */
  camelCase: /[a-z0-9][A-Z]/,
  codeSign: /[._]/,
  ownLine: /^[ \t]{0,32}(?:export[ \t]{1,4})?$/,
  expression: /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*){0,8}$/,
  tokenChars: /^[\w+/=.~:%-]+$/,
  hashOrId:
    /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{96}|[0-9a-fA-F]{128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\d+)$/,
  pathOrAddress: /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|~?\.{0,2}\/|[A-Za-z]:\\|mailto:)/,

  /**
   * Words that announce a secret; the first group only behind `-` or `_`, the second behind no letter. To look back in
   * the pattern would take twice as long: the engine could not skip what begins none of them.
   */
  announcement:
    /pass(?:word|wd|phrase|code)?|pwd|secret|token|credential|authorization|(auth)|key|bearer|webhook|(jwt|pat|cookie)/gi,
  /** What may still belong to the name: `token2`, `password_prod`, `secretValue`. */
  nameEnding:
    /(?:s|[-_]?(?:v?\d{1,4}|value|val|prod|production|staging|dev|test|live|old|new|primary|secondary|b64|base64|base|plain|raw|text|str|string))?(?![A-Za-z0-9])/iy,
  /** The name itself says that what follows is not real. */
  disclaimed:
    /(?:^|[^a-z])(?:non|not|fake|dummy|example|sample|mock|mocked|invalid|bogus|placeholder)(?![a-z])|^(?:non|not|fake|dummy|example|sample|mock|mocked|invalid|bogus)[A-Z]/,
  assignment:
    /(?:\u001b\[[0-9;]{0,8}m)?(?:\\{0,7}["'`])?\]?[ \t]{0,16}(?:\|\|=|\?\?=|[?.+]?:{0,3}={1,3}>?|:{1,2}|->)[ \t]{0,16}(?:\r?\n[ \t]{0,32}(?=["'`]))?/y,
  argument: /\\{0,7}["'`][ \t]{0,4},[ \t]{0,4}(?=\\{0,7}["'`])/y,
  typedAssignment:
    /(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z][\w.<>|[\] ]{0,40}|[ \t]{1,4}(?:string|String|str|text|char\*?|&str|\[\]byte))[ \t]{0,4}=[ \t]{0,4}(?=["'`])/y,
  apposition: /[ \t]{1,3}(?:(?:-|is|was|of)[ \t]{1,3})?(?=\\{0,7}["'`])/y,
  statement: /[ \t]{1,2}(?:is|was)[: \t]{1,3}/y,
  flagGap: /[ \t]{1,4}(?=[^\s-])/y,
  element: />\s{0,64}/y,
  elementText: /[^<]{1,512}(?=<)/y,
  colour: /\u001b\[[0-9;]{0,8}m/y,
  literalPrefix: /[bruf@$]?(?=\\{0,7}["'`])|[[({](?=\\{0,7}["'`])/iy,
  quote: /\\{0,7}["'`]/y,
  scheme: /(?:bearer|basic|token|api-?key|digest|key|splunk|negotiate)[ \t]{1,4}/iy,
  envName: /^(?:[A-Z][A-Z0-9]*_)*[A-Z][A-Z0-9]*_?$/,
  blockScalar: /[|>][-+]?[ \t]{0,4}\r?\n/y,
  blockLine: /[ \t]{1,64}[\w+/=.~%-]{16,512}[ \t]{0,8}(?:\r?\n|$)/y,
  plainToken: /^[\w-]+$/,
  envLine: /^[ \t]{0,16}(?:export[ \t]{1,8})?([A-Za-z_][\w.-]{0,127})[ \t]{0,8}=[ \t]{0,8}(\S[^\n]{0,8191})$/,
  envQuoted: /^(?:"([^"]{0,8190})"|'([^']{0,8190})'|`([^`]{0,8190})`)/,
  envLogin: /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#@:]{0,128}:([^\s/?#]{1,256})@/i,
  hasDigit: /\d/,
  hasLetter: /[A-Za-z]/,
  hasDigitOrSign: /[^A-Za-z._ -]/,
  blank: /\s/,
  closes: /["\]}\d]/,
  nameNearby: /pass|pwd|secret|token|credential|auth|key|bearer|basic/i,
  /** Stands behind an escape: `\n` as JSON writes it, `%3D`, a terminal's colour. */
  escapeEnd: /(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,8}m)/y,
  special: /[\\^$.*+?()[\]{}|/-]/g,
  keyArmour: /-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g,
  /** With the number that a tool puts in front of it: `  12→`, `12:`, a tab. */
  keyLine:
    /(?:[ \t]{0,8}\d{1,6}[\t→:|])?[ \t>|"',+-]{0,32}(?:[A-Za-z0-9+/=]{16,512}|[A-Za-z-]{3,24}: [^\n\\]{1,200})?[ \t"',]{0,8}(?:\\r)?(?:\\{1,4}n|\r?\n|$)/y,
  base64Line: /^(?:[ \t]{0,8}\d{1,6}[\t→:|])?[ \t>|"',+-]{0,32}[A-Za-z0-9+/=]{16,512}[ \t"',]{0,8}$/,
  schemeName: /[a-z][a-z0-9+.-]{1,20}$/i,
  databaseScheme:
    /^(?:mongodb|postgres|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchbase|neo4j|bolt|ldaps?)/i,
  hostAndPort: /[^\s/?#"'`<>\\,;)\]}]{0,256}/y,
  defaultPassword:
    /^(?:(?:my|test|demo|db|user|some|the|super)?[-_]?(?:pass|passwd|password|pwd|pw|secret)|postgres|root|admin|test|user|guest|mysql|redis|mongo|demo|example|\w|x+|\*+|1234?5?6?7?8?)$/i,
  bearer: /(?<![\w-])(?:bearer|basic)[ \t]{1,4}(?=[A-Za-z0-9])/gi,
  credentialWord: /[\w.~+/=:-]{8,4096}/y,
  telegram: /(?<!\d)\d{8,10}(?::|%3A)A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])/g,
  discordBot: /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g,
  azureSecret: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/g,
  sendgrid: /SG\.[\w-]{22}\.[\w-]{43}/g,
  terraform: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g,
  mailchimp: /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\d)/g,
  maxmind: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/g,
  signature: /[?&]sig=([\w%+/-]{30,128})/gi,
  userFlag: /[ \t](?:-u|--user|--proxy-user)[ \t=]{1,3}["']?[^\s:"'$]{1,64}:([^\s"'$]{4,256})/g,
  netrc: /(?<![\w-])login\s{1,16}\S{1,128}\s{1,16}password[ \t]{1,8}([^\s"']{4,256})/g,
  redisFlag: /(?<![\w-])redis-cli(?:[ \t]{1,4}[^\s|;&]{1,80}){0,8}?[ \t]{1,4}-a[ \t]{1,4}["']?([^\s"'$]{4,256})/g,
  ldapFlag: /(?<![\w-])ldap[a-z]{3,8}(?:[ \t]{1,4}[^\s|;&]{1,80}){0,12}?[ \t]{1,4}-w[ \t]{1,4}["']?([^\s"'$]{4,256})/g,
  /** What is said to a program that wants it on its standard input. */
  piped:
    /(?<![\w-])echo[ \t]{1,4}(?:-n[ \t]{1,4})?["']?([^\s"'|$]{6,512})(?=["']?[ \t]{0,4}\|[^\n|]{0,120}?(?:--password-stdin|--with-token|[ \t]secret[ \t]{1,4}put[ \t]))/g,
  secretBody:
    /(?<![\w-])secret[ \t]{1,4}set[ \t]{1,4}[\w-]{1,80}(?:[ \t]{1,4}[^\s|;&]{1,80}){0,4}?[ \t]{1,4}(?:--body|-b)[ \t=]{1,4}["']?([^\s"'$]{4,512})/g,
  fromLiteral: /--from-literal[= \t]["']?[\w.-]{1,80}=["']?([^\s"'$]{4,512})/g,
  createsSecret: /[ \t]secret[ \t]/,
  shortPassword: /[ \t]-p[ \t]?["']?([^\s"'-][^\s"']{3,256})/g,
  commandBreak: /[\n|;&]/,
  takesShortPassword:
    /(?<![\w-])(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|snowsql|7za?|(?:docker|podman|nerdctl)[ \t]{1,4}login)(?![\w])/,
  kubernetesSecret: /^kind:[ \t]{1,4}["']?Secret\b|"kind"[ \t]{0,4}:[ \t]{0,4}"Secret"/m,
  kubernetesSection: /^(?:data|stringData):|"(?:data|stringData)"[ \t]{0,4}:[ \t]{0,4}\{/m,
  kubernetesField: /"[\w.-]{1,128}"[ \t]{0,4}:[ \t]{0,4}"([A-Za-z0-9+/]{4,4096}={0,2})"/g,
  kubernetesData: /^([ \t]{1,32}[\w.-]{1,128}:[ \t]{1,4})["']?([^\s"'|>&*{[][^\n"']{3,4096})["']?[ \t]{0,8}$/gm,
} as const

/** Matches a sticky pattern at a place; the end of the match, or -1. */
export function endAt(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : -1
}
