// oxlint-disable no-control-regex -- a terminal colours its text with escapes, which are control characters
import { clipPattern } from '../../kernel/text/clip.ts'

/**
 * Every regular expression of the engine that is not a vendor's format: in one place so that one test can prove each
 * of them linear. A literal is compiled by the engine only when it first runs, so an unused one costs nothing.
 */
export const pattern = {
  ...clipPattern,
  crossedOut: /[xX]{6}|[*]{4}|\.{4}|_{6}/,
  template: /^<[^<>]*>$|^%\w+%$|\$\{|\{\{|\$\(|#\{|\.\.$|…/,
  /** What a template begins or ends with, and now and then a password too. */
  templateEdge: /^[<${%@]|%[sdv@(]|\[\w{1,40}\]$|>$/,
  wordBreak: /[^A-Za-z0-9]/,
  placeholderPhrase:
    /change[-_ ]?me|your[-_ ]|[-_ ]here\b|not[-_ ]?(?:a|set|needed|long)[-_ ]?|to[-_ ]be[-_ ]|insert[-_ ]|replace[-_ ]|process\.env|os\.environ|getenv|\benv\.|secrets\.|\bvars?\./i,
  placeholderWord:
    /(?:^|[^a-z0-9])(?:example|placeholder|redacted|dummy|sample|fake|mock|todo|tbd|null|nil|none|undefined|true|false|string|required|optional|hidden|masked|removed|missing|invalid|unset|empty)(?:[^a-z0-9]|$)/i,
  regularExpression: /\[[^\]]{0,8}\w-\w|\]\{|\][*+]|\\[wWdDsSbB][+*{\]]|\(\?[:=!<]/,
  /** A sign that joins no words, between letters or digits. */
  signWithin: /[A-Za-z0-9][!#$%^&*+=?@~<>|\\][A-Za-z0-9]/,
  passwordWord:
    /passw|passphrase|secret|kennwort|contrase|^(?:password|string|text|input|field|hidden|current|confirm)/i,
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
    /pass(?:word|wort|wd|phrase|code)?|pwd|secret|token|credential|authorization|(auth)|key|bearer|webhook|kennwort|contrase[nñ]a|mots?[ _-]?de[ _-]?passe|(jwt|pat|cookie|pw|psw|pswd|clave|senha)/gi,
  /** What may still belong to the name: `token2`, `password_prod`, `secretValue`. */
  nameEnding:
    /(?:s|[-_]?(?:v?\d{1,4}|value|val|prod|production|staging|dev|test|live|old|new|primary|secondary|b64|base64|base|plain|raw|text|str|string))?(?![A-Za-z0-9])/iy,
  /** The name of a field of a connection string. */
  connectionField:
    /(?:server|data source|host|hostname|addr|uid|user id|username|user|database|initial catalog|dbname|port)[ \t]?$/i,
  /** A flag whose value is `name=value`: `--set`, `-var`, `-e`. */
  settingFlag:
    /(?:--set(?:-string|-literal)?|--?var|-e|--env|--build-arg|--extra-vars|config:set)[ \t=]{1,2}\\{0,15}["']?$/,
  fileName: /\.[A-Za-z]{1,5}(?::\d{1,6}){0,2}[.,:]?$/,
  /** What a text about passwords says of them: no password is called so. */
  technical:
    /^(?:sha-?\d|md5|utf-?\d|base\d\d|argon2|pbkdf2|aes-?\d|rsa-?\d|oauth2?|x509|ed25519|[hrep]s256|bcrypt|scrypt|v\d{1,3}(?![A-Za-z0-9])|https?|ipv\d)/i,
  /** The name of an algorithm, alone or with its parts: `AWS4-HMAC-SHA256`. */
  algorithm:
    /^(?:\w{1,10}[-_/]){0,3}(?:hmac|sha-?\d{1,3}|rsa|aes\d*|ecdsa|ed25519|x25519|pkcs\d{1,2}|md5|[hrep]s\d{3}|cbc|gcm|oaep|pss)(?:[-_/]\w{1,10}){0,3}$/i,
  /** The name itself says that what follows is not real. */
  disclaimed:
    /(?:^|[^a-z])(?:non|not|fake|dummy|example|sample|mock|mocked|invalid|bogus|placeholder)(?![a-z])|^(?:non|not|fake|dummy|example|sample|mock|mocked|invalid|bogus)[A-Z]/,
  assignment:
    /(?:\u001b\[[0-9;]{0,8}m)?(?:\\{0,15}["'`])?\]?(?:\*{1,2}|[ \t]\[[^\]\n]{0,32}\])?[ \t]{0,16}(?:\|\|=|\?\?=|[?.+]?:{0,3}={1,3}>?|:{1,2}|->)(?:\*{1,2}(?=[ \t]))?[ \t]{0,16}(?:\r?\n[ \t]{0,32}(?=["'`]))?/y,
  argument: /\\{0,15}["'`][ \t]{0,4},[ \t]{0,4}(?=\\{0,15}["'`])/y,
  /** `setPassword("…")`, `PASSWORD('…')`, `password.equals("…")`. */
  call: /(?:\.(?:equals(?:IgnoreCase)?|isEqualTo|toBe|toEqual))?\([ \t]{0,4}(?=\\{0,15}["'`])/y,
  /** What is taken where the name has no value: `process.env.DB_PASSWORD || '…'`. */
  fallback: /(?:\\{0,15}["'`])?\]?\)?[ \t]{0,4}(?:\|\||\?\?|(?<=[ \t])or)[ \t]{0,4}(?=\\{0,15}["'`])/y,
  /** `variable "db_password" {` and the line of it that has the value. */
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
  /** A property list has the name in an element of its own. */
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
  /** The same with signs in the password that an address has to escape. */
  envUnescapedLogin: /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#@:]{0,128}:([^\s@]{1,256})@/i,
  /** A field of a connection string. */
  envField: /(?:^|[;?&\s])(?:password|passwd|pwd)=([^\s;&"']{4,128})/i,
  hasDigit: /\d/,
  hasLetter: /[A-Za-z]/,
  hasDigitOrSign: /[^A-Za-z._ -]/,
  /** Stands behind an escape: `\n` as JSON writes it, `%3D`, a terminal's colour. */
  escapeEnd: /(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,8}m)/y,
  special: /[\\^$.*+?()[\]{}|/-]/g,
  keyArmour: /-{4,5} ?(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g,
  /** What an editor, a diff, a quote, a list or a comment puts before a line. */
  lineMargin:
    /[ \t]{0,16}(?:\d{1,6}[\t→:|.)][ \t]{0,4})?(?:(?:[-*#+>|]|\/\/)[ \t]{1,4}|[+>|])?(?:\[[ x]\][ \t])?["'`* \t]{0,8}/y,
  /** PuTTY's files have no armour; the lines of the private half are counted instead. */
  puttyLines: /Private-Lines: \d{1,4}[ \t"',+|]{0,8}(?:\r?\n|\r|\\{1,15}n|(?<=[ \t]))/g,
  /** With the number that a tool puts in front of it: `  12→`, `12:`, a tab. */
  keyLine:
    /(?:[ \t]{0,8}\d{1,6}[\t→:|])?[ \t>|"',+-]{0,32}(?:[A-Za-z0-9+/=]{16,512}(?:[ \t]{0,2}(?:\.{3}|…|\[)[^\n\\]{0,120})?|[A-Za-z-]{3,24}: [^\n\\]{1,200})?[ \t"',]{0,8}(?:\\r)?(?:\\{1,15}n|\r?\n|$)/y,
  schemeName: /[a-z][a-z0-9+.-]{1,20}$/i,
  databaseScheme:
    /^(?:mongodb|postgres|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchbase|neo4j|bolt|ldaps?)/i,
  hostAndPort: /[^\s/?#"'`<>\\,;)\]}]{0,256}/y,
  /** Behind the `@` of an address: a host, and nothing that belongs to a password. */
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
  /** Commands of Windows that have the password behind the name or the place it is for. */
  netUser:
    /(?<![\w-])net[ \t]use(?:r[ \t]{1,4}"?[\w.@\\-]{1,64}"?|[ \t]{1,4}(?:[A-Za-z]:|\*)?[ \t]{0,4}\\\\[^\s"]{1,128})[ \t]{1,4}"?([^\s"/][^\s"]{3,127})/gi,
  secureString:
    /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?(?:"([^"\n]{4,128})(?=")|'([^'\n]{4,128})(?='))/gi,
  /** `htpasswd -b file user password`; with `-n` there is no file. */
  htpasswd:
    /(?<![\w-])htpasswd(?:[ \t]{1,4}-[A-Za-z]{1,8}){0,3}[ \t]{1,4}-[A-Za-z]{0,6}b[A-Za-z]{0,6}(?:[ \t]{1,4}-[A-Za-z]{1,8}){0,3}(?:[ \t]{1,4}[^\s'"-][^\s'"]{0,128}){1,2}?[ \t]{1,4}(?:'([^'\s]{4,128})(?=')|"([^"\s]{4,128})(?=")|([^\s"'`-][^\s"'`]{3,127})(?=[ \t]{0,4}(?:$|[\n;&|>])))/gm,
  /** A login given as two arguments, the last of which is the password. */
  loginCall:
    /(?:Credentials?|[bB]asic_?[aA]uth|HTTPDigestAuth|mysqli_connect|mysqli|\.auth)\([^()\n,]{1,80},(?:[^()\n,]{1,80},){0,2}[ \t]{0,4}(?:"([^"\s]{6,128})(?="\))|'([^'\s]{6,128})(?='\)))/g,
  /** A line of a file of PostgreSQL's passwords: host, port, database, user, password. */
  passwordFile:
    /(?::(?:5[45]|64)\d\d|(?<![\w:*])\*:\*):[A-Za-z_*][\w.*$-]{0,63}:[\w.*@$-]{1,64}:((?:[^\s"'`\\:]|\\{1,4}:){4,256})(?![^\s"'`\\])/g,
  /** Two lines of a settings file: who, and the password. */
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
  /** A wallet's words, or what they are called, up to the first of them. */
  phraseName:
    /(?:mnemonic|(?:seed|recovery|backup|wallet)[ _-]?phrase)(?:[ _-]?(?:words|phrase))?\\{0,15}["'`*]{0,3}(?:[ \t]{1,2}(?:is|was))?[ \t]{0,4}[:=]?(?:[\s*]|\\{1,15}n){0,8}\\{0,15}["'`]?(?=[a-z])/gi,
  phrase: /[a-z]{3,8}(?: [a-z]{3,8}){11,23}(?! ?[\w])/y,
  base32: /^[A-Z2-7]{16,128}={0,6}$/,
  otpSecret: /[?&]secret=([A-Z2-7]{16,128})(?![A-Za-z0-9])/gi,
  /** The parts of a JSON web key that are not public. */
  jwkPart: /"(?:d|p|q|dp|dq|qi|k)\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}"([\w-]{20,2048})(?=\\{0,15}")/g,
  hookAddress: /\/hooks\/([a-z0-9]{26})(?![a-z0-9])/g,
  passwordHash:
    /(?<![\w$])\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|y|7|apr1|sha1)\$[^\s:"'`$]{1,40}\$[./A-Za-z0-9$]{22,128}|argon2(?:id|i|d)\$[^\s:"'`]{30,256})/g,
  userFlag: /[ \t](?:-u|--user|--proxy-user)[ \t=]{1,3}["']?[^\s:"'$]{1,64}:([^\s"'$]{4,256})/g,
  netrc:
    /(?<!\w|\w-)(?:machine\s{1,16}(?:localhost|[\w-]{1,63}\.[\w.-]{1,127})|default)[\s+-]{1,16}(?:login\s{1,16}\S{1,128}[\s+-]{1,16})?password[ \t]{1,8}([^\s"'\\]{4,256})/g,
  /** A line that is not indented ends a map; the first that was read begins with the end of the line before. */
  outdent: /\n(?=[^\s#])/,
  mapField: /[\w.-]["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}["']?([^\s"',{}[\]]{8,128})/g,
  /** What is said to a program that wants it on its standard input. */
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
  /** A few short flags in one word: `-sSu`. */
  flagBundle: /^-[A-Za-z]{2,6}$/,
  passSource: /^pass:/,
  /** One of the flags that take a secret from some program; without any, no program needs to be looked for. */
  secretFlag:
    /[ \t](?:-h?p|-[A-Za-z]{0,5}[PNKUkuwab](?![A-Za-z-])|-P|-u|--?(?:pass|hmac|user|proxy-user|auth|cookie|ks-pass|key-pass|srcstorepass|deststorepass|srckeypass|destkeypass|storepass|keypass))/,
  secretFields: /(?:secrets[ \t]set|kv[ \t]put|vault[ \t]write)[ \t]/,
  cookieHeader: /(?<!\w|\w-)(?:set-)?cookie\\{0,15}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,15}["']?/gi,
  headerEnd: /[\n"'`<>\\]/,
  cookieField: /(?:^|[;,&][ \t]{0,4})[\w.!#$%*+^|~-]{1,80}=([^\s;,"'\\]{1,4096})/g,
  hexOrId: /^[0-9a-fA-F-]{20,128}$/,
} as const

/** Matches a sticky pattern at a place; the end of the match, or -1. */
export function endAt(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : -1
}
