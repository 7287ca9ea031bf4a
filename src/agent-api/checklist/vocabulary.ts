// Words by which an item and the code it is about are recognised. Data only.

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Words of an item that say nothing about its subject. */
export const COMMON_WORDS = set(`
  get gets got a an the and or but for of in on at to from by with without into onto over under per via as is are be been was were it its this that these those
  their they them our we us you your
  all any each every some no not only also then than when while where which who what how so if both either
  add adds added adding implement implements implemented implementing implementation create creates created write writes wrote written build builds built
  make makes made do does done fix fixes fixed update updates updated support supports supported handle handles handled handling use uses used using
  ensure provide provides introduce finish finished complete completed wire wired set setup hook integrate integrated integration expose allow allows
  feature features function functions method methods class classes module modules file files code logic helper helpers util utils utility
  given specified specific passed provided current corresponding certain respective particular various appropriate existing
  proper properly basic simple new real full fully whole initial first final support correct correctly should must can will
  src lib app test tests testing tested spec specs unit coverage cover covers covered project repo
  ts tsx js jsx py go rs java mjs cjs
`)

/** Words of a name that say nothing about its subject. */
export const COMMON_NAME_WORDS = set(
  'get set do run handle handler on make new impl async the to of for with from by is has can should test it fn func and in create add main init call value data item',
)

/** One spelling for words that mean the same, after stemming. */
export const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    authent: 'auth',
    authentic: 'auth',
    author: 'auth',
    authn: 'auth',
    authz: 'auth',
    signin: 'login',
    logon: 'login',
    db: 'databas',
    cfg: 'config',
    configur: 'config',
    conf: 'config',
    msg: 'messag',
    req: 'request',
    resp: 'respons',
    res: 'respons',
    err: 'error',
    pwd: 'password',
    passwd: 'password',
    pw: 'password',
    repo: 'repositor',
    init: 'initial',
    calc: 'calcul',
    comput: 'calcul',
    gen: 'generat',
    rm: 'delet',
    del: 'delet',
    remov: 'delet',
    ctx: 'context',
    conn: 'connect',
    tx: 'transact',
    addr: 'address',
    ws: 'websocket',
    pag: 'pagin',
    check: 'verif',
    valid: 'verif',
    ensur: 'verif',
    mail: 'email',
    'e-mail': 'email',
    throttl: 'limit',
    load: 'fetch',
    retriev: 'fetch',
    lookup: 'find',
    search: 'find',
    quer: 'find',
    persist: 'save',
    stor: 'save',
    encryp: 'encrypt',
    cipher: 'encrypt',
    serialis: 'serializ',
    sanitis: 'sanit',
    sanitiz: 'sanit',
    escap: 'sanit',
    deriv: 'calcul',
    sum: 'total',
    notif: 'notif',
    dispatch: 'send',
    deliver: 'send',
    hash: 'hash',
    match: 'compar',
  }),
)

/** Verbs of functions whose result depends on what they are given. Compared with the beginning of a name. */
export const CHECK_VERBS =
  /^(?:verif|validat|check|authenticat|authoriz|authoris|ensure|detect|compar|match|assert|enforce|inspect|audit|guard|limit|throttle|rateLimit|rate_limit|confirm)/i
export const PREDICATES =
  /^(?:is|has|can|should|supports?|allows?|needs|contains|exists|equals|accepts?|permits?|was|will|does|are|may|must)(?=[A-Z_]|$)/
export const WORK_VERBS =
  /^(?:(?:do|handle|process|run|perform|try|async)_?)?(?:calculat|comput|count|sum|total|estimat|measur|predict|score|rank|fetch|load|read|pars|find|search|quer|lookup|resolv|list|select|filter|sort|group|merg|diff|save|store|persist|write|insert|upsert|update|patch|put|delete|remove|create|register|send|notif|publish|emit|broadcast|dispatch|upload|download|import|export|sync|hash|encrypt|decrypt|sign|encod|decod|compress|decompress|sanitiz|sanitis|escap|normaliz|normalis|convert|transform|translat|map|format|render|generat|build|serializ|deserializ|marshal|unmarshal|charge|refund|pay|transfer|withdraw|deposit|checkout|apply|retr|schedul|enqueue|dequeue|evict|cache|invalidat|refresh|rotat|revok|login|logout|connect|migrat|backup|restore|rollback|commit|execut|evaluat|solve|detect|classif|extract|collect|aggregat|reduc|paginat|tokeniz|index|crawl|scrap|split|join|round|clamp|interpolat|handle|process|subscrib|unsubscrib|acquire|release|lock|unlock|reserv|cancel|approve|reject|get)/i
export const TRANSFORM_VERBS =
  /(?:hash|encrypt|decrypt|sign|encod|decod|compress|sanitiz|sanitis|escap|normaliz|normalis|convert|transform|translat|format|pars|sort|filter|strip|trim|redact|mask|anonymi|dedup|minif|optimi|resiz|slug|capital|round|apply)/i
