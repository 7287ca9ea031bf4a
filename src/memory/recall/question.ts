import { extractQueryTerms, extractTerms } from '../../kernel/text/terms.ts'
import { findPaths } from '../../kernel/paths/paths.ts'
import type { RecallQuestion } from './rank.ts'

/** Abbreviations and their long forms; each finds the others, at `OTHER_FORM` weight. */
const SAME_THING: readonly (readonly string[])[] = [
  'args arguments',
  'async asynchronous',
  'auth authentication authorization',
  'cmd command',
  'config configuration cfg',
  'conn connection',
  'ctx context',
  'db database',
  'deps dependencies',
  'dev development',
  'dir directory folder',
  'docs documentation',
  'env environment',
  'err error',
  'fn func function',
  'impl implementation',
  'init initialize initialise',
  'js javascript',
  'k8s kubernetes',
  'lib library',
  'msg message',
  'params parameters',
  'perf performance',
  'pg postgres postgresql',
  'pkg package',
  'prod production',
  'py python',
  'regex regexp',
  'repo repository',
  'req request',
  'spec specification',
  'tmp temp temporary',
  'ts typescript',
  'var variable',
].map((line) => line.split(' '))

/** Words for one thing in questions and statements, which need not share them. */
const SAME_MATTER: readonly (readonly string[])[] = [
  'ci pipeline build',
  'localization localisation l10n internationalization i18n translation language',
  'lives live reside based moved relocated',
  'login authentication authorization',
  'owns owner responsible maintainer',
  'price cost costs',
  'secret credential credentials password',
  'timezone timezones utc',
  'works work job employer employed joined',
].map((line) => line.split(' '))

/** What questions ask for by its kind, and names that statements give; a kind finds its names, at `OTHER_FORM` weight. */
const NAMES_OF: readonly (readonly string[])[] = [
  'cloud aws azure gcp hetzner',
  'container docker podman kubernetes',
  'database postgres postgresql mysql mariadb sqlite mongodb redis dynamodb',
  'editor vim neovim emacs vscode helix jetbrains',
  'framework react vue svelte angular django flask fastapi express rails spring laravel',
  'infrastructure terraform pulumi ansible helm',
  'language python typescript javascript java kotlin rust golang ruby php swift',
  'linter eslint biome oxlint ruff flake8 pylint',
  'manager npm pnpm yarn bun pip poetry uv cargo maven gradle',
  'monitoring grafana prometheus datadog sentry',
  'os linux macos windows ubuntu debian',
  'payment stripe paypal adyen',
  'pipeline jenkins actions circleci buildkite',
  'queue kafka rabbitmq sqs nats',
].map((line) => line.split(' '))

const OTHER_FORM = 0.5
const MAX_FILES = 8

const toTerms = (words: readonly string[]) => words.flatMap((word) => extractTerms(word).slice(0, 1))

function findForms(lines: readonly (readonly string[])[]): ReadonlyMap<string, readonly string[]> {
  return new Map(lines.map(toTerms).flatMap((terms) => terms.map((term) => [term, terms] as const)))
}

const OTHER_FORMS = findForms(SAME_THING)
const IN_STATEMENTS = findForms(SAME_MATTER)
const NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  NAMES_OF.map(toTerms).map(([kind = '', ...names]) => [kind, names]),
)

/** One term for all that mean the same. */
export function toCommonForm(term: string): string {
  return (IN_STATEMENTS.get(term) ?? OTHER_FORMS.get(term))?.[0] ?? term
}

/** Keywords, their other forms, and the files that the text names. `isOfStatements`: what is searched are short statements. */
export function parseQuestion(
  text: string,
  { isOfStatements = false }: { readonly isOfStatements?: boolean } = {},
): RecallQuestion & { readonly related: ReadonlyMap<string, number> } {
  const terms = extractQueryTerms(text)
  const asked = new Set(terms)
  // For work items these changed nothing for the better (recall@10 .335 with them, .337 without).
  const forms = isOfStatements ? [OTHER_FORMS, IN_STATEMENTS, NAMES] : [OTHER_FORMS]
  const related = new Map(
    terms
      .flatMap((term) => forms.flatMap((form) => form.get(term) ?? []))
      .filter((term) => !asked.has(term))
      .map((term) => [term, OTHER_FORM]),
  )
  return { terms, related, files: findPaths(text, MAX_FILES) }
}
