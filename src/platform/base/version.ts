declare const __HOLDFAST_VERSION__: string | undefined

/** Written in by scripts/build.mjs from package.json; code run from source has none. */
export const VERSION: string = typeof __HOLDFAST_VERSION__ === 'string' ? __HOLDFAST_VERSION__ : '0.0.0-source'
