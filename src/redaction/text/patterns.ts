// oxlint-disable no-control-regex -- a terminal colours its text with escapes, which are control characters
import { clipPattern } from '../../kernel/text/clip.ts'

/**
 * Every regular expression of the redactor that is not a vendor's format: in one object so that one test can prove each
 * of them linear. V8 compiles a literal only when it first runs, so an unused one costs nothing.
 */
export const pattern = {
  ...clipPattern,
  crossedOut: /[xX]{6}|[*]{4}|\.{4}|_{6}/,
  template: /^<[^<>]*>$|^%\w+%$|\$\{|\{\{|\$\(|#\{|\.\.$|…/,
  /** How a template starts or ends, and sometimes a password. */
  templateEdge: /^[<${%@]|%[sdv@(]|\[\w{1,40}\]$|>$/,
  wordBreak: /[^A-Za-z0-9]/,
  placeholderPhrase:
    /change[-_ ]?me|your[-_ ]|[-_ ]here\b|not[-_ ]?(?:a|set|needed|long)[-_ ]?|to[-_ ]be[-_ ]|insert[-_ ]|replace[-_ ]|process\.env|os\.environ|getenv|\benv\.|secrets\.|\bvars?\./i,
  placeholderWord:
    /(?:^|[^a-z0-9])(?:example|placeholder|redacted|dummy|sample|fake|mock|todo|tbd|null|nil|none|undefined|true|false|string|required|optional|hidden|masked|removed|missing|invalid|unset|empty)(?:[^a-z0-9]|$)/i,
  regularExpression: /\[[^\]]{0,8}\w-\w|\]\{|\][*+]|\\[wWdDsSbB][+*{\]]|\(\?[:=!<]/,
  /** A character that does not join words, between letters or digits. */
  signWithin: /[A-Za-z0-9][!#$%^&*+=?@~<>|\\][A-Za-z0-9]/,
  passwordWord:
    /passw|passphrase|secret|kennwort|contrase|^(?:password|string|text|input|field|hidden|current|confirm)/i,
  spaced: /\s/,
  digitsOnly: /^\d+$/,
  wordAndDigits: /^[A-Za-z]{3,20}\d{1,8}$/,
  lettersAndDigits: /^[A-Za-z0-9]+$/,
  /** Two words joined as in code. */
  camelCase: /[a-z0-9][A-Z]/,
  codeSign: /[._]/,
  ownLine: /^[ \t]{0,32}(?:export[ \t]{1,4})?$/,
  expression: /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*){0,8}$/,
  tokenChars: /^[\w+/=.~:%-]+$/,
  hashOrId:
    /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{96}|[0-9a-fA-F]{128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\d+)$/,
  pathOrAddress: /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|~?\.{0,2}\/|[A-Za-z]:\\|mailto:)/,

  /**
   * Secret keywords; the first group only after `-` or `_`, the second not after a letter. A lookbehind in
   * the pattern would take twice as long: V8 could not skip text that starts none of them.
   */
  secretKeyword:
    /pass(?:word|wort|wd|phrase|code)?|pwd|secret|token|credential|authorization|(auth)|key|bearer|webhook|kennwort|contrase[nñ]a|mots?[ _-]?de[ _-]?passe|(jwt|pat|cookie|pw|psw|pswd|clave|senha)/gi,
  /** A suffix that may still belong to the name: `token2`, `password_prod`, `secretValue`. */
  nameEnding:
    /(?:s|[-_]?(?:v?\d{1,4}|value|val|prod|production|staging|dev|test|live|old|new|primary|secondary|b64|base64|base|plain|raw|text|str|string))?(?![A-Za-z0-9])/iy,
  /** The name of a field in a connection string. */
  connectionField:
    /(?:server|data source|host|hostname|addr|uid|user id|username|user|database|initial catalog|dbname|port)[ \t]?$/i,
  /** A flag whose value is `name=value`: `--set`, `-var`, `-e`. */
  settingFlag:
    /(?:--set(?:-string|-literal)?|--?var|-e|--env|--build-arg|--extra-vars|config:set)[ \t=]{1,2}\\{0,15}["']?$/,
  fileName: /\.[A-Za-z]{1,5}(?::\d{1,6}){0,2}[.,:]?$/,
  /** Words in texts about passwords that are not passwords. */
  technical:
    /^(?:sha-?\d|md5|utf-?\d|base\d\d|argon2|pbkdf2|aes-?\d|rsa-?\d|oauth2?|x509|ed25519|[hrep]s256|bcrypt|scrypt|v\d{1,3}(?![A-Za-z0-9])|https?|ipv\d)/i,
  /** The name of an algorithm, alone or with its parts: `AWS4-HMAC-SHA256`. */
  algorithm:
    /^(?:\w{1,10}[-_/]){0,3}(?:hmac|sha-?\d{1,3}|rsa|aes\d*|ecdsa|ed25519|x25519|pkcs\d{1,2}|md5|[hrep]s\d{3}|cbc|gcm|oaep|pss)(?:[-_/]\w{1,10}){0,3}$/i,
  /** The name says that the value is not real. */
  disclaimed:
    /(?:^|[^a-z])(?:non|not|fake|dummy|example|sample|mock|mocked|invalid|bogus|placeholder)(?![a-z])|^(?:non|not|fake|dummy|example|sample|mock|mocked|invalid|bogus)[A-Z]/,
  assignment:
    /(?:\u001b\[[0-9;]{0,8}m)?(?:\\{0,15}["'`])?\]?(?:\*{1,2}|[ \t]\[[^\]\n]{0,32}\])?[ \t]{0,16}(?:\|\|=|\?\?=|[?.+]?:{0,3}={1,3}>?|:{1,2}|->)(?:\*{1,2}(?=[ \t]))?[ \t]{0,16}(?:\r?\n[ \t]{0,32}(?=["'`]))?/y,
  argument: /\\{0,15}["'`][ \t]{0,4},[ \t]{0,4}(?=\\{0,15}["'`])/y,
  /** `setPassword("…")`, `PASSWORD('…')`, `password.equals("…")`. */
  call: /(?:\.(?:equals(?:IgnoreCase)?|isEqualTo|toBe|toEqual))?\([ \t]{0,4}(?=\\{0,15}["'`])/y,
  /** A fallback for a missing value: `process.env.DB_PASSWORD || '…'`. */
  fallback: /(?:\\{0,15}["'`])?\]?\)?[ \t]{0,4}(?:\|\||\?\?|(?<=[ \t])or)[ \t]{0,4}(?=\\{0,15}["'`])/y,
  /** `variable "db_password" {` and its line with the value. */
  variableDefault:
    /["'][ \t]{0,4}\{[ \t\r]{0,4}\n[ \t]{0,32}(?:(?!default)\w{3,12}[ \t]{0,16}=[^\n{}]{0,120}\n[ \t]{0,32}){0,4}default[ \t]{0,16}=[ \t]{0,4}(?=")/y,
  typedAssignment:
    /(?:[ \t]{0,4}:[ \t]{0,4}(?:&(?:'\w{1,16} )?)?[A-Za-z][\w.<>|[\] ]{0,40}|[ \t]{1,4}(?:string|String|str|text|char\*?|&str|\[\]byte))[ \t]{0,4}=[ \t]{0,4}(?=["'`])/y,
  apposition: /[ \t]{1,3}(?:(?:-|is|was|of)[ \t]{1,3})?(?=\\{0,15}["'`])/y,
  statement: /[ \t]{1,2}(?:is|was|ist|lautet|est|es|[eèé])[: \t]{1,3}/y,
  /** `password for the staging box is …`. */
  farStatement: /[ \t](?:for|on|to|of|in|at)(?:[ \t][\w.@/-]{1,32}){1,4}?[ \t]{0,2}(?:[ \t](?:is|was)|:)[: \t]{1,3}/y,
  pairValue: /value\\{0,15}["']?[ \t]{0,4}[=:][ \t]{0,4}(?=[^\s=])/iy,
  pairNameField: /^(?:name|key|id|variable)$/i,
  pairValueField: /^value$/i,
  pairElement: /(?<!\/)>\s{0,64}(?:<value>)?(?=[^\s<]|<!\[CDATA\[)/y,
  pairBefore:
    /(?<!\w)value\\{0,15}["']?\s{0,4}[=:]\s{0,4}\\{0,15}["']([^"'\\\n]{4,256})\\{0,15}["'][\s,]{1,16}\\{0,15}["']?$/i,
  /** A property list has the name in a separate element. */
  listElement: /<\/key>(?:[\s+\d→|-]|\\{1,15}[nt]){0,64}<string>(?=[^<])/y,
  noteMargin: /^(?:\\(?=[nrt])|\s)?([nrt](?<=\\[nrt])|[+-]|\d{1,6}[→|])/,
  noteEnd: /^(?:[.,;:!)\]"'`\\]|$|[ \t]{0,4}\r?\n|[ \t](?:for|of|to|on|in|at|and|here)(?![\w-])|[ \t]\()/,
  cdata: /<!\[CDATA\[/y,
  flagGap: /[ \t]{1,4}(?=[^\s-])/y,
  element: />\s{0,64}/y,
  colour: /\u001b\[[0-9;]{0,8}m/y,
  scheme: /(?:bearer|basic|token|api-?key|digest|key|splunk|negotiate)[ \t]{1,4}/iy,
  envName: /^(?:[A-Z][A-Z0-9]*_)*[A-Z][A-Z0-9]*_?$/,
  blockScalar: /[|>][-+]?[ \t]{0,4}\r?\n/y,
  blockLine: /[ \t]{1,64}[\w+/=.~%-]{16,512}[ \t]{0,8}(?:\r?\n|$)/y,
  plainToken: /^[\w-]+$/,
  envLine: /^[ \t]{0,16}(?:export[ \t]{1,8})?([A-Za-z_][\w.-]{0,127})[ \t]{0,8}=[ \t]{0,8}(\S[^\n]{0,8191})$/,
  envQuoted: /^(?:"([^"]{0,8190})"|'([^']{0,8190})'|`([^`]{0,8190})`)/,
  envLogin: /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#@:]{0,128}:([^\s/?#]{1,256})@/i,
  /** The same with characters in the password that a URL has to escape. */
  envUnescapedLogin: /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#@:]{0,128}:([^\s@]{1,256})@/i,
  /** A field in a connection string. */
  envField: /(?:^|[;?&\s])(?:password|passwd|pwd)=([^\s;&"']{4,128})/i,
  hasDigit: /\d/,
  hasLetter: /[A-Za-z]/,
  hasDigitOrSign: /[^A-Za-z._ -]/,
  /** Preceded by an escape: `\n` as in JSON, `%3D`, a terminal colour. */
  escapeEnd: /(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,8}m)/y,
  special: /[\\^$.*+?()[\]{}|/-]/g,
  keyArmour: /-{4,5} ?(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g,
  /** A line prefix from an editor, a diff, a quote, a list or a comment. */
  lineMargin:
    /[ \t]{0,16}(?:\d{1,6}[\t→:|.)][ \t]{0,4})?(?:(?:[-*#+>|]|\/\/)[ \t]{1,4}|[+>|])?(?:\[[ x]\][ \t])?["'`* \t]{0,8}/y,
  /** PuTTY files have no armour; they give the number of lines of the private part. */
  puttyLines: /Private-Lines: \d{1,4}[ \t"',+|]{0,8}(?:\r?\n|\r|\\{1,15}n|(?<=[ \t]))/g,
  /** With a line number that a tool puts before it: `  12→`, `12:`, a tab. */
  keyLine:
    /(?:[ \t]{0,8}\d{1,6}[\t→:|])?[ \t>|"',+-]{0,32}(?:[A-Za-z0-9+/=]{16,512}(?:[ \t]{0,2}(?:\.{3}|…|\[)[^\n\\]{0,120})?|[A-Za-z-]{3,24}: [^\n\\]{1,200})?[ \t"',]{0,8}(?:\\r)?(?:\\{1,15}n|\r?\n|$)/y,
  schemeName: /[a-z][a-z0-9+.-]{1,20}$/i,
  databaseScheme:
    /^(?:mongodb|postgres|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchbase|neo4j|bolt|ldaps?)/i,
  hostAndPort: /[^\s/?#"'`<>\\,;)\]}]{0,256}/y,
  /** After the `@` of a URL: a host, and no part of a password. */
  host: /[A-Za-z0-9][A-Za-z0-9.-]{0,127}(?::\d{1,5})?(?![\w@%+:-])/y,
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
  signature: /(?:(?:[?&;]|\\u0026)sig|(?<![A-Za-z])Signature)=([\w%+/~-]{30,512})/gi,
  digestResponse: /(?<!\w)response=\\{0,15}["']?([0-9a-f]{32,128})(?![0-9a-f])/g,
  /** Windows commands with the password after the name or target. */
  netUser:
    /(?<![\w-])net[ \t]use(?:r[ \t]{1,4}"?[\w.@\\-]{1,64}"?|[ \t]{1,4}(?:[A-Za-z]:|\*)?[ \t]{0,4}\\\\[^\s"]{1,128})[ \t]{1,4}"?([^\s"/][^\s"]{3,127})/gi,
  secureString:
    /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?(?:"([^"\n]{4,128})(?=")|'([^'\n]{4,128})(?='))/gi,
  /** `htpasswd -b file user password`; with `-n` without a file. */
  htpasswd:
    /(?<![\w-])htpasswd(?:[ \t]{1,4}-[A-Za-z]{1,8}){0,3}[ \t]{1,4}-[A-Za-z]{0,6}b[A-Za-z]{0,6}(?:[ \t]{1,4}-[A-Za-z]{1,8}){0,3}(?:[ \t]{1,4}[^\s'"-][^\s'"]{0,128}){1,2}?[ \t]{1,4}(?:'([^'\s]{4,128})(?=')|"([^"\s]{4,128})(?=")|([^\s"'`-][^\s"'`]{3,127})(?=[ \t]{0,4}(?:$|[\n;&|>])))/gm,
  /** A login as two arguments, the second being the password. */
  loginCall:
    /(?:Credentials?|[bB]asic_?[aA]uth|HTTPDigestAuth|mysqli_connect|mysqli|\.auth)\([^()\n,]{1,80},(?:[^()\n,]{1,80},){0,2}[ \t]{0,4}(?:"([^"\s]{6,128})(?="\))|'([^'\s]{6,128})(?='\)))/g,
  /** A line of a `.pgpass` file: host, port, database, user, password. */
  passwordFile:
    /(?::(?:5[45]|64)\d\d|(?<![\w:*])\*:\*):[A-Za-z_*][\w.*$-]{0,63}:[\w.*@$-]{1,64}:((?:[^\s"'`\\:]|\\{1,4}:){4,256})(?![^\s"'`\\])/g,
  /** Two lines of a settings file: user and password. */
  loginLines:
    /^[ \t+-]{0,24}(?:user|username|user_name|login)[ \t]{0,8}[=:][ \t]{0,4}[^\s"'`(){}.]{1,64}[ \t]{0,4}\r?\n[ \t+-]{0,24}(?:password|passwd)[ \t]{0,8}[=:][ \t]{0,4}([^\s"'`(){}[\],;]{6,128})(?=[ \t]{0,4}(?:[\r\n]|$))/gm,
  credentials:
    /(?<!\w|\w-)(?:credentials|creds|login)(?:[ \t]{1,2}|:[ \t]{0,4}|[ \t](?:is|are)[: \t]{1,3})[`"']?[\w.@+-]{2,64}[ \t]?[:/][ \t]?([^\s"'`,;<>()]{8,128})/gi,
  sourceName: /(?<![\w.-])[\w.-]{1,64}:([^\s:@"'`/]{4,128})(?=@tcp\()/g,
  oracleLogin: /jdbc:oracle:\w{2,8}:[\w$#.-]{1,64}\/([^\s@"'`/]{4,128})(?=@)/g,
  redisSetting: /(?:^|[\s→+-])(?:requirepass|masterauth)[ \t]{1,8}\\{0,15}["']?([^\s"'\\]{4,256})/g,
  sqlPassword:
    /(?<![\w-])(?:identified[ \t]{1,4}(?:with[ \t]{1,4}\w{1,40}[ \t]{1,4})?by(?:[ \t]{1,4}password)?|(?:with|encrypted|user|login|role)[ \t]{1,4}(?:\w{1,64}[ \t]{1,4})?password)[ \t]{0,4}=?[ \t]{0,4}(?:'([^'\s\\]{4,256})(?=')|"([^"\s\\]{4,256})(?="))/gi,
  registryAuth: /"auth\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}"([A-Za-z0-9+/]{8,1024}={0,2})(?=\\{0,15}")/g,
  hereString:
    /(?:--with-token|--password-stdin|[ \t]secret[ \t]{1,4}put[ \t]|sudo[ \t]{1,4}-S|chpasswd)[^\n|<]{0,80}<<<[ \t]{0,4}["']?([^\s"'$]{6,512})/g,
  /** The label of a wallet's recovery phrase, up to its first word. */
  phraseName:
    /(?:mnemonic|(?:seed|recovery|backup|wallet)[ _-]?phrase)(?:[ _-]?(?:words|phrase))?\\{0,15}["'`*]{0,3}(?:[ \t]{1,2}(?:is|was))?[ \t]{0,4}[:=]?(?:[\s*]|\\{1,15}n){0,8}\\{0,15}["'`]?(?=[a-z])/gi,
  phrase: /[a-z]{3,8}(?: [a-z]{3,8}){11,23}(?! ?[\w])/y,
  base32: /^[A-Z2-7]{16,128}={0,6}$/,
  otpSecret: /[?&]secret=([A-Z2-7]{16,128})(?![A-Za-z0-9])/gi,
  /** The private parts of a JSON web key. */
  jwkPart: /"(?:d|p|q|dp|dq|qi|k)\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}"([\w-]{20,2048})(?=\\{0,15}")/g,
  hookAddress: /\/hooks\/([a-z0-9]{26})(?![a-z0-9])/g,
  passwordHash:
    /(?<![\w$])\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|y|7|apr1|sha1)\$[^\s:"'`$]{1,40}\$[./A-Za-z0-9$]{22,128}|argon2(?:id|i|d)\$[^\s:"'`]{30,256})/g,
  userFlag: /[ \t](?:-u|--user|--proxy-user)[ \t=]{1,3}["']?[^\s:"'$]{1,64}:([^\s"'$]{4,256})/g,
  netrc:
    /(?<!\w|\w-)(?:machine\s{1,16}(?:localhost|[\w-]{1,63}\.[\w.-]{1,127})|default)[\s+-]{1,16}(?:login\s{1,16}\S{1,128}[\s+-]{1,16})?password[ \t]{1,8}([^\s"'\\]{4,256})/g,
  /** A line that is not indented ends a map; the match starts at the newline before it. */
  outdent: /\n(?=[^\s#])/,
  mapField: /[\w.-]["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}["']?([^\s"',{}[\]]{8,128})/g,
  /** A value piped to a program that reads it from standard input. */
  piped:
    /(?<!\w|\w-)echo[ \t]{1,4}(?:-n[ \t]{1,4})?\\{0,15}["']?([^\s"'|\\]{6,512})(?=\\{0,15}["']?[ \t]{0,4}\|[^\n|]{0,120}?(?:--password-stdin|--with-token|[ \t]secret[ \t]{1,4}put[ \t]|chpasswd|--stdin|sudo[ \t]{1,4}-S))/g,
  secretBody:
    /(?<![\w-])secret[ \t]{1,4}set[ \t]{1,4}[\w-]{1,80}(?:[ \t]{1,4}[^\s|;&]{1,80}){0,4}?[ \t]{1,4}(?:--body|-b)[ \t=]{1,4}["']?([^\s"'$]{4,512})/g,
  fromLiteral: /--from-literal[= \t]["']?[\w.-]{1,80}=["']?([^\s"']{4,512})/g,
  createsSecret: /[ \t]secret[ \t]/,
  yamlSecretKind: /^(?:[ \t]{0,8}\d{1,6}[→|:\t])?[ \t+-]{0,48}kind:[ \t]{1,4}["']?Secret\b/m,
  secretKind: /^["']?Secret\b/,
  manifestLine:
    /^(?:[ \t]{0,8}\d{1,6}[→|:\t])?(?:[ \t+]{0,16}-?---[ \t\r]{0,8}$|([ \t+-]{0,48})["']?([\w./][\w./-]{0,127})["']?:(?:[ \t]{1,8}([^\s][^\n]{0,8191})|[ \t]{0,8}\r?)$)/gm,
  yamlQuote: /^\\{0,15}["']/,
  blockSign: /^[|>&*{[]/,
  jsonSecretKind: /"kind\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}"Secret\\{0,15}"/,
  jsonSection: /"(string)?[dD]ata\\{0,15}"\s{0,4}:\s{0,4}\{/g,
  base64Field:
    /"\s{0,4}:\s{0,4}\\{0,15}"((?:[A-Za-z0-9+/]{4}){0,1024}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==))(?=\\{0,15}")/g,
  textField: /"\s{0,4}:\s{0,4}\\{0,15}"([^"\\\n]{4,4096})(?=\\{0,15}")/g,
  /** Short flags combined in one word: `-sSu`. */
  flagBundle: /^-[A-Za-z]{2,6}$/,
  passSource: /^pass:/,
  /** A flag that takes a secret in some program; without one, programs need not be searched for. */
  secretFlag:
    /[ \t](?:-h?p|-[A-Za-z]{0,5}[PNKUkuwab](?![A-Za-z-])|-P|-u|--?(?:pass|hmac|user|proxy-user|auth|cookie|ks-pass|key-pass|srcstorepass|deststorepass|srckeypass|destkeypass|storepass|keypass))/,
  secretFields: /(?:secrets[ \t]set|kv[ \t]put|vault[ \t]write)[ \t]/,
  cookieHeader: /(?<!\w|\w-)(?:set-)?cookie\\{0,15}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,15}["']?/gi,
  headerEnd: /[\n"'`<>\\]/,
  cookieField: /(?:^|[;,&][ \t]{0,4})[\w.!#$%*+^|~-]{1,80}=([^\s;,"'\\]{1,4096})/g,
  hexOrId: /^[0-9a-fA-F-]{20,128}$/,
} as const

/** The end of a sticky pattern's match at an index, or -1. */
export function endAt(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : -1
}