export const EFFECT_VERBS =
  /(?:send|submit|save|store|persist|write|delete|remove|insert|update|publish|emit|notif|upload|charge|refund|pay|log(?:in|out)|register|subscrib|dispatch|sync|schedul|enqueue|migrat|backup|restore|create|export|import|process|handle|track|record|evict|invalidat|revok|rotat|deploy|purg|prun|clean|archiv|expir|remind|alert|renew|index)/i

/** Words of an item that request work whose result must differ from call to call. */
export const WORKING_ITEM =
  /\b(?:verif\w*|validat\w*|check\w*|authenticat\w*|authoriz\w*|detect\w*|enforc\w*|limit\w*|restrict\w*|calculat\w*|comput\w*|count\w*|fetch\w*|load\w*|read\w*|pars\w*|find\w*|search\w*|quer\w*|list\w*|look ?up|filter\w*|sort\w*|sav\w*|stor\w*|persist\w*|delet\w*|send\w*|notif\w*|hash\w*|encrypt\w*|decrypt\w*|sign\w*|encod\w*|decod\w*|compress\w*|generat\w*|render\w*|convert\w*|transform\w*|format\w*|retr(?:y|ies)\w*|expir\w*|permission\w*|match\w*|compar\w*|pars\w*|sync\w*|upload\w*|download\w*|process\w*|merg\w*|only|unless|once|until|according|depending|based on)\b/i

/** The item itself asks for what would otherwise contradict it. */
export const ASKS_FOR_STUB =
  /\b(?:stub(?:s|bed)?(?: out)?|placeholders?|mock(?:s|ed)?|fake|dummy|no-?op\w*|abstract|interface|scaffold\w*|skeleton|base class|default implementation|extension points?|null object|overridable|subclass\w*|protocols?|traits?)\b/i
export const ASKS_FOR_CONSTANT =
  /\b(?:always|never|disabl\w*|allow(?:s|ing)? (?:all|any|every\w*)|defaults?|hard-?cod\w*|constants?(?!-)|(?:feature|build|compile)[- ]?flags?|fallback|opt[- ]?out|empty (?:list|body|implementation|result)|pass-?through|discard\w*|ignor\w*)\b/i
export const ASKS_FOR_REFUSAL =
  /\b(?:unsupported|not (?:be )?(?:supported|implemented)|read-?only|immutable|unmodifiable)\b/i
export const ASKS_FOR_CLEANUP =
  /\b(?:legacy|old|unused|deprecated|dead|obsolete|dependenc(?:y|ies)|support for|files?|code|imports?|stubs?|todos?|comments?|shim|polyfill|workaround|flag)\b|[\w/]+\.\w{1,4}\b/i
export const ASKS_FOR_REMOVAL =
  /^\W*(?:remov(?:e|ed|ing)|delet(?:e|ed|ing)|drop(?:ped)?|deprecat(?:e|ed)|retire[d]?|get rid of|clean(?:ed)? up|uninstall|rip out|stop using)\b/i
export const ASKS_FOR_MOVE =
  /\b(?:renam(?:e|ed|ing)|mov(?:e|ed|ing)|replac(?:e|ed|ing)|migrat(?:e|ed|ing)|split|merg(?:e|ed|ing)|inline[d]?|instead of|gitignore|ignore)\b/i
export const ASKS_FOR_TESTS = /\b(?:tests?|specs?|coverage|unit-?tests?|e2e|testcases?|regression)\b|^\W*tested\b/i
export const ASKS_FOR_SKIP = /\b(?:skip(?:s|ped)?|disabl\w*|quarantin\w*|flaky|ignor\w*|todo tests?|pending tests?)\b/i
export const ASKS_FOR_LOCAL =
  /\b(?:local(?:ly|host)?|dev(?:elopment)?(?: server| proxy| environment)?|docker|compose|loopback|example|demo|proxy|emulator|sandbox|cli|playground|storybook|cors)\b/i
/** Where an address of this machine cannot be meant. */
export const ASKS_FOR_REMOTE = /\b(?:production|prod|live|public|remote|hosted|managed|deployed|cloud)\b/i

export const ASKS_FOR_ERRORS = /\b(?:errors?|exceptions?|fail(?:s|ed|ures?|ing)?|crash\w*|dead[- ]?letter)\b/i
export const ASKS_FOR_SILENCE =
  /\b(?:ignor\w*|swallow\w*|silent\w*|best[- ]effort|suppress\w*|tolerat\w*|graceful\w*|already)\b/i

/** Methods of collections that a read-only one refuses. */
export const MUTATORS =
  /^(?:remove|add|set|clear|put|push|pop|append|insert|delete|addAll|removeAll|retainAll|putAll|poll|offer|write|truncate|seek|fileno|readinto|detach)/i
/** Callbacks and life-cycle methods that are often empty. */
export const HOOK_NAMES =
  /^(?:on[A-Z_]|before|after|pre_|post_|did|will|set_?up|tear_?down|componentDid|ngOn|close|dispose|destroy|flush|init|start|stop|reset|visit|enter_?|exit_?|handle_?error|__\w+__|main|finalize|drop|clone|describe|shutdown|cleanup|accept|configure)/
