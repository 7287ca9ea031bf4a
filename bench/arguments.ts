import { basename } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { getErrorMessage } from '../src/kernel/errors.ts'

/** What a bench takes, as it would be typed. */
function usageOf(bench: string, options: NonNullable<ParseArgsConfig['options']>): string {
  const taken = Object.entries(options).map(([name, { type, default: usual }]) => {
    if (type === 'boolean') return `[--${name}]`
    return `[--${name} ${typeof usual === 'string' ? usual : name.toUpperCase()}]`
  })
  return ['usage: npm run bench --', bench, ...taken].join(' ')
}

/** The bench's arguments, or its end with a word about what it takes. */
export function benchArguments<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const { args = process.argv.slice(2), options = {} } = config
  const usage = usageOf(basename(process.argv[1] ?? '', '.mjs'), options)
  if (options['help'] === undefined && args.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${getErrorMessage(error)}\n${usage}`)
    process.exit(2)
  }
}
