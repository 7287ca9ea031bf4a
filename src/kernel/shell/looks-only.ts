import { splitCommandLine } from './command.ts'

const LOOKS =
  /^(?:cd|pwd|ls|cat|bat|head|tail|less|more|nl|grep|egrep|fgrep|rg|ag|ack|wc|echo|printf|which|type|file|stat|du|df|tree|sort|uniq|cut|tr|column|diff|cmp|jq|yq|date|true|false|test|\[|basename|dirname|realpath|readlink|whoami|id|ps|lsof|pgrep|sleep|strings|xxd|od|awk|fd)(?:\s|$)/
const FINDS = /^find(?=\s)(?!.*\s-(?:delete|exec|execdir|ok|fprint)\b)/s
const PRINTS = /^sed(?=\s)(?!.*(?:\s-\w*i|--in-place))/s
const GIT =
  /^git (?:(?:-C|-c) \S+ |--no-pager )*(?:status|log|diff|show|blame|grep|rev-parse|rev-list|ls-files|ls-tree|ls-remote|describe|shortlog|cat-file|merge-base|name-rev|fetch|reflog|remote(?: -v| show| get-url|$)|branch(?: -(?:a|r|v|vv|l)| --(?:list|show-current|contains|merged|no-merged)|$)|worktree list|stash list|config --get|tag(?: -l|$))(?:\s|$)/
const GH = /^gh (?:\w+ (?:view|list|diff|checks|status)|search|status)(?:\s|$)/
const VERSION = /^\S+ (?:--version|--help|-h)$/
/** Into a file that is not the null device. */
const WRITES = /(?<![=-])>{1,2}(?!\s*(?:&|\/dev\/null))/
const QUOTED = /"[^"]*"|'[^']*'/g

/** Whether a command line can only have shown something: no part of it writes a file, a branch or a process. */
export function looksOnly(line: string): boolean {
  return splitCommandLine(line).every((part) => {
    const bare = part.replace(/^[({!\s]+/, '').trim()
    if (WRITES.test(bare.replace(QUOTED, 'q'))) return false
    return [LOOKS, FINDS, PRINTS, GIT, GH, VERSION].some((pattern) => pattern.test(bare))
  })
}
