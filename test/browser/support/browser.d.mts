export const LAUNCH_ARGS: readonly string[]
export function findBrowser(env?: NodeJS.ProcessEnv): string | undefined
